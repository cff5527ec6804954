import { schemaText } from "../../generated/schema.ts";
import { print } from "../output.ts";

/** `spile schema`: the JSON Schema of the configuration, one self-contained document. */
export async function schemaCommand(): Promise<number> {
  await print(`${JSON.stringify(JSON.parse(schemaText), undefined, 2)}\n`);
  return 0;
}
