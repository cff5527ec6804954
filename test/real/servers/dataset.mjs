/** Returns a record of every server. The records are the same at every start, so that a server has its old data again after it was killed. */
export function recordAt(index) {
  return {
    name: `Ünïté №${index} 日本 "quoted" \\ \u2028 ${"😀".repeat(index % 3)}`,
    number: index,
    price: (index * 7919) / 100,
    tags: Array.from({ length: index % 4 }, (_, at) => `tag-${(index * 31 + at) % 97}`),
    place: { city: `city ${index % 53}`, at: { lat: (index % 180) - 90.5, lon: index / 8 } },
    note: index % 5 === 0 ? null : `line\n${"x".repeat((index * 13) % 400)}`,
    active: index % 2 === 0,
  };
}

/** The arguments of all scripts in this folder. */
export const port = Number(process.argv[2]);
export const folder = process.argv[3];
export const records = Number(process.argv[4]);
/** Seconds for which a login is valid. */
export const life = Number(process.argv[5]);
