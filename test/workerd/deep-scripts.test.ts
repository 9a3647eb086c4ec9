// Scripts as deep as they may be fit on the stack that workerd gives, whatever they consist of.
import { expect, test } from "vitest";
import { trace } from "../../worker/containers/shell/trace.ts";

test.each([
  "f() { f; }; f",
  "f() { if true; then { ( f; ); }; fi; }; f",
  "f() { for i in 1 2; do f; done; }; f",
  "f() { echo ${x:-$(f)}; }; f",
  "f() { echo $(( $(f) + 1 )); }; f",
  "f() { a=($(f)); }; f",
  "f() { f | f; }; f",
  "f() { time nohup nice env command timeout 5 f; }; f",
  "echo 'echo a | xargs sh /tmp/s' > /tmp/s; sh /tmp/s",
  "$(".repeat(3_000),
  `echo ${'"$(echo '.repeat(3_000)}`,
  "( ".repeat(20_000),
  "if ".repeat(20_000),
  `echo $((${"(".repeat(9_000)}1${")".repeat(9_000)}))`,
  `[ ${"\\( ".repeat(9_000)}x ]`,
  `echo ${"{a,b}".repeat(3_000)}`,
])("N1: deep nesting is bounded in %.40s", (script) => {
  const bugs: unknown[] = [];
  const report = (error: unknown) => bugs.push(error);
  const { end, isSpent } = trace({ words: ["sh", "-c", script], startMs: 0, untilMs: 1e6, report });
  expect(bugs).toEqual([]);
  // 123 is what xargs ends with where its command did not end well.
  expect(isSpent || [139, 123].includes(end?.exitCode ?? 0)).toBe(true);
});
