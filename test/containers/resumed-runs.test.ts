// A run that is advanced from moment to moment has done the same as one that is followed at once.
import { expect, test } from "vitest";
import { Run, type Start, type Trace, trace } from "../../worker/containers/shell/trace.ts";
import type { World } from "../../worker/containers/shell/process.ts";
import type { Reached } from "../../worker/containers/shell/contact.ts";
import { type Dice, diceOf } from "../simulation/dice.ts";
import { seeds } from "../simulation/seeds.ts";

const lastMs = 40_000;
const allWork = 100_000;

/** Draws a command. With little depth left, only commands without inner commands are drawn. */
function commandOf(dice: Dice, depth: number): string {
  const simple = () =>
    dice.choose(
      `echo "$x $(date +%s)"`,
      `sleep ${dice.below(9)}`,
      `sleep 0.${dice.below(10)}`,
      "x=$((x + 1))",
      `echo "$x" >> /tmp/${dice.choose("a", "b")}`,
      `cat /tmp/${dice.choose("a", "b")} 2>/dev/null`,
      `rm -f /tmp/${dice.choose("a", "b")}`,
      `timeout ${1 + dice.below(5)} sleep ${dice.below(9)} || echo "code $?"`,
      "wget -q -T 1 -O- http://10.0.0.9/ || echo lost",
      "nslookup web >/dev/null 2>&1 && echo there || echo absent",
      "wait; echo waited",
      "false || echo or",
      `test -f /tmp/a && echo file`,
      `echo one; sleep 1; echo two`,
      `read line || echo nothing`,
    );
  if (depth === 0) return simple();
  const inner = () => listOf(dice, depth - 1);
  return dice.choose(
    simple(),
    simple(),
    simple(),
    `(${inner()}) &`,
    `{ ${inner()}; } &`,
    `( ${inner()} )`,
    `y=$(${inner()}); echo "got $y"`,
    `{ ${inner()}; } | while read line; do echo "read $line"; sleep 0.${dice.below(9)}; done`,
    `{ ${inner()}; } | cat`,
    `{ ${inner()}; } > /tmp/b`,
    `for i in 1 2 3; do ${inner()}; done`,
    `i=0; while [ $i -lt ${1 + dice.below(6)} ]; do i=$((i + 1)); ${inner()}; done`,
    `until test -f /tmp/${dice.choose("a", "b")}; do ${inner()}; sleep 2; done`,
    `while true; do ${inner()}; sleep ${dice.choose("1", "0.3", "4")}; done`,
    `while true; do ${inner()}; sleep ${dice.choose("1", "0.3", "4")}; done &`,
    `f() { ${inner()}; }; f; f`,
    `trap 'echo term; exit 3' TERM; ${inner()}`,
    `timeout ${1 + dice.below(9)} sh -c '${listOf(dice, 0).replaceAll("'", '"')}'; echo "code $?"`,
    `tail -f /tmp/a`,
  );
}

function listOf(dice: Dice, depth: number): string {
  return Array.from({ length: 1 + dice.below(3) }, () => commandOf(dice, depth))
    .join("; ")
    .replaceAll("&;", "&");
}

/** A cluster whose server is available for some seconds of each twenty, and whose name exists after a while. */
const world: World = {
  service: (_namespace, name, atMs) =>
    name === "web" && atMs >= 17_000
      ? { sinceMs: 17_000, answersMs: 17_000, ports: [], addresses: ["10.0.0.9"], hosts: {} }
      : undefined,
  nextWriteMs: (afterMs) => (Math.floor(afterMs / 5000) + 1) * 5000,
  reach: ({ atMs, request }): Reached => {
    const validUntilMs = (Math.floor(atMs / 5000) + 1) * 5000;
    if (atMs % 20_000 < 5000) return { kind: "refused", validUntilMs };
    const answer = { status: 200, contentType: "text/plain", body: `hello ${request?.path ?? ""}\n` };
    return request ? { kind: "answered", answer, tookMs: 20, validUntilMs } : { kind: "open", validUntilMs };
  },
};

function startOf(script: string, dice: Dice): Start {
  return {
    words: ["sh", "-c", script],
    startMs: 0,
    untilMs: 0,
    world,
    prints: true,
    work: allWork,
    ...(dice.chance(0.3) ? { termMs: dice.below(lastMs) } : {}),
    outside: [{ atMs: 23_456, path: "/tmp/b", text: "outside\n" }],
  };
}

/** Returns the effects of the container until it ended, including its background jobs. */
function doneIn({ chunks, edits, end, ports, isSpent }: Trace): object {
  const isPast = (effect: { readonly atMs: number }) => end === undefined || effect.atMs <= end.atMs;
  return { chunks: chunks.filter(isPast), edits: edits.filter(isPast), end, ports: [...ports], isSpent };
}

/** Requires that a later run has the same file changes up to the earlier moment. */
function expectPrefix(before: Trace, after: Trace, atMs: number, script: string): void {
  const isPast = (effect: { readonly atMs: number }) => effect.atMs <= atMs;
  expect(after.edits.filter(isPast), script).toEqual(before.edits.filter(isPast));
}

test.each(seeds(8))("L5: seed %i: runs advanced in steps and at once have the same effects", (seed) => {
  const dice = diceOf(seed);
  for (let count = 0; count < 3; count++) {
    const script = `x=0; ${listOf(dice, 3)}`;
    const start = startOf(script, dice);
    const run = new Run(start);
    let before: Trace | undefined;
    for (let atMs = 0; atMs < lastMs; ) {
      const nextMs = Math.min(lastMs, atMs + dice.choose(1, 100, 700, 1000, 5000, 20_000) * (1 + dice.below(3)));
      const done = run.advance(nextMs);
      const once = trace({ ...start, untilMs: nextMs });
      // Where the work is spent depends on how far its jobs are followed before it.
      if (Math.max(done.work, once.work) >= allWork) break;
      expect(doneIn(done), `${script}\nat ${nextMs}`).toEqual(doneIn(once));
      if (before) expectPrefix(before, done, atMs, script);
      before = done;
      atMs = nextMs;
    }
  }
});

test("L5: a day of a loop with equal rounds leaves the same log and work in steps and at once", () => {
  const script = "while true; do date +%s; sleep 1; done";
  const start: Start = { words: ["sh", "-c", script], startMs: 0, untilMs: 0, prints: true };
  const dayMs = 86_400_000;
  const run = new Run(start);
  for (let atMs = 0; atMs < dayMs; atMs += 21_234_567) run.advance(atMs);
  const [stepped, once] = [run.advance(dayMs), trace({ ...start, untilMs: dayMs })];
  expect(doneIn(stepped)).toEqual(doneIn(once));
  expect(stepped.work).toBeCloseTo(once.work, -2);
});

test.each([
  ["the variables of its start", "x=1; (sleep 2; echo $x) & x=2; sleep 1; x=3; wait", ["1"]],
  ["the files of earlier jobs", "(sleep 2; echo a > /a) & (sleep 3; cat /a) & wait", ["a"]],
  [
    "as many calls as an uninterrupted job",
    "f() { [ $1 = 0 ] || f $(($1 - 1)); }; (sleep 2; f 40; echo done) & wait",
    ["done"],
  ],
])("L5: a job that is resumed has %s", (_, script, printed) => {
  const run = new Run({ words: ["sh", "-c", script], startMs: 0, untilMs: 0 });
  run.advance(1500);
  run.advance(2500);
  expect(run.advance(5000).chunks.map(({ text }) => text.trim())).toEqual(printed);
});
