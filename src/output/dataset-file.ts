import { SpileError } from "../core/errors.ts";
import { longestName } from "../core/files/temporary-name.ts";
import { percentEncodeByte } from "../core/text/percent-encoding.ts";
import { beginningOf } from "../core/text/printable.ts";

/**
 * Returns the file name of each dataset. Some file systems treat two names as equal if they differ only in case or in the
 * composition of characters. In such names, capitals and characters beyond ASCII are percent-encoded, too; a name in lower case
 * stays. Throws SpileError `configuration` if a file name would be too long.
 */
export function fileNames(datasets: readonly string[]): ReadonlyMap<string, string> {
  const alike = new Map<string, Set<string>>();
  for (const dataset of datasets) {
    const key = folded(dataset);
    alike.set(key, (alike.get(key) ?? new Set()).add(dataset));
  }
  return new Map(
    datasets.map((dataset) => {
      const isAlone = alike.get(folded(dataset))?.size === 1;
      const name =
        isAlone || dataset === folded(dataset) ? fileName(dataset) : fileName(dataset, /[^a-z0-9._ -]|^\./gu);
      const bytes = Buffer.byteLength(name);
      if (bytes <= longestName) return [dataset, name];
      const what = `the file of dataset ${JSON.stringify(`${beginningOf(dataset, 40)}...`)} would have a name of ${bytes} bytes`;
      throw new SpileError(
        "configuration",
        `${what}; at most ${longestName} are possible: give its job a shorter "dataType"`,
      );
    }),
  );
}

/**
 * Returns the file name for a dataset's name. The characters that `escaped` matches are percent-encoded. Default: a leading dot,
 * and everything but letters, digits, dots, underscores, spaces and hyphens.
 */
export function fileName(dataset: string, escaped = /[^\p{L}\p{N}._ -]|^\./gu): string {
  const safe = dataset.replace(escaped, (character) =>
    Buffer.from(character)
      .toString("latin1")
      .replace(/[\s\S]/g, percentEncodeByte),
  );
  return `${safe}.ndjson`;
}

function folded(dataset: string): string {
  return dataset.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}
