import assert from "node:assert/strict";
import { test } from "node:test";
import { spileHere } from "../helpers/command.ts";

const baseUrl = "https://api.example.com/";

async function check(
  job: object,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const stdin = JSON.stringify({ api: { baseUrl }, config: { "#key": "a-secret-key", jobs: [job] } });
  return spileHere(["check", "-"], { stdin });
}

const create = { name: "create", endpoint: "exports", method: "POST" };
const poll = {
  name: "poll",
  endpoint: { function: "concat", args: ["exports/", { step: "create", path: "id" }] },
  until: { path: "status", is: ["done", 1] },
  every: "10s",
  timeout: 7200,
};
const job = { endpoint: { step: "poll", path: "urls" }, dataType: "x", steps: [create, poll] };

test("check describes steps in words", async () => {
  const { code, stdout, stderr } = await check(job);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.equal(
    stdout,
    'x\tGET {"step":"poll","path":"urls"}\tsteps create, poll (until "status" is "done" or 1, every 10s, at most 2 h); no paging\n',
  );
  const status = { ...poll, until: { status: [200, 303] }, every: undefined };
  const other = await check({ ...job, steps: [create, status] });
  assert.match(other.stdout, /poll \(until the status is 200 or 303, every 5 s, at most 2 h\)/);
});

test("plan prints the request of the first step, and cannot print one of a later page", async () => {
  const stdin = JSON.stringify({ api: { baseUrl }, config: { jobs: [job] } });
  const { stdout } = await spileHere(["plan", "-"], { stdin });
  const { request, step, method, url, body } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual([request, step, method, url, body], ["step", "create", "POST", `${baseUrl}exports`, "{}"]);
  const curl = await spileHere(["plan", "-", "--curl"], { stdin });
  assert.match(curl.stdout, /^# x, step create: steps create, poll/);
  const later = await spileHere(["plan", "-", "--page", "2"], { stdin });
  assert.equal(later.stdout, "");
  assert.match(later.stderr, /there is no page 2: steps create/);
});

test("faults of steps are reported before the first request, each with its place", async () => {
  const at = "/config/jobs/0";
  const rows: readonly (readonly [job: object, fault: string])[] = [
    [{ ...job, steps: [create, { ...create }] }, `${at}/steps/1/name: an earlier step has the name "create", too`],
    [
      { ...job, steps: [poll, create] },
      `${at}/steps/0/endpoint/args/1: step "create" comes later: only the answers to earlier steps can be read`,
    ],
    [
      { ...job, endpoint: { step: "pol", path: "urls" } },
      `${at}/endpoint: there is no step "pol", did you mean "poll"?`,
    ],
    [
      { ...job, params: { a: { step: "poll" } } },
      `${at}/params/a: to read step "poll", write {"step": "poll", "path": "a.b"}, or "header" instead of "path"`,
    ],
    [{ ...job, steps: [{ ...create, timeout: 5 }, poll] }, `${at}/steps/0/timeout: is only allowed with "until"`],
    [{ ...job, steps: [{ ...create, message: "a" }, poll] }, `${at}/steps/0/message: is only allowed with "failWhen"`],
    [
      { ...job, steps: [create, { ...poll, every: "soon" }] },
      `${at}/steps/1/every: must be seconds, or a time such as "90s", "15m" or "1 hour", not "soon"`,
    ],
    [{ ...job, steps: [create, { ...poll, every: 0 }] }, `${at}/steps/1/every: must be more than 0`],
    [
      { ...job, steps: [create, { ...poll, reuse: -1 }] },
      `${at}/steps/1/reuse: must be seconds, or a time such as "90s", "15m" or "1 hour", not -1`,
    ],
    [{ ...job, steps: [create, { ...poll, until: { is: 1 } }] }, `${at}/steps/1/until: "is" needs "header" or "path"`],
    [
      { ...job, steps: [create, { ...poll, failWhen: { path: "a", matches: "(" } }] },
      `${at}/steps/1/failWhen: "matches" is not a regular expression that runs in linear time: missing closing ): \`(\` (lookaround, backreferences and repeats above 1000 are not possible)`,
    ],
    [
      { ...job, steps: [{ ...create, endpoint: "ftp://x/" }, poll] },
      `${at}/steps/0/endpoint: must be a path or an address with http or https, not "ftp://x/"`,
    ],
    [{ ...job, steps: [{ endpoint: "a" }, poll] }, `${at}/steps/0: "name" is missing: a name`],
    [
      { ...job, steps: [{ ...create, headers: { "X-A": "a\nb" } }, poll] },
      `${at}/steps/0/headers/X-A: cannot be the value of a header: it holds a line break`,
    ],
    [
      { ...job, steps: [{ ...create, params: { a: { attr: "missing" } } }, poll] },
      `${at}/steps/0/params/a/attr: unknown setting "missing"; "config" has no such name`,
    ],
  ];
  for (const [wrong, fault] of rows) {
    const { code, stderr } = await check(wrong);
    assert.deepEqual([code, stderr.split("\n")[0]], [78, `error ${fault}`]);
  }
});

test("an object that looks like a reference to a step is plain data where no step can be read", async () => {
  for (const params of [{ a: { step: "create", path: "id" } }, { b: { step: 5 } }]) {
    const { code, stderr } = await check({ endpoint: "a", params });
    assert.deepEqual([code, stderr], [0, ""]);
  }
  const { code } = await check({ ...job, params: { a: { step: "create", more: 1 }, b: { step: 5 } } });
  assert.equal(code, 0);
});

test("text in a step's endpoint that looks like a variable or a placeholder is a warning", async () => {
  const { stderr } = await check({ endpoint: "a", steps: [{ name: "s", endpoint: `exports/{id}/\${NAME}` }] });
  assert.match(stderr, /^warning \/config\/jobs\/0\/steps\/0\/endpoint: "\{id\}" is sent as it is written/m);
  assert.match(stderr, /^warning \/config\/jobs\/0\/steps\/0\/endpoint: "\$\{NAME\}" is sent as it is written/m);
  const children = [
    { endpoint: "a", dataType: "b", placeholders: { id: "id" }, steps: [{ name: "s", endpoint: "x/{id}/{no}" }] },
  ];
  const child = await check({ endpoint: "a", children });
  assert.deepEqual(child.stderr.match(/^warning [^:]*: "[^"]*"/gm), [
    'warning /config/jobs/0/children/0/steps/0/endpoint: "{no}"',
  ]);
});
