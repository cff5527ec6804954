/** Whether a path matches a glob, folder by folder. `*` stands for any characters, `?` for one; neither matches `/`. */
export function matchesGlob(path: string, glob: string): boolean {
  const [names, patterns] = [path.split("/"), glob.split("/")];
  return names.length === patterns.length && patterns.every((pattern, index) => matches(names[index] ?? "", pattern));
}

/** Only the last star is ever tried again, so the time is bounded by the product of both lengths. */
function matches(name: string, pattern: string): boolean {
  let [nameIndex, place] = [0, 0];
  let star: { readonly place: number; nameIndex: number } | undefined;
  while (nameIndex < name.length) {
    if (pattern[place] === "*") {
      star = { place, nameIndex };
      place += 1;
    } else if (pattern[place] === "?" || pattern[place] === name[nameIndex]) {
      nameIndex += 1;
      place += 1;
    } else if (star !== undefined) {
      star.nameIndex += 1;
      nameIndex = star.nameIndex;
      place = star.place + 1;
    } else return false;
  }
  return [...pattern.slice(place)].every((character) => character === "*");
}
