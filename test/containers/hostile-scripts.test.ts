// Scripts made to explode, from a seed: every one of them is followed within its bounds, whatever it is.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { type Random, seededRandom } from "../../shared/base/random.ts";
import { Files } from "../../worker/containers/shell/files.ts";
import { type Start, trace } from "../../worker/containers/shell/trace.ts";

const MiB = 1024 * 1024;
/** The number of scripts, set by SANDBAR_HOSTILE_SCRIPTS. SANDBAR_HOSTILE_SEED selects them. */
const count = Number(process.env["SANDBAR_HOSTILE_SCRIPTS"] ?? 300);
const seed = Number(process.env["SANDBAR_HOSTILE_SEED"] ?? 1);

/** Collects garbage, so that only referenced memory is left. */
function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function oneOf<Value>(random: Random, values: readonly Value[]): Value {
  return values[Math.floor(random.next() * values.length)] as Value; // one of its own
}

/** Numbers that are too large, and some that are not. */
const sizes = [0, 1, 7, 40, 300, 2_000, 9_000, 60_000, 1_000_000, 1_000_000_000, 1e21];

function size(random: Random, most = Number.POSITIVE_INFINITY): number {
  return oneOf(
    random,
    sizes.filter((size) => size <= most),
  );
}

type Make = (random: Random, depth: number) => string;

const inner = (random: Random, depth: number) => scriptOf(random, depth - 1);
const nested = (random: Random, open: string, close: string, most = 9_000) => {
  const levels = size(random, most);
  return `${open.repeat(levels)}:${oneOf(random, [close.repeat(levels), ""])}`;
};

const makers: readonly Make[] = [
  (random) => `printf '%${size(random)}s'`,
  (random) => `printf '%0${size(random)}d\\n' $(seq 1 ${size(random)})`,
  (random) => `x=${"a".repeat(size(random, 9_000))}`,
  () => 'x="$x$x$x"',
  () => "x=$(echo $x $x)",
  () => 'x="$x b"; for y in $x; do x="$x $y"; done',
  (random) => `y=$(printf '%${size(random)}s' a)`,
  (random) => `set -- {1..${size(random)}}; shift ${size(random)}; echo $# "$@"`,
  (random) => `echo {a,b}{${"c,".repeat(size(random, 300))}d}{1..${size(random, 9_000)}}`,
  (random) => `for i in $(seq ${size(random)}); do echo $i $x; done`,
  (random) => `a=($(seq ${size(random, 60_000)})); echo \${a[@]} \${#a[@]} \${a[${size(random)}]}`,
  (random) => `seq ${size(random)} | sort -${oneOf(random, ["n", "r", "u"])} | uniq | rev | tr 0-9 a-j | wc`,
  (random) => `head -c ${size(random)} /tmp/a | base64 | cut -c1-${size(random)} | tail -n ${size(random)}`,
  () => "cat /tmp/a /tmp/a >> /tmp/a; tee -a /tmp/a < /tmp/a > /dev/null",
  () => "find / | xargs echo; ls -lR / /data /data; stat /data/*; echo /*/* /data/*",
  (random) => `i=0; while [ $i -lt ${size(random)} ]; do i=$((i+1)); echo $i > /tmp/f$i; done`,
  (random) => `i=0; while [ $i -lt ${size(random)} ]; do i=$((i+1)); (echo $i >> /tmp/a; sleep $i) & done; wait`,
  () => "cp -r /data /tmp/d$i; mv /tmp/d$i /tmp/e; rm -rf /tmp/e/f1; tar cf /tmp/t /data; tar xf /tmp/t -C /tmp",
  (random) => `mkdir -p ${"/a".repeat(size(random, 60_000))}; cd ${"../".repeat(size(random, 9_000))}`,
  () => "f() { f; }; f",
  () => 'f() { f "$1$1"; }; f ab',
  () => "f() { echo $(f) | f & }; f",
  () => "f() { case $1 in *) if f; then for i in 1 2; do f & done; fi;; esac; }; f",
  () => ":() { :|:& }; :",
  () => 'x=\'eval "$x"\'; eval "$x"',
  () => "echo '. /tmp/s; sh /tmp/s | sh /tmp/s' > /tmp/s; . /tmp/s",
  () => "trap 'trap; eval \"$x\"; exit' EXIT TERM; kill -TERM $$",
  (random) => nested(random, "$(", ")", 2_000),
  (random) => nested(random, "( ", ")"),
  (random) => nested(random, "{ ", ";}"),
  (random) => nested(random, "if ", ";then :;fi"),
  (random) => nested(random, "while :; do ", ";done"),
  (random) => nested(random, "f() ", ""),
  (random) => `echo ${nested(random, "${x:-", "}")}`,
  (random) => `echo ${nested(random, '"$(echo ', ')"', 2_000)}`,
  (random) => `echo $(( ${nested(random, "(", ")").replace(":", "1")} ))`,
  (random) => `echo $(( ${"1+2*3**".repeat(size(random, 9_000))}1, x=x*x+${size(random)} ))`,
  (random) => `[ ${oneOf(random, ["! ", "\\( "]).repeat(size(random, 9_000))}x ]`,
  (random) =>
    `${oneOf(random, ["env ", "eval ", "exec ", "command ", "timeout 9 ", "nohup "]).repeat(size(random, 9_000))}true`,
  (random) =>
    `${oneOf(random, ["a|", "a;", "a&&", "a&", "a\n", "'", '"', "`", "\\", "#", "<<E\n", ">", ";;"]).repeat(size(random, 9_000))}`,
  (random) => `cat <<E\n${"$(echo a) $x\n".repeat(size(random, 2_000))}E`,
  (random) => `python3 -c 's = "ab"\nfor i in range(${size(random)}):\n  s = s + s\n  print(f"{s}{i}")'`,
  (random) => `python3 -c 'print(${"(".repeat(size(random, 9_000))}1)\n${" if True:\n".repeat(size(random, 2_000))}'`,
  (random) => `perl -e 'print bpi(${size(random)})'; expr ${"1 + ".repeat(size(random, 9_000))}1`,
  (random) => `ping -c ${size(random)} 127.0.0.1; sleep ${size(random)}; timeout ${size(random)} ping 127.0.0.1`,
  (random) =>
    `curl --retry ${size(random)} --retry-all-errors nope; nc -z 127.0.0.1 1-${size(random)}; nslookup ${"a.".repeat(size(random, 300))}`,
  (random) =>
    `redis-cli set k "$x"; redis-cli ${"mget ".repeat(size(random, 300))}; awk '{print $1}' /tmp/a; grep -c a /tmp/a`,
  (random, depth) => `while [ $((i=i+1)) -gt 0 ]; do ${inner(random, depth)}; done`,
  (random, depth) => `while true; do ${inner(random, depth)}; sleep 1; done`,
  (random, depth) => `for k in 1 2 3; do ${inner(random, depth)}; done`,
  (random, depth) => `(${inner(random, depth)}) &`,
  (random, depth) => `{ ${inner(random, depth)}\n} | { ${inner(random, depth)}\n}`,
  (random, depth) => `z=$(${inner(random, depth)}\n)`,
  (random, depth) => `g() { ${inner(random, depth)}\n}; g; g`,
  (random, depth) => `${inner(random, depth)}\n${inner(random, depth)}\n${inner(random, depth)}`,
  (random, depth) => `sh -c '${inner(random, depth).replaceAll("'", "")}'; echo $?`,
];

function scriptOf(random: Random, depth: number): string {
  const simple = makers.length - 9;
  return oneOf(random, depth > 0 ? makers : makers.slice(0, simple))(random, depth);
}

const programs = [
  undefined,
  new Set("apt-get sh dash bash cat echo seq sort tr printf find xargs ls".split(" ")),
  undefined,
];

function startOf(random: Random, script: string, files: Files): Start {
  const environment = Object.fromEntries(
    Array.from({ length: Math.floor(random.next() * 200) }, (_, at) => [`V${at}`, "v"]),
  );
  const limit = oneOf(random, [undefined, undefined, MiB, 64 * MiB]);
  const prints = random.next() < 0.3;
  return {
    words: [oneOf(random, ["sh", "bash"]), "-c", script],
    startMs: 0,
    untilMs: oneOf(random, [Number.POSITIVE_INFINITY, 60_000, 1e9]),
    environment,
    files,
    memoryLimit: limit,
    programs: oneOf(random, programs),
    prints,
    work: prints ? limits.containerPrintWork : limits.containerWork,
  };
}

test(`N1: ${count} scripts built to explode each stay within their bounds of work and memory`, {
  timeout: 3_600_000,
}, () => {
  const text = "0123456789 abcdef\n".repeat(4_000);
  const entry = (text: string) => ({ text, mode: 0o644, changedMs: 0 });
  const files = new Files([
    ["/tmp/a", entry(text)],
    ...Array.from({ length: 3_000 }, (_, at) => [`/data/f${at}`, entry("x")] as const),
  ]);
  const bugs: string[] = [];
  const ends = new Set<string>();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < count; round++) {
    const random = seededRandom(seed * 1_000_003 + round);
    const script = scriptOf(random, 3);
    const start = startOf(random, script, files);
    const summary = `round ${round} of seed ${seed}: ${script.slice(0, 300)}`;
    const run = trace({ ...start, report: (error) => bugs.push(`${summary}\n${String(error)}`) });
    ends.add(run.isSpent ? "spent" : run.end ? `${run.end.exitCode}${run.end.oom ? " oom" : ""}` : "goes on");
    expect(run.work, summary).toBeLessThanOrEqual(start.work ?? 0);
    const bytes = (texts: readonly { readonly text: string | undefined }[]) =>
      texts.reduce((sum, scriptText) => sum + (scriptText.text?.length ?? 0), 0);
    expect(bytes(run.chunks), summary).toBeLessThanOrEqual(limits.containerLogBytes);
    expect(bytes(run.edits), summary).toBeLessThanOrEqual(limits.containerMemoryBytes + limits.containerHistoryBytes);
  }
  expect(bugs).toEqual([]);
  expect(files.names("/data")).toHaveLength(3_000);
  // All the ways there are, or the scripts are not what they should be.
  expect([...ends]).toEqual(expect.arrayContaining(["spent", "137 oom", "139", "0", "goes on"]));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(32 * MiB);
});
