import { bodyApis } from "./body-apis.ts";
import { countingApis } from "./counting-apis.ts";
import { documentedApis } from "./documented-apis.ts";
import type { FakeApi } from "./fake-api.ts";
import { guessedApis } from "./guessed-apis.ts";
import { leadingApis } from "./leading-apis.ts";
import { numberedApis } from "./numbered-apis.ts";
import { publicApis } from "./public-apis.ts";
import { refusingApis } from "./refusing-apis.ts";
import { unpagedApis } from "./unpaged-apis.ts";
import { unspokenApis } from "./unspoken-apis.ts";

/** The APIs that explore.test.ts explores. */
export const apis: readonly FakeApi[] = [
  ...countingApis,
  ...numberedApis,
  ...leadingApis,
  ...bodyApis,
  ...unpagedApis,
  ...documentedApis,
  ...publicApis,
  ...refusingApis,
  ...unspokenApis,
  ...guessedApis,
];
