/**
 * How often a test tries, or with which seed it begins: a whole number above 0 from the environment, `otherwise` where there
 * is none. Throws for anything else, with which a test would try nothing and pass.
 */
export function wholeNumber(name: "SPILE_ROUNDS" | "SPILE_SEED", otherwise: number): number {
  const given = process.env[name];
  if (given === undefined) return otherwise;
  if (!/^[1-9]\d*$/.test(given))
    throw new Error(`${name} must be a whole number above 0, and is ${JSON.stringify(given)}`);
  return Number(given);
}
