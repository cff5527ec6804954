import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { shellWords } from "../../../src/authoring/curl/shell-words.ts";
import { isWindowsCommand, windowsWords } from "../../../src/authoring/curl/windows-words.ts";
import { SpileError } from "../../../src/core/errors.ts";

const words = (text: string): readonly string[] => shellWords(text, {}).words;

test("the words of a curl command are split as bash splits them", () => {
  const texts = [
    "a b  c",
    "a 'b c' \"d e\" f'g'\"h\"i",
    "''  \"\" x",
    "a\\ b \\'c \\\\d",
    '"a\\"b" "\\$c" "\\`" "\\x" "a\\\\"',
    "$'a\\nb\\t\\x41\\u00e9\\U0001f600\\101\\'q\\\\' $'\\xc3\\xa9' $'it\\'s \\u0021'",
    "one \\\n  two \\\n  three",
    '"con\\\ntinued"',
    "a # a comment\n",
    "a#b c",
    "é 'ü' \"ß\"",
    "-H 'x: 1' --data-raw $'{\"a\":\"\\u0021\"}' --compressed",
    "'a$b`c\\d'",
    'a$ "b$" $',
    "{a,b}=[1] 'x'",
  ];
  for (const text of texts) {
    const script = `printf '%s\\0' ${text.replace(/\n$/, "")}`;
    const bash = execFileSync("bash", ["--norc", "-c", text.includes("{a,b}") ? `set +B; ${script}` : script]);
    assert.deepEqual(words(text), bash.toString("utf8").split("\0").slice(0, -1), text);
  }
});

test("a command ends at a pipe, a redirection or the next command", () => {
  for (const [text, rest] of [
    ["curl x | jq .", "| jq ."],
    ["curl x > out.json", "> out.json"],
    ["curl x 2>/dev/null", "2>/dev/null"],
    ["curl x && echo done", "&& echo done"],
    ["curl x; echo done", "; echo done"],
    ["curl x\necho done", "echo done"],
  ] as const) {
    const command = shellWords(text, {});
    assert.deepEqual(command.words, ["curl", "x"], text);
    assert.equal(command.rest, rest, text);
  }
  assert.deepEqual(words("curl 'a|b;c>d'"), ["curl", "a|b;c>d"]);
});

test("variables are replaced outside of single quotes only, and each value keeps the name of its variable", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's
  const { words: found, variables } = shellWords("a \"Bearer $TOKEN\" ${ID}x '$TOKEN'", { TOKEN: "t0k", ID: "7" });
  assert.deepEqual(found, ["a", "Bearer t0k", "7x", "$TOKEN"]);
  assert.deepEqual(
    [...variables],
    [
      ["t0k", "TOKEN"],
      ["7", "ID"],
    ],
  );
});

test("shell features, unclosed quotes and unset variables are refused", () => {
  for (const [text, pattern] of [
    ['a "$(cat token)"', /\$\(, which only a shell can run/],
    ["a `cat token`", /`, which only a shell can run/],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a shell's
    ["a ${X:-y}", /\$\{, which only a shell can run/],
    ["a 'b", /quote ' that is not closed/],
    ['a "b', /quote " that is not closed/],
    ["a $'b", /quote ' that is not closed/],
    ['a "$NOPE"', /variable NOPE, which is not set/],
  ] as const) {
    assert.throws(
      () => words(text),
      (error: unknown) => error instanceof SpileError && error.exitCode === 64 && pattern.test(error.message),
      text,
    );
  }
});

test("commands copied for cmd.exe are split as cmd.exe splits them", () => {
  const text = [
    'curl ^"https://api.example.com/users?a=1^&b=2^" ^',
    '  -H ^"accept: application/json^" ^',
    '  -H ^"sec-ch-ua: ^\\^"Chromium^\\^";v=^\\^"124^\\^"^" ^',
    '  --data-raw ^"^{^\\^"q^\\^":^\\^"50^%^ off^\\^"^}^"',
  ].join("\r\n");
  assert.ok(isWindowsCommand(text));
  assert.deepEqual(windowsWords(text), [
    "curl",
    "https://api.example.com/users?a=1&b=2",
    "-H",
    "accept: application/json",
    "-H",
    'sec-ch-ua: "Chromium";v="124"',
    "--data-raw",
    '{"q":"50% off"}',
  ]);
  assert.deepEqual(windowsWords('a "b\\\\" "c\\\\\\"d" "e ""f"" g" h\\i'), ["a", "b\\", 'c\\"d', 'e "f" g', "h\\i"]);
  assert.ok(!isWindowsCommand("curl 'https://x/a^b' -H 'x: ^'"));
  for (const [text, expected] of [
    // cmd.exe keeps a caret inside plain quotes.
    ['"a^b" "x: ^" c^d', ["a^b", "x: ^", "cd"]],
    ['"a^&b<c" "^2"', ["a^&b<c", "^2"]],
    ['"a ""b^c"" d"', ['a "b^c" d']],
    // Browsers before 2024 wrote carets before all other characters than these, even inside plain quotes.
    ['"https://x/?a=1^&b=^%^20^^" -H "q: ^\\^"1^\\^"^|v"', ["https://x/?a=1&b=%20^", "-H", 'q: "1"|v']],
  ] as const)
    assert.deepEqual(windowsWords(text), expected, text);
});

test("escapes that browsers write in $'...' become the characters that they stand for", () => {
  assert.deepEqual(words("$'caf\\xe9' $'\\ud83d\\ude00' $'\\xc3\\xa9' $'\\u00e9\\xe9'"), ["café", "😀", "é", "éé"]);
  assert.throws(() => words("$'\\ud83d'"), /half a character/);
  assert.throws(() => words("$'\\Uffffffff'"), /beyond/);
});

test("the first quote shows for which shell a command is written", () => {
  const cmd = [
    'curl "https://x/?a=1^&b=2" -H "a: b"',
    'curl "https://x/" --data-raw "{""a"":1}"',
    'curl ^"https://x/^"',
  ];
  const bash = [
    `curl 'https://x/' -d '{"op":"^","v":"a"}'`,
    `curl https://x/ -d '{"op":"^","v":"a"}'`,
    `curl "https://x/" -d '{"op":"^","v":"a^&b"}'`,
    `curl 'https://x/' -d '^"^"'`,
    'curl "https://x/" -H "" -H "a: b"',
  ];
  for (const text of cmd) assert.ok(isWindowsCommand(text), text);
  for (const text of bash) assert.ok(!isWindowsCommand(text), text);
  assert.deepEqual(windowsWords(cmd[0] ?? "")[1], "https://x/?a=1&b=2");
  assert.deepEqual(windowsWords(cmd[1] ?? "")[3], '{"a":1}');
});
