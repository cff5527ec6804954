/**
 * Reads a number of rounds or a first seed from the environment: a whole number above 0, or `otherwise` if it is not set. Throws
 * for any other text, because a test would then try nothing and pass.
 */
export function wholeNumber(name: "SPILE_ROUNDS" | "SPILE_SEED", otherwise: number): number {
  const given = process.env[name];
  if (given === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(given))
    throw new Error(`${name} must be a whole number above 0, and is ${JSON.stringify(given)}`);
  return Number(given);
}
