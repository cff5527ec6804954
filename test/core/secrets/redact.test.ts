import assert from "node:assert/strict";
import { test } from "node:test";
import { Secrets } from "../../../src/core/secrets/redact.ts";
import { printable } from "../../../src/core/text/printable.ts";
import { encoded, randomSecret } from "../../helpers/encodings.ts";
import { forSeeds } from "../../helpers/seeds.ts";

const secretsOf = (...texts: string[]): Secrets => {
  const secrets = new Secrets();
  for (const text of texts) secrets.add(text);
  return secrets;
};

test("a secret is masked in plain text, percent-, form-, JSON- and base64-encoded", () => {
  const secret = 'pa ss/ž&%"?+';
  const secrets = secretsOf(secret);
  const percent = encodeURIComponent(secret);
  const forms = {
    raw: secret,
    percent,
    lower: percent.toLowerCase(),
    form: new URLSearchParams({ secret }).toString().slice("secret=".length),
    json: JSON.stringify(secret).slice(1, -1),
    base64: Buffer.from(secret).toString("base64"),
    base64url: Buffer.from(secret).toString("base64url"),
  };
  for (const [name, form] of Object.entries(forms)) assert.equal(secrets.mask(`<${form}>`), "<***>", name);
});

test("a secret within the base64 of a longer text is masked at every alignment", () => {
  const secrets = secretsOf("correct horse battery");
  for (const before of ["", "a", "ab", "abc", "user:"]) {
    const text = Buffer.from(`${before}correct horse battery!`).toString("base64");
    const masked = secrets.mask(text);
    assert.ok(masked.includes("***"), before);
    assert.ok(!Buffer.from(masked.replace("***", "AAAA"), "base64").toString().includes("horse"), before);
  }
});

test("a short secret is masked only as the whole value of a parameter", () => {
  const secrets = secretsOf("7", "ab");
  assert.equal(secrets.mask("page 7: ?pin=7&x=ab&y=abc 700"), "page 7: ?pin=***&x=***&y=abc 700");
});

test("if one secret begins with the other, the longer one is masked; adjacent secrets are both masked", () => {
  const secrets = secretsOf("token", "token-of-two");
  assert.equal(secrets.mask("token-of-two token tokentoken"), "*** *** ******");
});

test("empty text is no secret, and a text without secrets is unchanged", () => {
  const secrets = secretsOf("", "     ");
  assert.equal(secrets.mask("anything     else"), "anything     else");
  assert.equal(secrets.holds("anything"), false);
  secrets.add("anything");
  assert.equal(secrets.holds("some anything"), true);
});

test("passing secrets are forgotten after thousands of others, and lasting secrets never are", () => {
  const secrets = secretsOf("lasting-secret");
  for (let index = 0; index < 6000; index += 1) secrets.add(`passing-${index}-secret`, true);
  assert.equal(secrets.mask("passing-5999-secret lasting-secret"), "*** ***");
  assert.equal(secrets.mask("passing-5000-secret"), "***");
  assert.equal(secrets.holds("passing-1-secret"), false);
});

test("fewer long passing secrets are remembered than short ones, and a secret that is used again stays", () => {
  const secrets = new Secrets();
  const token = (index: number) => `token-${index}-${"x".repeat(8000)}`;
  for (let index = 0; index < 500; index += 1) {
    secrets.add(token(index), true);
    secrets.add("in-use-all-along", true);
  }
  assert.equal(secrets.mask(`${token(499)} ${token(440)} in-use-all-along`), "*** *** ***");
  assert.equal(secrets.holds(token(1)), false);
});

test("random secrets in random texts are always masked", async () => {
  await forSeeds(700, (random, seed) => {
    const word = () => Array.from({ length: random.between(4, 12) }, () => random.pick([..."ab%=&ž+/"])).join("");
    const words = Array.from({ length: random.between(1, 5) }, word);
    const secrets = secretsOf(...words);
    const text = Array.from({ length: random.between(1, 8) }, () =>
      random.oneIn(2) ? random.pick(words) : word(),
    ).join("");
    const masked = secrets.mask(text);
    for (const secret of words) assert.ok(!masked.includes(secret), `seed ${seed}: ${secret} in ${masked}`);
  });
});

test("the beginning of a secret is masked before the dots of a cut text, and nowhere else", () => {
  const secrets = secretsOf("correct horse / battery", "users-key", "dots...in it");
  assert.equal(secrets.mask('begins with "x=correct hor..." (status 200)'), 'begins with "x=***..." (status 200)');
  assert.equal(secrets.mask("?a=correct%20horse%20%2..."), "?a=***...");
  assert.equal(secrets.mask("GET /users"), "GET /users");
  assert.equal(secrets.mask("corrupt..."), "corrupt...");
  assert.equal(secrets.mask("a dots... b dots...in... c dots...in it"), "a ***... b ***... c ***");
  assert.equal(secrets.holds("correct hor..."), false);
});

test("the base64 of a secret is masked if it is cut within an escape", () => {
  const secrets = secretsOf("correct horse>>battery>> staple");
  // "correct horse>" in base64. The next character is a plus sign, which some APIs write as an escape in JSON.
  const base64 = "Y29ycmVjdCBob3JzZT4";
  for (const plus of ["\\u002B", "\\\\u002B"]) {
    for (let length = 0; length <= plus.length; length += 1) {
      const text = base64 + plus.slice(0, length);
      for (const masked of [secrets.mask(`${text}...`), secrets.mask(text, { isCut: true })]) {
        assert.match(masked, /^\*\*\*[\\\w]{0,7}(\.\.\.)?$/, text);
        assert.ok(!masked.includes("Y29y"), text);
      }
    }
  }
});

test("a secret with control characters is masked in the form that messages have", () => {
  const secret = '-----BEGIN\nKEY"\n-----';
  const secrets = secretsOf(secret);
  const echoed = JSON.stringify({ body: JSON.stringify({ secret }) });
  for (const text of [printable(secret), echoed]) {
    assert.ok(secrets.mask(text).includes("***") && !secrets.mask(text).includes("KEY"), secrets.mask(text));
  }
});

test("a secret that contains half a character is masked, also with U+FFFD instead of it", () => {
  const secrets = secretsOf("half \ud83d a character");
  for (const text of ["half \ud83d a character", Buffer.from("half \ud83d a character").toString()]) {
    assert.equal(secrets.mask(`<${text}>`), "<***>");
  }
});

test("a secret is found under any chain of encodings", async () => {
  await forSeeds(5000, (random, seed) => {
    const secret = randomSecret(random);
    const secrets = secretsOf(secret);
    const { text, from, to, chain } = encoded(secret, random);
    const spans = secrets.spans(text);
    const covered = spans.some((span) => span.from <= from && span.to >= to);
    assert.ok(
      covered,
      `seed ${seed}: ${JSON.stringify(secret)} by ${chain} in ${text}: ${JSON.stringify([from, to, spans])}`,
    );
  });
});

test("a secret in an address from the API is masked, but is sent to that address", () => {
  const secrets = secretsOf("configured-1");
  secrets.addCarried("signature-1");
  assert.equal(secrets.mask("?sig=signature-1&key=configured-1"), "?sig=***&key=***");
  assert.ok(secrets.holds("signature-1"));
  assert.deepEqual(secrets.spans("signature-1 configured-1", { carried: false }), [{ from: 12, to: 24 }]);
  // A configured value stays a secret wherever it appears.
  secrets.addCarried("configured-1");
  assert.equal(secrets.spans("configured-1", { carried: false }).length, 1);
});

for (const [title, secret, text, masked] of [
  ["with white space around it", "  padded-secret\n", "of padded-secret here", "of *** here"],
  [
    "with control characters, in the form in which it is printed",
    "begin\u0001\u2028end",
    printable("x begin\u0001\u2028end y"),
    "x *** y",
  ],
  ["with a tab and an empty parameter, in the form that it has in an address", "abc\tdef&&ghi", "/abcdef&ghi", "/***"],
  ["with a `#`, in an address without its fragment", "abcdefgh#rest", "https://a/abcdefgh", "https://a/***"],
  ["that begins with characters of the escape before it", "41bc/def ghi", "%41bc%2Fdef%20ghi!", "%41***!"],
  ["that consists of escapes", "%41%42", "x=%2541%2542;", "x=***;"],
] as const) {
  test(`a secret ${title} is masked`, () => {
    const secrets = new Secrets();
    secrets.add(secret);
    assert.equal(secrets.mask(text), masked);
  });
}

test("if a passing secret contains a lasting one, or a lasting secret a passing one, the longer one is masked", () => {
  for (const [inner, outer] of [
    [true, false],
    [false, true],
  ]) {
    const secrets = new Secrets();
    secrets.add("abcdefgh", outer);
    secrets.add("cdef", inner);
    assert.equal(secrets.mask("abcdefgh!"), "***!");
  }
});

test("a text with more levels of encoding than real texts have is not shown", () => {
  const secrets = new Secrets();
  secrets.add("s3cret-token");
  let text = "nothing to hide in here, but who is to know ".repeat(20);
  for (let times = 0; times < 7; times += 1) text = Buffer.from(text).toString("base64");
  // The text is searched at every depth, both as it is and decoded.
  const masked = secrets.mask(`%41 ${text} y`);
  assert.ok(masked.length < 100, masked);
});

test("the base64 of two secrets of different lengths is masked at every alignment", () => {
  const both = ["a-much-longer-secret-than-the-other-one", "k3y-x"];
  const secrets = new Secrets();
  for (const secret of both) secrets.add(secret);
  for (const secret of both) {
    for (let before = 0; before < 3; before += 1) {
      for (let behind = 0; behind < 3; behind += 1) {
        const bytes = Buffer.from(`${"~".repeat(before)}${secret}${"~".repeat(behind)}`).toString("base64");
        for (const text of [bytes, bytes.replace(/=+$/, ""), `key ${bytes} end`]) {
          assert.ok(secrets.holds(text), text);
          assert.match(secrets.mask(text), /\*\*\*/);
        }
      }
    }
  }
});
