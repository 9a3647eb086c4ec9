// The small Python programs of examples.
import { expect, test } from "vitest";
import { trace } from "../../worker/node/shell/trace.ts";

function run(code: string, environment: Record<string, string> = {}) {
  const found = trace({ words: ["python3", "-c", code], startMs: 0, untilMs: 60_000, environment, unknown: "ends" });
  return { out: found.chunks.map((one) => one.text).join(""), end: found.end };
}

test.each([
  ["0", 1],
  ["1", 0],
  ["4", 1],
])("an index of a Job decides how it ends: %s exits %i", (index, exitCode) => {
  const code = `import os, sys
print("Hello world")
if int(os.environ.get("JOB_COMPLETION_INDEX")) % 2 == 0:
  sys.exit(1)
`;
  expect(run(code, { JOB_COMPLETION_INDEX: index })).toMatchObject({ out: "Hello world\n", end: { exitCode } });
});

test("else, and, names, texts with values in them", () => {
  const code = `
import os
n = 3
who = os.getenv("WHO", "nobody")
if n > 5 and who == "nobody":
    print("never")
elif who != "nobody" or n == 3:
    print(f"{who} has {n + 1}")
else:
    print("never")
`;
  expect(run(code).out).toBe("nobody has 4\n");
});

test("loops take their time; what never ends is not told for ever", () => {
  expect(run("import time\nfor i in range(3):\n  print(i, flush=True)\n  time.sleep(2)")).toMatchObject({
    out: "0\n1\n2\n",
    end: { atMs: 6000, exitCode: 0 },
  });
  expect(run("while True: pass").end).toBeUndefined();
  expect(run("import time\nwhile True:\n  print('x')\n  time.sleep(10)").out).toMatch(/^(x\n){6,7}$/);
  expect(run("print('a'); import sys; sys.exit(3)")).toMatchObject({ out: "a\n", end: { exitCode: 3 } });
});
