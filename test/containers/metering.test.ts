// Bounds of a container: attacks on work, memory and stack of the shell that runs its script.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import { typedInput } from "../../worker/containers/shell/input.ts";
import { Files } from "../../worker/containers/shell/files.ts";
import { emptyWorld, nobodyKnown } from "../../worker/containers/shell/process.ts";
import { type Start, trace } from "../../worker/containers/shell/trace.ts";

const MiB = 1024 * 1024;
const forever = Number.POSITIVE_INFINITY;

function run(script: string, more: Partial<Start> = {}) {
  const bugs: unknown[] = [];
  const report = (error: unknown) => bugs.push(error);
  const execution = trace({ words: ["sh", "-c", script], startMs: 0, untilMs: forever, report, ...more });
  expect(bugs).toEqual([]);
  const printed = (stream: string) =>
    execution.chunks
      .filter((chunk) => chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join("");
  return { ...execution, out: printed("stdout"), err: printed("stderr") };
}

/** Returns the given number of files in one folder. */
function manyFiles(count: number): Files {
  const entry = { text: "x", mode: 0o644, changedMs: 0 };
  return new Files(Array.from({ length: count }, (_, at) => [`/data/f${at}`, entry]));
}

const killed = { exitCode: 137, oom: true };

describe("N1: memory", () => {
  test.each([
    ["a variable that doubles", "x=0123456789; while [ 1 ]; do x=$x$x; done"],
    ["a width", "printf '%1000000000s'"],
    ["an invalid width", `printf '%${"9".repeat(400)}s'`],
    ["a command's output", "x=$(printf '%3000000s' a)$(printf '%3000000s' a)"],
    ["a loop's output", "x=$(while [ 1 ]; do printf '%10000s' a; i=$((i+1)); done)"],
    ["a loop's output into a pipe", "while [ 1 ]; do printf '%10000s' a; i=$((i+1)); done | cat"],
    ["a pipe", "{ printf '%3000000s' a; printf '%3000000s' a; } | cat"],
    ["many variables", "set -- $(printf '%3000s' | tr ' ' a); while [ 1 ]; do i=$((i+1)); eval v$i=$1; done"],
    ["a list", "a=($(printf '%1500000s' a | tr ' ' '\\n') {1..60000})"],
    ["arguments of nested calls", 'f() { f "$1$1"; }; f 0123456789'],
    ["a variable of each subshell", "f() { (x=$(printf '%100000s' a$1); f a$1); }; f 1"],
    ["braces", "echo {1..200}{1..200}{1..200}"],
    ["a background job", "(x=0123456789; while [ 1 ]; do x=$x$x; done) & sleep 3; echo never"],
    ["a program in Python", "python3 -c 's = \"0123456789\"\nfor i in range(100):\n  s = s + s'"],
    ["a format in Python", 'python3 -c \'s = "0123456789"\nfor i in range(100):\n  s = f"{s}{s}"\''],
    ["a script", `false && { ${"a b c d e;".repeat(9_000)} }`],
    ["a file", "printf '%1500000s' > /a; cat /a /a /a /a >> /b; cat /b >> /c"],
  ])("for %s is counted, and the container ends when none is left", (_, script) => {
    expect(run(script, { work: 1e6 }).end).toMatchObject(killed);
  });

  test("is limited by the container's limit, up to the bound of all containers", () => {
    const ends = (bytes: number, memoryLimit?: number) =>
      run(`x=$(printf '%${bytes}s' a)`, { memoryLimit, work: 1e6 }).end?.oom;
    expect([ends(MiB / 4, MiB), ends(2 * MiB, MiB)]).toEqual([false, true]);
    expect([ends(MiB, 1024 * MiB), ends(MiB), ends(5 * MiB, 1024 * MiB), ends(5 * MiB)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    // One that no shell could start with.
    expect(ends(1000, 1)).toBe(false);
  });

  test("is released when values are overwritten, unset, piped or left in a subshell", () => {
    const rounds = (body: string) => run(`for i in 1 2 3 4 5 6 7 8; do ${body}; done; echo done`, { work: 1e6 });
    for (const body of [
      "x=$(printf '%1000000s' a)",
      "x=$(printf '%1000000s' a); unset x",
      "printf '%1000000s' a | cat > /dev/null",
      "(x=$(printf '%1000000s' a); y=1)",
      "X=$(printf '%1000000s' a) true",
      "f() { :; }; f $(printf '%1000000s' a)",
    ]) {
      expect(rounds(body).out).toBe("done\n");
    }
  });

  test("is counted anew for a variable that a subshell overwrites", () => {
    const set = (letter: string) => `x=$(printf '%1500000s' ${letter}); `;
    expect(run(`${set("a")}(${set("b")}:)`, { work: 1e6 }).end?.oom).toBe(false);
    expect(run(`${set("a")}(${set("b")}(${set("c")}:))`, { work: 1e6 }).end?.oom).toBe(true);
  });

  test("includes environment, arguments and mounted files from the start", () => {
    const text = "x".repeat(3 * MiB);
    const file = [`/c`, { text, mode: 0o644, changedMs: 0 }] as const;
    const starts = (more: Partial<Start>) => run("true", more).end?.oom;
    expect(starts({ environment: { A: text }, files: new Files([file]) })).toBe(false);
    expect(starts({ environment: { A: text, B: text }, files: new Files([file]) })).toBe(true);
    expect(starts({ words: ["true", text, text, text] })).toBe(true);
  });

  test("ends the container at the moment when a background job exceeds it, and the rest continues until then", () => {
    const { out, end } = run("(sleep 5; printf '%1000000000s') & while [ 1 ]; do echo on; sleep 1; done", {
      prints: true,
    });
    expect(out).toBe("on\n".repeat(6));
    expect(end).toMatchObject({ atMs: 5000, ...killed });
    expect(run("(sleep 5; printf '%1000000000s') & sleep 2; exit 3").end).toMatchObject({ atMs: 2000, exitCode: 3 });
  });

  test("keeps the newest lines of a log", () => {
    const script = "i=0; while [ $i -lt 60 ]; do i=$((i+1)); printf '%100000s\\n' $i; sleep 1; done";
    const { chunks, end } = run(script, { work: 1e6 });
    expect(end?.exitCode).toBe(0);
    expect(chunks.at(-1)?.text.trim()).toBe("60");
    const bytes = chunks.reduce((sum, { text }) => sum + text.length, 0);
    expect(bytes).toBeLessThanOrEqual(limits.containerLogBytes);
    expect(bytes).toBeGreaterThan(limits.containerLogBytes / 4);
  });
});

const dash = new Set(["apt-get", "sh", "dash", "bash", "cat", "echo", "xargs"]);
const recursion = "sh: 1: Maximum function recursion depth (1000) reached\n";

describe("N1: the stack", () => {
  test.each([
    ["f() { f; }; f", 139, ""],
    ["f() { echo $(f); }; f", 139, ""],
    ["f() { f | f; }; f", 139, ""],
    ["f() { if f; then :; fi; }; f", 139, ""],
    ["f() { for i in 1 2; do f; done; }; f", 139, ""],
    ["f() { echo ${x:-$(f)}; }; f", 139, ""],
    ["f() { timeout 5 eval f; }; f", 139, ""],
    [`x='eval "$x"'; eval "$x"`, 139, ""],
    ["echo '. /tmp/s' > /tmp/s; . /tmp/s", 139, ""],
    ["echo /tmp/s > /tmp/s; /tmp/s", 139, "Segmentation fault\n"],
    [`${"$(".repeat(3_000)}${")".repeat(3_000)}`, 139, ""],
    [`${"( ".repeat(20_000)}:${")".repeat(20_000)}`, 139, ""],
    [`${"{ ".repeat(20_000)}:${";}".repeat(20_000)}`, 139, ""],
    [`${"if :; then ".repeat(20_000)}:${";fi".repeat(20_000)}`, 139, ""],
    [`${"while :; do ".repeat(20_000)}:${";done".repeat(20_000)}`, 139, ""],
    [`${"case x in x) ".repeat(20_000)}:`, 139, ""],
    [`echo ${"${x:-".repeat(20_000)}`, 139, ""],
    [`echo ${'"$(echo '.repeat(3_000)}`, 139, ""],
    [`echo $((${"(".repeat(9_000)}1${")".repeat(9_000)}))`, 139, ""],
    [`echo $((${"- ".repeat(9_000)}1))`, 139, ""],
    [`echo $((${"1?".repeat(9_000)}1))`, 139, ""],
    [`[ ${"! ".repeat(9_000)}x ]`, 139, ""],
    [`[ ${"\\( ".repeat(9_000)}x ]`, 139, ""],
    [`${"f() ".repeat(9_000)}:`, 139, ""],
    ["(".repeat(20_000), 2, "sh: syntax error: missing '))'\n"],
  ])("%.40s ends with %d", (script, exitCode, err) => {
    expect(run(script)).toMatchObject({ end: { exitCode, oom: false }, err });
  });

  test("in dash, counts function calls and reports that there are too many", () => {
    const programs = dash;
    expect(run("f() { f; }; f; echo after", { programs })).toMatchObject({
      end: { exitCode: 2 },
      err: recursion,
      out: "",
    });
    expect(run('x=\'eval "$x"\'; eval "$x"', { programs })).toMatchObject({ end: { exitCode: 139 }, err: "" });
    expect(run("", { words: ["bash", "-c", "f() { f; }; f"], programs })).toMatchObject({
      end: { exitCode: 139 },
      err: "",
    });
  });

  test("ends an inner shell alone, and the outer shell reports its end", () => {
    expect(run("sh -c 'f() { f; }; f'; echo $?")).toMatchObject({ out: "139\n", err: "Segmentation fault\n" });
    expect(run("sh -c 'f() { f; }; f'; echo $?", { programs: dash })).toMatchObject({ out: "2\n", err: recursion });
    expect(run("f() { f; }; f & sleep 1; echo on")).toMatchObject({ out: "on\n", end: { exitCode: 0 } });
  });

  test("ends shells that start each other without end", () => {
    for (const [script, code] of [
      ["echo 'sh /tmp/s' > /tmp/s; sh /tmp/s", 139],
      ["echo 'echo a | xargs sh /tmp/s' > /tmp/s; sh /tmp/s", 123],
    ] as const) {
      expect(run(script).end?.exitCode).toBe(code);
    }
  });

  test("ends a fork bomb with its first process, as a container does", () => {
    for (const script of [":() { :|:& }; :", "b() { b | b & }; b", "b() { b & b & }; b"]) {
      const { end, err } = run(script, { work: 1e6 });
      expect(end).toMatchObject({ exitCode: 0 });
      expect(err).toContain("fork: Resource temporarily unavailable\n");
    }
    expect(run("b() { b | b & }; b", { programs: dash, work: 1e6 }).err).toContain("sh: 1: Cannot fork\n");
  });

  test("allows recursion of a usual depth", () => {
    expect(run("f() { [ $1 -le 1 ] && echo 1 && return; echo $(( $1 * $(f $(($1-1))) )); }; f 10").out).toBe(
      "3628800\n",
    );
    expect(run("f() { [ $1 = 60 ] && echo end && return; f $(($1+1)); }; f 0").out).toBe("end\n");
  });
});

describe("N1: work", () => {
  test("grows with the number of files for a command that reads folders", () => {
    const work = (count: number, script: string) => run(script, { files: manyFiles(count), work: 1e6 }).work;
    for (const script of [
      "find / > /dev/null",
      "ls -R /data > /dev/null",
      "ls -l /data > /dev/null",
      "echo /data/* > /dev/null",
    ]) {
      const [few, many] = [work(2_000, script), work(20_000, script)];
      expect(many, script).toBeGreaterThan(5_000);
      expect(many / few, script).toBeGreaterThan(8);
      expect(many / few, script).toBeLessThan(14);
    }
    const { isSpent, end } = run("while [ 1 ]; do find /; i=$((i+1)); done", { files: manyFiles(20_000) });
    expect({ isSpent, end }).toEqual({ isSpent: true, end: undefined });
  });

  test("grows with a large folder's names once a file in it was shared with a job", () => {
    const work = (script: string) => run(script, { files: manyFiles(20_000), work: 1e6 }).work;
    const [alone, again] = [work("echo > /data/a"), work("echo > /data/a; echo > /data/b")];
    expect(alone).toBeGreaterThan(1_000);
    expect(again - alone).toBeLessThan(20);
    expect(work("echo > /data/a; : & echo > /data/b") - alone).toBeGreaterThan(1_000);
  });

  test("grows with the number of short lines", () => {
    const work = (text: string) => {
      const files = new Files([["/a", { text, mode: 0o644, changedMs: 0 }]]);
      return run("sort /a > /dev/null; grep -c b /a; uniq /a > /dev/null", { files, work: 1e6 }).work;
    };
    expect(work("a\n".repeat(30_000))).toBeGreaterThan(5 * work(`${"a".repeat(59_999)}\n`));
  });

  test("does not grow with files that a command does not read", () => {
    const script =
      "ls /tmp; test -d /tmp/a; cd /tmp; touch a/b; rm -r /tmp/a; mkdir -p x/y; cp -r x z; (echo a > b) & wait; echo t > /srv/n";
    const work = (count: number) => run(script, { files: manyFiles(count), work: 1e6 }).work;
    expect(Math.abs(work(20_000) - work(20))).toBeLessThan(1);
  });

  test.each([
    "cat /a > /b; true",
    "cat < /a > /b; true",
    "head -c 200000 /a",
    "head -n 9000 /a",
    "head -n -1 /a",
    "tail -n 9000 /a",
    "tail -c 200000 /a",
    "wc /a",
    "sort /a",
    "sort -u /a",
    "sort -n /a",
    "uniq /a",
    "rev /a",
    "cut -c1-3 /a",
    "cut -d1 -f1,2 /a",
    "tr 1 2 < /a",
    "tr -d 1 < /a",
    "grep 1 /a",
    "grep -c 9 /a",
    "sed s/1/2/ /a",
    "awk '{print $1}' /a",
    "base64 /a",
    "tee /b < /a",
    "cat /a | cat",
    "x=$(cat /a)",
    "x=$(cat /a); echo $x",
    "x=$(cat /a); echo ${x#1}",
    "tar c /a",
    "xargs echo < /a",
    "sh /a",
    ". /a",
    'eval "$(cat /a)"',
    'read x < /a; echo "$(cat /a)" | while read y; do :; done',
    "stat /a",
  ])("%s costs in proportion to the text", (command) => {
    const work = (lines: number) => {
      const text = Array.from({ length: lines }, (_, at) => `${at} abcdefgh\n`).join("");
      const files = new Files([["/a", { text, mode: 0o644, changedMs: 0 }]]);
      return run(`${command} > /dev/null 2>&1`, { files, work: 1e7, untilMs: 1e6 }).work;
    };
    const [few, many] = [work(500), work(5_000)];
    expect(many - few).toBeGreaterThan(20);
    expect(many / few).toBeGreaterThan(1.5);
  });

  test.each([
    ["commands", "i=0; while [ $i -ge 0 ]; do i=$((i+1)); done"],
    ["lines", "seq 1 1000000000"],
    ["rounds", "for i in $(seq 1 1000000000); do :; done"],
    ["words", "echo {1..1000000000}"],
    ["fields", "echo a | cut -f1-1000000000; while [ 1 ]; do i=$((i+1)); done"],
    ["pings", "ping -c 1000000000 127.0.0.1"],
    ["arguments", "set -- $(seq 1 50000); while [ $# -gt 0 ]; do shift; done"],
    ["jobs", "while [ 1 ]; do i=$((i+1)); sleep $i & done"],
    ["files", "while [ 1 ]; do i=$((i+1)); echo > /tmp/$i; done"],
    ["nested folders", "d=; while [ 1 ]; do d=$d/a; mkdir -p $d; done"],
    ["versions of a file", "while [ 1 ]; do i=$((i+1)); printf '%10000s' $i > /tmp/a; done"],
    [
      "rounds in Python",
      "python3 -c 'for i in range(10000):\n for j in range(10000):\n  for k in range(10000):\n   x = 1'",
    ],
    ["brackets in Python", `python3 -c 'print(${"(".repeat(9_000)}1${")".repeat(9_000)})'`],
    ["digits", "while [ 1 ]; do i=$((i+1)); perl -e 'print bpi(5000)'; done"],
    ["programs that start programs", `${"env ".repeat(9_000)}true`],
    ["retries", "curl --retry 1000000000 --retry-all-errors --retry-delay 0 nope"],
  ])("stops at its bound, or the container ends, for endless %s", (_, script) => {
    const { work, isSpent, end } = run(script);
    expect(work).toBeLessThanOrEqual(limits.containerWork);
    expect(isSpent || end?.oom).toBe(true);
  });

  test("grows with the text that is appended to a file, and a long log is followed", () => {
    const { edits, work } = run("for i in {1..1000}; do echo line $i >> /log; sleep 1; done");
    expect(work).toBeLessThan(10_000);
    expect(edits).toHaveLength(1000);
    expect(edits.every(({ text = "" }) => text.length < 20)).toBe(true);
  });

  test("keeps the output that a script printed before it ran out, also from pipes and jobs", () => {
    const endless = "while [ $((i=i+1)) -gt 0 ]; do :; done";
    expect(run(`echo first; ${endless}`).out).toBe("first\n");
    expect(run(`{ echo first; ${endless}; } | cat`).out).toBe("first\n");
    expect(run(`(echo first; ${endless}) & sleep 1; echo never`).out).toBe("first\n");
  });

  test("continues after an interrupted runaway, as often as work is left for it", () => {
    const rounds = 8;
    const pieces = Array.from({ length: rounds }, () => [
      "while [ $((i=i+1)) -gt 0 ]; do :; done\n",
      "\u0003",
      "echo on\n",
    ]);
    const typed = pieces.flat().map((text, at) => ({ atMs: at * 1e6, text }));
    const input = typedInput({ typed, hasEnded: true, isTerminal: true });
    const { chunks, work } = trace({ words: ["sh"], startMs: 0, untilMs: 1e9, interactive: true, input });
    const on = chunks.filter(({ text }) => text === "on\n").length;
    expect(on).toBeGreaterThan(1);
    expect(on).toBeLessThan(rounds);
    expect(work).toBeLessThanOrEqual(limits.containerWork + limits.interruptedWork);
  });
});

describe("N2: a bug in a program", () => {
  const start = { words: ["nslookup", "db"], startMs: 0, untilMs: forever };
  const failing = (error: Error) => ({
    ...emptyWorld,
    service: () => {
      throw error;
    },
  });

  test("ends the container with a crash while it is followed, and is reported", () => {
    const bugs: unknown[] = [];
    const bug = new TypeError("a bug");
    const { end } = trace({ ...start, self: nobodyKnown, world: failing(bug), report: (error) => bugs.push(error) });
    expect(end).toMatchObject({ exitCode: 139, oom: false });
    expect(bugs).toEqual([bug]);
  });

  test("is not confused with a pending call to the outside", () => {
    expect(() => trace({ ...start, world: failing(new PendingCalls([])) })).toThrow(PendingCalls);
  });
});
