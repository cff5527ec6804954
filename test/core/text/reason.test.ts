import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryFolder } from "../../helpers/cli.ts";
import { spileHere } from "../../helpers/command.ts";

test("an error about a file is one line with the path, the cause and, for a file to read, the remedy", async () => {
  await using folder = await temporaryFolder();
  const api = { baseUrl: "http://127.0.0.1:1/" };
  const plain = await folder.write("plain.json", { api, config: { jobs: [{ endpoint: "x" }] } });
  const file = async (name: string, path: string) =>
    folder.write(name, { api, config: { "#key": { file: path }, jobs: [{ endpoint: "x" }] } });
  const [none, lost, through] = [`${folder.path}/none`, `${folder.path}/none/x`, `${plain}/x`];
  const har = "; --replay takes a file that --record has written";
  const text = '; "file" is the path of a text file; a relative path starts at the folder of the configuration';
  const state = "; --state takes a file, which the first run creates";
  const credentials = "; --credentials takes a file, which the first login creates";
  const rows: [string[], number, string][] = [
    [[plain, "--replay", none], 78, `cannot replay ${none}: there is no such file${har}`],
    [[plain, "--replay", folder.path], 78, `cannot replay ${folder.path}: it is a folder${har}`],
    [[plain, "--state", folder.path], 78, `cannot read the state file ${folder.path}: it is a folder${state}`],
    [[plain, "--state", lost], 74, `cannot write to ${lost}.lock: its folder does not exist`],
    [[plain, "--state", through], 74, `cannot write to ${through}.lock: a part of its path is not a folder`],
    [
      [plain, "--credentials", folder.path],
      78,
      `the credentials file ${folder.path} cannot be read: it is a folder${credentials}`,
    ],
    [[plain, "--credentials", lost], 74, `cannot write to ${lost}.lock: its folder does not exist`],
    [[await file("a.json", "none")], 78, `/config/#key: the file "none" cannot be read: there is no such file${text}`],
    [[await file("b.json", ".")], 78, `/config/#key: the file "." cannot be read: it is a folder${text}`],
  ];
  for (const [words, code, message] of rows) {
    const outcome = await spileHere(words);
    assert.deepEqual([outcome.code, outcome.stderr], [code, `error ${message}\n`]);
  }
});
