// The language of the terminal's shell: quotes, variables, pipes, redirections, conditions and loops.
import { describe, expect, test } from "vitest";
import { shellWith } from "./shell.ts";

const table: readonly (readonly [line: string, out: string, code?: number, err?: string])[] = [
  ["echo a  b", "a b\n"],
  ["echo 'a  b' \"c  d\" e\\ f", "a  b c  d e f\n"],
  ["X=1; echo $X ${X}2 '$X' \"$X\"", "1 12 $X 1\n"],
  ["export A=x B=y; env | grep -E '^(A|B)='", "A=x\nB=y\n"],
  ["A=1 env | grep ^A=; echo [$A]", "A=1\n[]\n"],
  ["false; echo $?; true; echo $?", "1\n0\n"],
  ["true && echo yes || echo no", "yes\n"],
  ["false && echo yes || echo no", "no\n"],
  ["! false; echo $?", "0\n"],
  ["echo $(echo a; echo b) `echo c`", "a b c\n"],
  ["echo \"$(printf 'a\\n\\n')|\"", "a|\n"],
  ["X='a b'; for one in $X c; do echo [$one]; done", "[a]\n[b]\n[c]\n"],
  ["X='a b'; for one in \"$X\"; do echo [$one]; done", "[a b]\n"],
  ["for i in {1..3} {x,y}; do printf '%s ' $i; done", "1 2 3 x y "],
  ["i=0; while [ $i -lt 3 ]; do i=$((i + 1)); echo $i; done", "1\n2\n3\n"],
  ["i=0; until false; do i=$((i+1)); [ $i = 5 ] && break; [ $((i % 2)) = 0 ] && continue; echo $i; done", "1\n3\n"],
  ["if [[ abc == a* ]]; then echo glob; elif true; then echo no; fi", "glob\n"],
  ['if [[ abc =~ ^a.c$ && ! -f nothing ]]; then echo "$BASH_REMATCH"; fi', "abc\n"],
  ["case web-1 in db*) echo db;; web*|api*) echo web;; *) echo none;; esac", "web\n"],
  ["greet() { local who=$1; echo hello $who $#; return 3; }; greet you too; echo $?", "hello you 2\n3\n"],
  ["(cd /tmp; pwd; X=1); pwd; echo [$X]", "/tmp\n/home/user\n[]\n"],
  ["{ echo a; echo b; } | sort -r", "b\na\n"],
  ["echo b > f; echo a >> f; sort < f; cat f | wc -l", "a\nb\n2\n"],
  ["cat <<EOF\nA $((1+1)) $HOME\nEOF\n", "A 2 /home/user\n"],
  ["cat <<'EOF'\nA $HOME\nEOF\n", "A $HOME\n"],
  ["cat <<-EOF | tr a-z A-Z\n\tb\n\tEOF\n", "B\n"],
  ["cat <<< word", "word\n"],
  ["ls nothing 2>/dev/null; echo $?", "2\n"],
  ["{ echo out; echo err >&2; } 2>&1 | sort", "err\nout\n"],
  ["{ echo out; echo err >&2; } &> f; cat f", "out\nerr\n"],
  [
    "X=web-7f9; echo ${X%-*} ${X#*-} ${X/web/api} ${#X} ${X:0:3} ${Y:-none} ${X^^}",
    "web 7f9 api-7f9 7 web none WEB-7F9\n",
  ],
  ["X=a.b.c; echo ${X##*.} ${X#*.} ${X%%.*} ${X%.*}", "c b.c a a.b\n"],
  ["echo $((2 ** 10 / 3)) $(( (1 + 2) * 3 ))", "341 9\n"],
  ["touch a.yaml b.yaml c.txt; echo *.yaml [c]* *.none", "a.yaml b.yaml c.txt *.none\n"],
  ["diff <(echo a) <(echo b)", "1c1\n< a\n---\n> b\n", 1],
  ["alias hi='echo hello'; hi there", "hello there\n"],
  ["alias both='echo b; echo a'; both | sort", "a\nb\n"],
  ["set -e; false; echo never", "", 1],
  ["set -o pipefail; false | true; echo $?", "1\n"],
  ["yes | head -2", "y\ny\n"],
  ["yes | true; echo over", "over\n"],
  ["seq 100000 | tail -1", "100000\n"],
  [
    "seq 30000 > f; grep -c . f; awk '{s += $1} END {print s}' f; cut -c1-9 f | awk '{s += $1} END {print s}'",
    "30000\n450015000\n450015000\n",
  ],
  ["X=1; { X=2; } | cat; echo $X; { sleep 0.01; echo job $X; } & X=3; wait; echo $X", "1\njob 1\n3\n"],
  ["seq 3 | { read a; cat; }; printf 'ab' | { read -n 1 x; cat; echo $x; }", "2\n3\nba\n"],
  [
    "f() { local X=in; return 4; }; X=out; f; echo $? $X; bash -c 'trap \"echo bye\" EXIT; exit 3'; echo $?",
    "4 out\nbye\n3\n",
  ],
  ["seq 3 | while read n; do echo n$n; done", "n1\nn2\nn3\n"],
  ["printf 'a b\\nc d\\n' | while read x y; do echo $y$x; done", "ba\ndc\n"],
  ["bash -c 'echo $1' name value; echo 'echo $0 $1' > s.sh; bash s.sh x; ./s.sh y", "value\ns.sh x\n./s.sh y\n"],
  ["eval 'X=5'; echo $X; unset X; echo [$X]", "5\n[]\n"],
  ["sleep 0.01 & wait; echo done", "done\n"],
  ["timeout 0.01 yes > /dev/null; echo $?", "124\n"],
  ["foo", "", 127, "bash: foo: command not found\n"],
  ["./foo", "", 127, "bash: ./foo: No such file or directory\n"],
  ["cat < nothing", "", 1, "bash: nothing: No such file or directory\n"],
  ["echo )", "", 2, "bash: syntax error near unexpected token `)'\n"],
  ["echo a | | cat", "", 2, "bash: syntax error near unexpected token `|'\n"],
  ["f() { f; }; f", "", 1, "bash: bash: maximum function nesting level exceeded (200)\n"],
  ["echo $((1 / 0))", "", 1, 'bash: 1 / 0: division by 0 (error token is "0")\n'],
  ["echo $((7 / 2 * -3)) $((0x1f)) $((2#101)) $((1 << 40)) $((5 > 3 ? 1 : 2))", "-9 31 5 1099511627776 1\n"],
  [
    "a=(x 'y z'); a+=(w); echo ${#a[@]} ${a[1]} ${a[-1]}; for one in \"${a[@]}\"; do echo [$one]; done",
    "3 y z w\n[x]\n[y z]\n[w]\n",
  ],
  ["declare -A m=([one]=1 [two]=2); m[three]=3; echo ${m[two]} ${!m[@]}", "2 one two three\n"],
  ["for ((i = 0; i < 3; i++)); do [ $i = 1 ] && continue; echo $i; done", "0\n2\n"],
  ["X=a-b-c; echo ${X//-/+} ${X/#a/z} ${X: -1} ${X@Q} ${!Y}; Y=X; echo ${!Y}", "a+b+c z-b-c c 'a-b-c'\na-b-c\n"],
  ["echo {a..c}{01..02} {x,{y,z}}", "a01 a02 b01 b02 c01 c02 x y z\n"],
  ["echo ${X!}", "", 1, "bash: ${X!}: bad substitution\n"],
  ["cd nowhere", "", 1, "bash: cd: nowhere: No such file or directory\n"],
];

describe("K7: a line of the terminal's shell", () => {
  test.for(table)("K7: %s", async ([line, out, code, err]) => {
    expect(await shellWith().run(line)).toEqual({ code: code ?? 0, out, err: err ?? "" });
  });

  test("K7: pipes kubectl's output, and its input", async () => {
    const { run } = shellWith();
    expect((await run("kubectl get pods -o name | grep web | sort -r")).out).toBe("pod/web-2\npod/web-1\n");
    expect((await run("k get pods --no-headers -o custom-columns=N:.metadata.name | wc -l")).out).toBe("3\n");
    expect((await run("kubectl get pods -o json | jq -r '.items[].metadata.name' | head -1")).out).toBe("web-1\n");
    expect((await run("kubectl get nothing; echo $?")).out).toBe("1\n");
  });

  test("K7: ends an endless stream when its reader ends, and when it is interrupted", async () => {
    const { run } = shellWith();
    expect((await run("kubectl logs -f web-1 | head -1")).out).toBe("first line\n");
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    expect(await run("kubectl logs -f web-1; echo never", "", stop.signal)).toEqual({
      code: 130,
      out: "first line\nsecond line\n",
      err: "",
    });
  });

  test("K7: can interrupt a command that never ends", async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    expect(await shellWith().run("while true; do true; done", "", stop.signal)).toEqual({
      code: 130,
      out: "",
      err: "",
    });
  });

  test("K7: bounds a pipe, a substitution and files, with a plain error past the bound", async () => {
    const { run } = shellWith();
    const tooMuch = "output of more than 16 MB cannot be held";
    expect((await run("X=$(yes)")).err).toContain(tooMuch);
    expect((await run("yes | sort")).err).toContain(tooMuch);
    const wide = `awk 'BEGIN {for (i = 0; i < 200000; i++) print "${"x".repeat(100)}"}' | (sleep 1; wc -l)`;
    expect((await run(wide)).err).toBe(`bash: awk: ${tooMuch}\n`);
    expect((await run("yes > f")).err).toContain("no space left on device");
    expect((await run("echo {1..1000000} | wc -w")).out).toBe("1000000\n");
    expect(await run("ls {1..1000000}")).toEqual({ code: 126, out: "", err: "ls: Argument list too long\n" });
  });
});
