import assert from "node:assert/strict";
import { test } from "node:test";
import { type Cancellation, PageCancellation } from "../../src/core/cancellation.ts";

/** Returns the events of a sequence of calls, which must be the same for both kinds of cancellation. */
function eventsOf(cancellation: Cancellation, abort: () => void): readonly unknown[] {
  const log: unknown[] = [];
  const createListener = (name: string) => () => log.push([name, cancellation.aborted]);
  const [first, gone, second] = [createListener("first"), createListener("gone"), createListener("second")];
  for (const listener of [first, gone, second]) cancellation.addEventListener("abort", listener);
  cancellation.removeEventListener("abort", gone);
  log.push(cancellation.aborted, cancellation.reason);
  cancellation.throwIfAborted();
  abort();
  abort();
  cancellation.addEventListener("abort", createListener("late"));
  abort();
  const { reason } = cancellation;
  assert.ok(reason instanceof DOMException);
  assert.throws(
    () => cancellation.throwIfAborted(),
    (error) => error === reason,
  );
  return [...log, cancellation.aborted, reason.name, reason.message];
}

test("PageCancellation calls its listeners as an AbortSignal does", () => {
  const [page, node] = [new PageCancellation(), new AbortController()];
  const expected = eventsOf(node.signal, () => node.abort());
  assert.deepEqual(
    eventsOf(page, () => page.abort()),
    expected,
  );
  assert.deepEqual(expected, [false, undefined, ["first", true], ["second", true], true, "AbortError", reasonText]);
});

const reasonText = "This operation was aborted";
