import type { Outputs } from "../example.ts";

/** Output of the scripts in docs/recipes.md that do not show it. `...` matches anything. */
export const outputs: Outputs = {
  output: "420",
  gzip: "1337",
  head: "H-00001\nH-00002\nH-00003",
  tag: "3141 harvests\n1337 taps\n420 trees",
  "split-option": "3141 today/harvests.ndjson\n1337 today/taps.ndjson\n420 today/trees.ndjson\n4898 total",
  split: "1000 harvests.aa\n1000 harvests.ab\n1000 harvests.ac\n141 harvests.ad\n3141 total",
  unique: "420",
  csv: '"Krysař 1","Acer saccharum",true\n"Ziibaaskaang 2","Acer nigrum",true',
  filter: "19",
  loop: "Krysař 1 is a Acer saccharum\nZiibaaskaang 2 is a Acer nigrum",
  accounts: "420 trees.ndjson\n1337 taps.ndjson\n1757 total",
  again: "",
  "keep-going": "exit code 0",
};
