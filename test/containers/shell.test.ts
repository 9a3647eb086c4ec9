// Shell scripts on simulated time: output, end and exit code.
import { describe, expect, test } from "vitest";
import { Files } from "../../worker/containers/shell/files.ts";
import { nobodyKnown } from "../../worker/containers/shell/process.ts";
import { trace, type Start } from "../../worker/containers/shell/trace.ts";

const forever = Number.POSITIVE_INFINITY;

function run(script: string, more: Partial<Start> = {}) {
  const execution = trace({ words: ["sh", "-c", script], startMs: 0, untilMs: forever, ...more });
  const printed = (stream: string) =>
    execution.chunks
      .filter((chunk) => chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join("");
  return { ...execution, out: printed("stdout"), err: printed("stderr") };
}

describe("words", () => {
  test.each([
    ["a=1; echo $a ${a} \"$a\" '$a'", "1 1 1 $a\n"],
    ["echo ${x:-none} ${x-} ${x:+set}; x=5; echo ${x:+set} ${#x}", "none\nset 1\n"],
    ["f=/a/b.tar.gz; echo ${f##*/} ${f%.*} ${f%%.*} ${f#/a/}", "b.tar.gz /a/b.tar /a/b b.tar.gz\n"],
    ["s=a-b-c; echo ${s/-/_} ${s//-/_} ${s:2:1}", "a_b-c a_b_c b\n"],
    ["echo $((1+2*3)) $(( (1+2)*3 % 5 )) $((7>3 && 0))", "7 4 0\n"],
    ["i=3; echo $((i++)) $((--i)) $i; i=$((i+1)); echo $i", "3 3 3\n4\n"],
    ["echo $(echo $(echo deep)) `echo back`", "deep back\n"],
    ["echo {1..3} a{x,y}b", "1 2 3 axb ayb\n"],
    ['set -- a "b c"; for x in "$@"; do echo $x; done; echo $# $1', "a\nb c\n2 a\n"],
    ["touch /tmp/a.log /tmp/b.log; echo /tmp/*.log /tmp/*.txt", "/tmp/a.log /tmp/b.log /tmp/*.txt\n"],
    ["cat <<EOF\nhello $((1+1))\nEOF\ncat <<'EOF'\n$x\nEOF", "hello 2\n$x\n"],
    ["echo one \\\n two", "one two\n"],
    ["items=(foo 'b c' baz)\ni=1; echo ${items[$i]} ${items[i+1]} $items ${#items[@]}", "b c baz foo 3\n"],
    ['items=(a b); for x in ${items[@]}; do echo "<$x>"; done', "<a>\n<b>\n"],
  ])("%s", (script, out) => {
    expect(run(script).out).toBe(out);
  });
});

describe("control", () => {
  test.each([
    ["false || echo no; true && echo yes; ! true || echo not", "no\nyes\nnot\n"],
    ["if [ 1 -gt 2 ]; then echo a; elif [ x = x ]; then echo b; else echo c; fi", "b\n"],
    ["case abc in x|y) echo 1;; a*) echo 2;; *) echo 3;; esac", "2\n"],
    ["for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done", "1\n3\n"],
    ["n=0; until [ $n -ge 2 ]; do n=$((n+1)); echo $n; done", "1\n2\n"],
    ["f() { echo in $1; return 4; }; f x; echo $?", "in x\n4\n"],
    ["(cd /tmp; x=1); echo ${x:-unset}", "unset\n"],
    ["echo 'a b\nc d' | while read x y; do echo $y $x; done", "b a\nd c\n"],
    ["[[ mysql-2 =~ -([0-9]+)$ ]] && echo ${BASH_REMATCH[1]}; [[ abc == a* && -d /tmp ]] && echo ok", "2\nok\n"],
    ["set -e; false || true; echo on; false; echo never", "on\n"],
    ["trap 'echo bye' EXIT; echo hi; exit 0", "hi\nbye\n"],
    ["x=$(exit 3); echo $?; eval 'echo ev'", "3\nev\n"],
  ])("%s", (script, out) => {
    expect(run(script).out).toBe(out);
  });

  test.each([
    ["exit 3", 3],
    ["false", 1],
    ["nope-not-found", 127],
    ["set -e; false; true", 1],
    ["echo 'unterminated", 2],
    ["cat /tmp/absent", 1],
  ])("%s exits %d", (script, exitCode) => {
    expect(run(script).end?.exitCode).toBe(exitCode);
  });
});

describe("text and files", () => {
  test.each([
    ["printf '%03d %s\\n' 7 x 8 y", "007 x\n008 y\n"],
    ["echo -n a; echo -e 'b\\tc'", "ab\tc\n"],
    ["echo 'b\na\nb' | sort | uniq | head -1", "a\n"],
    ["echo a:b:c | cut -d: -f2,3; echo hello | tr a-z A-Z | sed 's/L/l/g'", "b:c\nHEllO\n"],
    ["echo x > /tmp/f; echo y >> /tmp/f; wc -l < /tmp/f; grep -c y /tmp/f; tail -1 /tmp/f", "2\n1\ny\n"],
    [
      "mkdir -p /a/b; echo 1 > /a/b/c; cp -r /a /z; mv /z/b/c /tmp; rm -rf /a; ls /z /tmp; cat /tmp/c",
      "/z:\nb\n\n/tmp:\nc\n1\n",
    ],
    ["seq 2 4; basename /a/b.sh .sh; dirname /a/b", "2\n3\n4\nb\n/a\n"],
    ["echo aGk= | base64 -d; echo; expr 3 + 4", "hi\n7\n"],
    ["awk '{print $2}' <<< 'one two'", "two\n"],
  ])("%s", (script, out) => {
    expect(run(script).out).toBe(out);
  });

  test("errors go to their own stream, or to its redirection", () => {
    expect(run("cat /nope; cat /nope 2>/dev/null; cat /nope 2>&1").err).toBe(
      "cat: can't open '/nope': No such file or directory\n",
    );
  });
});

describe("time", () => {
  test("a loop that changes nothing is recognised as endless, and costs nothing", () => {
    expect(run("while true; do date; sleep 5; done")).toMatchObject({ endless: true, knownMs: forever });
    const year = run("while true; do date; sleep 1; done", { untilMs: 31_536_000_000, prints: true });
    expect(year.chunks.length).toBeGreaterThan(1000);
    expect(year.chunks.length).toBeLessThan(5000);
    expect(year.chunks.at(-1)?.text).toBe("Fri Jan  1 00:00:00 UTC 1971\n");
  });

  test("a loop that only counts is endless as well; a loop that changes files is still followed", () => {
    expect(run("i=0; while true; do i=$((i+1)); sleep 1; done")).toMatchObject({ endless: true, knownMs: forever });
    const writing = run("while true; do date >> /tmp/log; sleep 1; done");
    expect(writing.endless).toBe(true);
    expect(writing.knownMs).toBeLessThan(forever);
  });

  test("a runaway script stops at its work limit", () => {
    const { end, endless, knownMs } = run("i=0; while [ $i -ge 0 ]; do i=$((i+1)); sleep 1; done");
    expect({ end, endless }).toEqual({ end: undefined, endless: false });
    expect(knownMs).toBeGreaterThan(1_000_000);
  });

  test("a loop that waits for a Service reports it, and continues when the Service exists", () => {
    const script = "until nslookup db; do sleep 2; done; echo found";
    expect([...run(script).waitsFor]).toEqual(["service/default/db"]);
    const db = { sinceMs: 5000, addresses: ["10.96.0.7"], hosts: {}, answersMs: undefined, ports: [] };
    const execution = run(script, { world: { service: () => db } });
    expect(execution.end).toMatchObject({ atMs: 6000, exitCode: 0 });
    expect(execution.out).toContain("found");
    expect(run("nc -z db 80", { world: { service: () => ({ ...db, sinceMs: 0 }) } }).end?.exitCode).toBe(1);
    expect(run("nc -z db 80", { world: { service: () => ({ ...db, sinceMs: 0, answersMs: 0 }) } }).end?.exitCode).toBe(
      0,
    );
  });

  test("nc names the service of a port, and the address only if it is not what the command names", () => {
    const db = { sinceMs: 0, addresses: ["10.96.0.7"], hosts: {}, answersMs: 0, ports: [] };
    const world = { service: () => db };
    const err = (script: string) => run(script, { world }).err;
    expect(err("nc -zv db 443")).toBe("Connection to db (10.96.0.7) 443 port [tcp/https] succeeded!\n");
    expect(err("nc -nzv db 443")).toBe("Connection to db 443 port [tcp/*] succeeded!\n");
    const absent = { ...db, answersMs: undefined };
    expect(run("nc -zv db 80", { world: { service: () => absent } }).err).toBe(
      "nc: connect to db (10.96.0.7) port 80 (tcp) failed: Connection refused\n",
    );
  });

  test("a background job has its own time", () => {
    const { chunks, end } = run("(sleep 2; echo late) & sleep 1; echo early; wait; echo done");
    expect(chunks.map((chunk) => `${chunk.atMs} ${chunk.text}`)).toEqual([
      "1000 early\n",
      "2000 late\n",
      "2000 done\n",
    ]);
    expect(end?.atMs).toBe(2000);
  });

  test("SIGTERM runs a trap between two commands, interrupts a wait, and has no effect otherwise", () => {
    const term = { termMs: 10_500, untilMs: 60_000 };
    expect(run("trap 'exit 7' TERM; while :; do sleep 2; done", term).end).toMatchObject({ atMs: 12_000, exitCode: 7 });
    expect(run("trap 'exit 7' TERM; sleep 3600 & wait", term).end).toMatchObject({ atMs: 10_500, exitCode: 7 });
    expect(run("while :; do sleep 2; done", term).end).toBeUndefined();
  });
});

describe("ls -l", () => {
  const atMs = Date.UTC(2026, 4, 3, 10, 5);
  const script = "echo hi > /srv/a; mkdir /srv/d; touch /srv/.h; ls -la /srv; ls -l /srv/a";

  test("BusyBox prints the total, the folder, its parent, owners and modification times", () => {
    expect(run(script, { startMs: atMs }).out.split("\n")).toEqual([
      "total 16",
      "drwxr-xr-x    3 root     root          4096 May  3 10:05 .",
      "drwxr-xr-x   19 root     root          4096 Jan  1 00:00 ..",
      "-rw-r--r--    1 root     root             0 May  3 10:05 .h",
      "-rw-r--r--    1 root     root             3 May  3 10:05 a",
      "drwxr-xr-x    2 root     root          4096 May  3 10:05 d",
      "-rw-r--r--    1 root     root             3 May  3 10:05 /srv/a",
      "",
    ]);
  });

  test("GNU aligns columns to their contents, and prints the year of older files", () => {
    const programs = new Set(["sh", "ls", "touch", "mkdir", "echo"]);
    const files = new Files([["/srv/old", { text: "x", mode: 0o600, changedMs: Date.UTC(2024, 11, 24) }]]);
    const execution = run("touch /srv/new; ls -l /srv; ls /nope", { startMs: atMs, programs, files });
    expect(execution.out).toBe(
      "total 4\n-rw-r--r-- 1 root root 0 May  3 10:05 new\n-rw------- 1 root root 1 Dec 24  2024 old\n",
    );
    expect(execution.err).toBe("ls: cannot access '/nope': No such file or directory\n");
  });

  test("a file that a process writes belongs to its user", () => {
    const self = { ...nobodyKnown, uid: 1000, gid: 3000, groups: [] };
    expect(run("touch /tmp/a; ls -l /tmp/a", { self, startMs: atMs }).out).toBe(
      "-rw-r--r--    1 1000     3000             0 May  3 10:05 /tmp/a\n",
    );
  });
});
