import { decodeForm, type Parameter, splitAddress } from "../../core/requests/request.ts";
import { plainText, type Value, type ValueObject } from "../../core/values/value.ts";
import { objectOf } from "./document.ts";

/** The place of a description's operations. */
export interface Server {
  /** Without query; it ends with a slash. */
  readonly address: string;
  /** The pairs of its query, which each request needs. */
  readonly params: readonly Parameter[];
  /** The reason why the address is only a stand-in; "" if it is complete. */
  readonly missing: string;
}

/** A host that never exists (RFC 2606): what is sent there before the address is filled in goes nowhere. */
const standIn = "https://api.invalid/";

/** Reads the first of several servers. A variable without a value is never guessed, since credentials go where it leads. */
export function serverOf([server = {}]: readonly ValueObject[]): Server {
  const { url = "/", variables } = server;
  const unfilled: string[] = [];
  const hostEnd = /^[a-z]+:\/\/[^/?#]*/i.exec(plainText(url))?.[0].length ?? -1;
  const text = plainText(url).replace(/\{([^{}]+)\}/g, (_, name: string, index: number) => {
    const value = variableValue(objectOf(objectOf(variables)[name]));
    // An empty word of the host makes another host.
    if (value === undefined || (value === "" && index <= hostEnd)) unfilled.push(`{${name}}`);
    return value ?? "";
  });
  const missing =
    unfilled.length > 0
      ? `the server ${plainText(url)} gives no value for ${unfilled.join(", ")}`
      : URL.canParse(text)
        ? ""
        : `the description names no host (server ${text})`;
  const address = URL.canParse(text) ? new URL(text) : new URL(text.replace(/^[a-z]+:\/\/[^/]*/i, ""), standIn);
  const whole = missing === "" ? address : new URL(address.pathname + address.search, standIn);
  const params = splitAddress(whole).query.flatMap((item): readonly Parameter[] => {
    const [name = "", ...rest] = "raw" in item ? item.raw.split("=") : [];
    return name === "" ? [] : [{ name: decodeForm(name), value: decodeForm(rest.join("=")) }];
  });
  const path = `${whole.origin}${whole.pathname}`;
  return { address: path.endsWith("/") ? path : `${path}/`, params, missing };
}

function variableValue({ default: usual, enum: choices }: ValueObject): string | undefined {
  const [first]: readonly Value[] = Array.isArray(choices) ? choices : [];
  const value = usual ?? first;
  return value === undefined || value === null ? undefined : plainText(value);
}
