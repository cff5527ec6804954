/** A dataset of the demo API. Its records are computed on demand. */
export interface DemoDataset {
  /** Number of records. */
  readonly size: number;
  /** Path of the records in a response. */
  readonly dataField: readonly [string, string];
  /** Returns the record at an index as JSON text, because JavaScript's numbers cannot represent 1.10 and the ids. */
  record(index: number): string;
}

const species = ["Acer saccharum", "Acer nigrum", "Acer rubrum", "Acer saccharinum", "Betula papyrifera"];
const names = ["Old Crooked", "Großmutter", "L'Érable", "Ziibaaskaang", "楓さん", "Krysař", "Twin 🍁", 'The "Hermit"'];
const weather = ["frost, then sun", "thaw", "sleet", "−9 °C at dawn", "first robins"];
const grades = ["Golden", "Amber", "Dark", "Very Dark"];
const day = 86_400_000;

/** The id of the first tree. All ids of trees are odd and above 2^53, so a program that reads them as doubles alters each of them. */
const firstId = 9_007_199_254_740_993n;
const trees = 420;
const taps = 1337;

function treeId(index: number): bigint {
  return firstId + 2n * BigInt(index);
}

function tapId(index: number): bigint {
  return firstId * 2n + 7n * BigInt(index);
}

/** The data of a sugarbush: trees, the taps driven into them, and the harvests of sap from the taps. */
export const datasets: ReadonlyMap<string, DemoDataset> = new Map<string, DemoDataset>([
  [
    "trees",
    {
      size: trees,
      dataField: ["data", "trees"],
      record(index) {
        const dice = random(1, index);
        return object([
          ["id", String(treeId(index))],
          ["name", JSON.stringify(`${pick(names, dice())} ${index + 1}`)],
          ["species", JSON.stringify(pick(species, dice()))],
          ["girth_m", decimal(0.8 + 2.6 * dice(), 2)],
          ["location", `{"lat":${decimal(44.4 + 0.1 * dice(), 6)},"lon":${decimal(-72.7 - 0.1 * dice(), 6)}}`],
          ["healthy", String(dice() < 0.95)],
        ]);
      },
    },
  ],
  [
    "taps",
    {
      size: taps,
      dataField: ["data", "taps"],
      record(index) {
        const dice = random(2, index);
        return object([
          ["id", String(tapId(index))],
          ["tree_id", String(treeId(index % trees))],
          ["depth_cm", decimal(3.8 + dice(), 1)],
          ["side", JSON.stringify(pick(["north", "east", "south", "west"], dice()))],
          ["driven_on", JSON.stringify(date(Date.UTC(2024, 1, 10) + Math.floor(20 * dice()) * day))],
          ["removed_on", dice() < 0.1 ? JSON.stringify(date(Date.UTC(2024, 3, 2))) : "null"],
        ]);
      },
    },
  ],
  [
    "harvests",
    {
      size: 3141,
      dataField: ["season", "harvests"],
      record(index) {
        const dice = random(3, index);
        return object([
          ["id", JSON.stringify(`H-${String(index + 1).padStart(5, "0")}`)],
          ["tap_id", String(tapId(Math.floor(taps * dice())))],
          ["date", JSON.stringify(date(Date.UTC(2024, 1, 28) + Math.floor(index / 100) * day))],
          ["sap_litres", decimal(8 * dice(), 2)],
          ["sugar_percent", decimal(1.5 + 1.5 * dice(), 1)],
          ["price_per_litre", "1.10"],
          ["grade", JSON.stringify(pick(grades, dice()))],
          ["notes", dice() < 0.3 ? `[${JSON.stringify(pick(weather, dice()))}]` : "[]"],
        ]);
      },
    },
  ],
]);

function object(members: readonly (readonly [name: string, json: string])[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

function decimal(value: number, digits: number): string {
  return value.toFixed(digits);
}

function date(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function pick<T>(choices: readonly T[], dice: number): T {
  return choices[Math.floor(dice * choices.length)] as T;
}

/** Returns a generator of numbers from 0 to 1, which are the same for the same seed and index (mulberry32). */
function random(seed: number, index: number): () => number {
  let state = Math.imul(seed * 0x10000 + index, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
