// Differences of busybox' ash, dash and bash: each row is the output of the real shells (busybox 1.36, dash 0.5.12, bash 5.2).
import { expect, test } from "vitest";
import { inImage } from "./in-image.ts";

type Row = readonly [script: string, ash: string, dash: string, bash: string];

const rows: readonly Row[] = [
  ["nope", "sh: nope: not found\n", "sh: 1: nope: not found\n", "bash: line 1: nope: command not found\n"],
  ["/nope", "sh: /nope: not found\n", "sh: 1: /nope: not found\n", "bash: line 1: /nope: No such file or directory\n"],
  [
    "cd /nope; echo $?",
    "sh: cd: line 0: can't cd to /nope: No such file or directory\n2\n",
    "sh: 1: cd: can't cd to /nope\n2\n",
    "bash: line 1: cd: /nope: No such file or directory\n1\n",
  ],
  [
    "echo a > /nope/x; echo $?",
    "sh: can't create /nope/x: nonexistent directory\n1\n",
    "sh: 1: cannot create /nope/x: Directory nonexistent\n2\n",
    "bash: line 1: /nope/x: No such file or directory\n1\n",
  ],
  [
    "echo 1\nif true\nthen echo 2",
    '1\nsh: syntax error: unexpected end of file (expecting "fi")\n',
    '1\nsh: 3: Syntax error: end of file unexpected (expecting "fi")\n',
    "1\nbash: -c: line 4: syntax error: unexpected end of file\n",
  ],
  [
    "fi",
    'sh: syntax error: unexpected "fi"\n',
    'sh: 1: Syntax error: "fi" unexpected\n',
    "bash: -c: line 1: syntax error near unexpected token `fi'\nbash: -c: line 1: `fi'\n",
  ],
  [
    'echo "a',
    "sh: syntax error: unterminated quoted string\n",
    "sh: 1: Syntax error: Unterminated quoted string\n",
    "bash: -c: line 1: unexpected EOF while looking for matching `\"'\n",
  ],
  ["a=(1 2); echo ${a[1]}", 'sh: syntax error: unexpected "("\n', 'sh: 1: Syntax error: "(" unexpected\n', "2\n"],
  ["[[ a == a* ]] && echo yes", "yes\n", "sh: 1: [[: not found\n", "yes\n"],
  ["x=ab; echo ${x^^} ${x:1}", "sh: syntax error: bad substitution\n", "sh: 1: Bad substitution\n", "AB b\n"],
  ["set -o pipefail; false | true; echo $?", "1\n", "sh: 1: set: Illegal option -o pipefail\n", "1\n"],
  ["echo {1..3}", "{1..3}\n", "{1..3}\n", "1 2 3\n"],
  ["echo -e 'a\\tb'; echo 'a\\tb'", "a\tb\na\\tb\n", "-e a\tb\na\tb\n", "a\tb\na\\tb\n"],
  ["source /dev/null; echo $?", "0\n", "sh: 1: source: not found\n127\n", "0\n"],
  ["cat <<< a", "sh: syntax error: unexpected redirection\n", "sh: 1: Syntax error: redirection unexpected\n", "a\n"],
  ["((1)); echo $?", "sh: 1: not found\n127\n", "sh: 1: 1: not found\n127\n", "0\n"],
  [
    "for ((i=0;i<2;i++)); do echo $i; done",
    "sh: syntax error: bad for loop variable\n",
    "sh: 1: Syntax error: Bad for loop variable\n",
    "0\n1\n",
  ],
  [
    "echo $((1/0)); echo b",
    "sh: divide by zero\n",
    'sh: 1: arithmetic expression: division by zero: "1/0"\n',
    'bash: line 1: 1/0: division by 0 (error token is "0")\n',
  ],
  [
    "set -u; echo $x; echo y",
    "sh: x: parameter not set\n",
    "sh: 1: x: parameter not set\n",
    "bash: line 1: x: unbound variable\n",
  ],
  [
    "readonly r=1; r=2; echo $?",
    "sh: r: is read only\n",
    "sh: 1: r: is read only\n",
    "bash: line 1: r: readonly variable\n",
  ],
  ["set -x; echo 'a b' c", "+ echo 'a b' c\na b c\n", "+ echo a b c\na b c\n", "+ echo 'a b' c\na b c\n"],
  [
    "[ 1 -eq a ]; echo $?",
    "sh: a: bad number\n2\n",
    "sh: 1: [: Illegal number: a\n2\n",
    "bash: line 1: [: a: integer expression expected\n2\n",
  ],
  ["[ a == a ]; echo $?", "0\n", "sh: 1: [: a: unexpected operator\n2\n", "0\n"],
  ['f() { local a=1; echo $a; }; f; echo "[$a]"', "1\n[]\n", "1\n[]\n", "1\n[]\n"],
  [
    'IFS=,; x=a,b,,c; for i in $x; do echo "<$i>"; done',
    "<a>\n<b>\n<>\n<c>\n",
    "<a>\n<b>\n<>\n<c>\n",
    "<a>\n<b>\n<>\n<c>\n",
  ],
  ["x=1; sh -c 'echo [$x]'; export x; sh -c 'echo [$x]'", "[]\n[1]\n", "[]\n[1]\n", "[]\n[1]\n"],
  [
    "declare -A m; m[k]=v; echo ${m[k]} ${!m[@]}",
    "sh: declare: not found\nsh: m[k]=v: not found\nsh: syntax error: bad substitution\n",
    "sh: 1: declare: not found\nsh: 1: m[k]=v: not found\nsh: 1: Bad substitution\n",
    "v k\n",
  ],
  [
    "exec nope; echo not",
    "sh: exec: line 0: nope: not found\n",
    "sh: 1: exec: nope: not found\n",
    "bash: line 1: exec: nope: not found\n",
  ],
  [
    "printf '%05.1f|%-4s|%x\\n' 3.14 ab 255; printf '%s\\n' a b",
    "003.1|ab  |ff\na\nb\n",
    "003.1|ab  |ff\na\nb\n",
    "003.1|ab  |ff\na\nb\n",
  ],
  ["printf 'a:b\\n' | { IFS=: read x y; echo $y $x; }", "b a\n", "b a\n", "b a\n"],
  [
    'set -- a \'b c\'; for x in "$@"; do echo "$x"; done; set --; for x in "$@"; do echo never; done',
    "a\nb c\n",
    "a\nb c\n",
    "a\nb c\n",
  ],
];

test.each(rows)("N9: each shell interprets %j in its own dialect", (script, ash, dash, bash) => {
  expect(inImage("busybox:1.36", ["sh", "-c", script]).all).toBe(ash);
  expect(inImage("debian:12", ["sh", "-c", script]).all).toBe(dash);
  expect(inImage("debian:12", ["bash", "-c", script]).all).toBe(bash);
});

test("N9: errors of a script file name the file and the line", () => {
  const files = { "/w/s.sh": "echo 1\nnope\n" };
  expect(inImage("busybox:1.36", ["sh", "/w/s.sh"], { files }).all).toBe("1\n/w/s.sh: line 2: nope: not found\n");
  expect(inImage("debian:12", ["sh", "/w/s.sh"], { files }).all).toBe("1\n/w/s.sh: 2: nope: not found\n");
  expect(inImage("debian:12", ["bash", "/w/s.sh"], { files }).all).toBe(
    "1\n/w/s.sh: line 2: nope: command not found\n",
  );
});

test.each([
  ["busybox:1.36", "curl"],
  ["busybox:1.36", "bash"],
  ["alpine:3.20", "curl"],
  ["alpine:3.20", "python3"],
  ["alpine:3.20", "bash"],
  ["debian:12", "curl"],
  ["debian:12", "ps"],
  ["debian:12", "ip"],
  ["nginx:1.27", "wget"],
  ["nginx:1.27", "ping"],
  ["redis:7", "curl"],
  ["python:3.12-slim", "curl"],
  ["node:22-alpine", "bash"],
])("N9: %s has no %s", (image, name) => {
  const { all, exit } = inImage(image, ["sh", "-c", name]);
  expect(all).toBe(/busybox|alpine/.test(image) ? `sh: ${name}: not found\n` : `sh: 1: ${name}: not found\n`);
  expect(exit).toBe(127);
});

test.each([
  ["python:3.12", "git"],
  ["busybox:1.36", "vi"],
  ["debian:12", "perl"],
  ["my.registry/app:1", "git"],
  ["my.registry/app:1", "terraform"],
])("N9: in %s %s reports that it is not simulated, and fails", (image, name) => {
  expect(inImage(image, ["sh", "-c", `${name} --version`])).toMatchObject({
    all: `${name}: not simulated in this sandbox\n`,
    exit: 127,
  });
});

test("N9: a program that is not simulated succeeds without a terminal, so that operators continue", () => {
  expect(inImage("my.registry/app:1", ["rabbitmqctl", "status"], { policy: "say" })).toMatchObject({
    all: "rabbitmqctl: not simulated in this sandbox\n",
    exit: 0,
  });
  expect(inImage("busybox:1.36", ["sh", "-c", "rabbitmqctl status"], { policy: "say" }).exit).toBe(127);
});

test("N9: a binary file reports that it is not simulated, and a missing one is not found", () => {
  const files = { "/tmp/tool": "\u007fELF\u0002\u0001 (" };
  expect(inImage("my.registry/app:1", ["sh", "-c", "/tmp/tool get pods"], { files })).toMatchObject({
    all: "tool: not simulated in this sandbox\n",
    exit: 127,
  });
  expect(inImage("my.registry/app:1", ["sh", "-c", "/tmp/tool get pods"])).toMatchObject({
    all: "sh: /tmp/tool: not found\n",
    exit: 127,
  });
});
