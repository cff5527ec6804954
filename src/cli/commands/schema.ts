import type { PrintingEnvironment } from "../command.ts";
import { editorSchema } from "../editor-schema.ts";
import { deliver } from "../output.ts";

/** Runs `spile schema`, which prints the JSON Schema of the configuration as one self-contained document. */
export async function schemaCommand({ options, stdout }: PrintingEnvironment): Promise<number> {
  await deliver(`${JSON.stringify(editorSchema(), undefined, 2)}\n`, options.output, stdout);
  return 0;
}
