// Fuzz targets of containers: shells, text programs, servers' configurations, and database languages.
import "../../interpreters.ts";
import { budgetOf, isPattern } from "../../../shared/base/pattern.ts";
import { ArithmeticError, calculate } from "../../../shared/shell/arithmetic.ts";
import { braced } from "../../../shared/shell/braces.ts";
import { formatDate, momentOf } from "../../../shared/shell/date.ts";
import { unescaped } from "../../../shared/shell/escapes.ts";
import { parseScript } from "../../../shared/shell/language/parse.ts";
import { newMetered, Stopped } from "../../../shared/shell/meter.ts";
import { globEnd, globFind, globMatches, globOf, globStart } from "../../../shared/shell/patterns/glob.ts";
import { regularExpression } from "../../../shared/shell/patterns/regular.ts";
import { directivesOf, mistakeIn } from "../../../worker/containers/products/nginx/parse-config.ts";
import { redisReplied } from "../../../worker/containers/products/redis/server.ts";
import { formatReply } from "../../../worker/containers/products/redis/reply.ts";
import { applyEdit, Files } from "../../../worker/containers/shell/files.ts";
import { inImage } from "../../containers/shell/in-image.ts";
import { type ProgramWorld, runProgram } from "../../containers/programs/program-run.ts";
import { resultOf, type Target } from "../target.ts";

const payer = () => newMetered(200_000, 16 * 1024 * 1024, 200);
const lines = "one two three\n1 2.5 -3\n\nä,b;c\tlast line without end";

/** Runs a program to its end or its work limit, and throws errors of the simulation. */
function runToEnd(words: readonly string[], world: ProgramWorld = {}): void {
  runProgram(words, { seconds: 5, files: { "/tmp/f": lines, "/tmp/j": '{"a":[1,{"b":null}],"s":"x"}' }, ...world });
}

const shellWords = [
  ...[
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "while ",
    "case $x in ",
    "esac",
    ";;",
    "*)",
    "function f ",
    "f() {",
    "}",
    "{ ",
    "(",
    ")",
  ],
  ...[
    "$((",
    "))",
    "$(",
    "`",
    "${x",
    "${x:-",
    "${x%%*",
    "${#x[@]}",
    "${!x}",
    "${x//a/b}",
    "${x:1:2}",
    "${x^^}",
    "}",
    "$@",
    "$?",
    "$$",
    "$!",
  ],
  ...[
    "<<EOF\n",
    "\nEOF\n",
    "<<<",
    "<(",
    ">",
    ">>",
    "2>&1",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "\n",
    "[[ ",
    " ]]",
    "=~",
    "[ ",
    " ]",
    "-eq",
    "!",
    "local ",
    "declare -A ",
  ],
  ...[
    "read x",
    "trap 'echo' EXIT",
    "set -euo pipefail",
    "shift",
    "eval ",
    "exec ",
    "printf %s ",
    "echo ",
    "test ",
    "{1..9}",
    "{a,b}",
    "~",
    "*",
    "?",
    "[a-z]",
    "x=1",
    "x+=(1 2)",
    "export ",
    "select ",
  ],
];
const shellNests: Target["nests"] = [
  ["$(", ")"],
  ["${x:-", "}"],
  ["$((", "))"],
  ["if ", "; then :; fi"],
  ["{ ", "; }"],
  ["`", "`"],
  ["f() ", ""],
  ["! ", ""],
  ["while false; do ", "; done"],
  ["case a in a) ", ";; esac"],
  ['"$(', ')"'],
  ["[[ ! ", " ]]"],
];
const scripts = [
  'for i in 1 2 3; do if [ "$i" -gt 1 ]; then echo "${i}x"; fi; done | sort -r',
  "x=(a b c); echo ${x[@]:1} ${#x[@]} ${x[0]^^}; declare -A m=([k]=v); echo ${m[k]}",
  'cat <<EOF\n$(echo hi) $((1+2)) ${HOME:-none}\nEOF\nread a b <<< "1 2"; echo $b',
  "f() { local y=$1; case $y in a*) return 3;; *) echo no;; esac; }; f ab || echo $?",
  "while read -r l; do printf '%s|' \"$l\"; done < /tmp/f; [[ abc =~ ^a(b)c$ ]] && echo ${BASH_REMATCH[1]}",
  "set -e; trap 'echo bye' EXIT; (exit 2) || true; echo {a..e}{1,2} | tr a-z A-Z > /tmp/o; wc -c < /tmp/o",
];

const shells: Target = {
  name: "shell script",
  corpus: scripts,
  words: shellWords,
  nests: shellNests,
  share: 120,
  run: (input) => {
    for (const shell of ["bash", "sh"]) runToEnd([shell, "-c", input]);
  },
};

const shellSyntax: Target = {
  name: "shell syntax",
  corpus: scripts,
  words: shellWords,
  nests: shellNests,
  run: (input) => void resultOf(() => parseScript(input, payer()), Stopped),
};

const sums: Target = {
  name: "arithmetic",
  corpus: [
    "1 + 2 * (3 - x)",
    "x = y ? 1 : 2, x++",
    "16#ff + 0x1f + 010",
    "1 << 63 >> 1",
    "-7 / 2 % 3 ** 2",
    "a[1+1] += ~0",
    "!x && y || 1",
  ],
  words: [
    "+",
    "-",
    "**",
    "/",
    "%",
    "<<",
    ">>",
    "?",
    ":",
    "(",
    ")",
    "x",
    "x=",
    "a[0]",
    "++",
    "--",
    "~",
    "!",
    "0x",
    "08",
    "2#1",
    "99#z",
    ",",
  ],
  nests: [
    ["1+(", ")"],
    ["1?", ":2"],
    ["x=", ""],
    ["~", ""],
    ["2**", ""],
    ["a[", "]"],
  ],
  run: (input) => {
    const values = new Map<string, string>();
    const result = resultOf(
      () =>
        calculate(
          payer(),
          input,
          (name) => values.get(name) ?? "",
          (name, value) => void values.set(name, value),
        ),
      Stopped,
      ArithmeticError,
    );
    if (result !== undefined && BigInt.asIntN(64, result) !== result)
      throw new Error(`${result} has more than 64 bits`);
  },
};

const globs: Target = {
  name: "glob and brace",
  corpus: ["*.txt", "[!a-c]?[[:digit:]]*", "{a,b{1..3},c}", "\\*[]-]", "a{01..10..3}z", "[[.a.]]x**y"],
  words: ["*", "?", "[", "]", "[!", "[^", "[[:alpha:]]", "-", "\\", "{", "}", ",", "..", "{1..9}", "{a..z..2}"],
  nests: [
    ["{a,", "}"],
    ["{", ",b}"],
    ["[", "]"],
    ["*", ""],
  ],
  run: (input) => {
    const spend = budgetOf(50_000);
    const glob = globOf(input);
    for (const text of ["a.txt", "", "abc1é𐀀", "aaaaaaaaaaaaaaaaaaaaaaaab"]) {
      globMatches(glob, text, spend);
      globStart(glob, text, true, spend);
      globEnd(glob, text, false, spend);
      globFind(glob, text, 0, spend);
    }
    resultOf(() => braced(payer(), input), Stopped);
    resultOf(() => unescaped(input));
  },
};

const posixPatterns: Target = {
  name: "POSIX pattern",
  corpus: ["^a.*[[:space:]]\\(b\\|c\\)\\{1,3\\}$", "(a|b)+[^]x]?", "\\<w\\>\\w", "a{2}{3}", "[a-]", "\\(a\\)\\1"],
  words: [
    "\\(",
    "\\)",
    "(",
    ")",
    "[",
    "]",
    "[^",
    "[[:alpha:]]",
    "\\{",
    "\\}",
    "{",
    "}",
    "*",
    "+",
    "?",
    "|",
    "\\|",
    "^",
    "$",
    "\\1",
    "\\<",
    "\\b",
    "\\",
    "-",
    ",",
    "[=a=]",
  ],
  nests: [
    ["(", ")*"],
    ["\\(", "\\)"],
    ["[", "]"],
  ],
  share: 400,
  run: (input) => {
    for (const isExtended of [true, false]) {
      const pattern = resultOf(() => regularExpression(payer(), input, { isExtended }), Stopped);
      if (pattern && isPattern(pattern)) for (const text of [lines, ""]) pattern.test(text, budgetOf(20_000));
    }
  },
};

/** A program whose first argument is the input. */
function program(
  name: string,
  words: (input: string) => readonly string[],
  target: Pick<Target, "corpus" | "words" | "nests">,
): Target {
  return { name, share: 150, ...target, run: (input) => runToEnd(words(input)) };
}

const jq = program("jq", (input) => ["jq", input, "/tmp/j"], {
  corpus: [
    '.a[1].b // "none" | tostring',
    "def f(x): reduce .a[] as $i (0; . + x); f(1)?",
    "[paths, to_entries[] | {(.key): .value}] | @base64",
    'try error("x") catch . , (.s | test("^x"; "i") | not)',
    ".a |= map(. as [$x] | $x?) | limit(2; recurse), input_line_number",
    '"\\(.s) \\(1+2)" | ascii_downcase | split("") | @csv, @sh, @uri',
    "foreach range(3) as $i (null; $i; [.]) | label $out | if . == 1 then break $out else . end",
    'del(.a[0]), .a[-1:], .["s"], ..?, getpath(["a",0]), now|todate?',
  ],
  words: [
    ".",
    ".a",
    "[]",
    "|",
    ",",
    "as $x",
    "reduce ",
    "foreach ",
    "def f: ",
    ";",
    "if ",
    "then ",
    "else ",
    "end",
    "try ",
    "catch ",
    "//",
    "?",
    "|=",
    "+=",
    "==",
    "not",
    "@base64",
    "@json",
    "limit(",
    "range(",
    "recurse",
    "env",
    "$__loc__",
    "input",
    "label $a",
    "break $a",
    "..",
    "?//",
    "tojson",
    "fromjson",
    "ltrimstr(",
    "splits(",
    "sub(",
    "error",
    "path(",
    "getpath(",
    "implode",
    "strftime(",
    "mktime",
    "infinite",
    "nan",
    "\\(",
  ],
  nests: [
    ["[", "]"],
    ["(", ")"],
    ["{a:", "}"],
    ["if . then ", " else . end"],
    ["try ", ""],
    ["-", ""],
    ["def f: ", "; ."],
    ['"\\(', ')"'],
    [".a", ""],
    ["path(", ")"],
  ],
});
const awk = program("awk", (input) => ["awk", input, "/tmp/f"], {
  corpus: [
    "{ sum += $2; n[$1]++ } END { for (k in n) print k, n[k], sum }",
    'BEGIN { FS=","; OFS="-" } NR>1 && /b/ { $1=$1; print toupper($0) }',
    'function f(a, b) { return a**b } { printf "%5.2f|%-3s\\n", f(NF, 2), substr($0, 2, 3) }',
    '{ gsub(/[0-9]+/, "<&>"); if (match($0, "t.")) print RSTART, RLENGTH; else next }',
    'BEGIN { while ((getline l < "/tmp/f") > 0) print l; close("/tmp/f"); x["a","b"]=1; delete x; exit 3 }',
    "NR==1, NR==2 { do { i++ } while (i < 3); print length, split($0, p, / /), p[1] }",
  ],
  words: [
    "{",
    "}",
    "(",
    ")",
    "$",
    "$0",
    "NF",
    "NR",
    "BEGIN",
    "END",
    "/x/",
    "~",
    "!~",
    "print ",
    "printf ",
    "getline",
    "function f(a)",
    "return",
    "for(",
    "while(",
    "do ",
    "if(",
    "else ",
    "in ",
    "delete ",
    "next",
    "exit",
    "split(",
    "gsub(",
    "sprintf(",
    "%c",
    "%*d",
    "++",
    "--",
    "^",
    "?",
    ":",
    "=",
    ";",
    "\n",
    "|",
    ">",
    '"',
    "substr(",
    "index(",
    "srand()",
    "system(",
    "-",
  ],
  nests: [
    ["(", ")"],
    ["{", "}"],
    ["$", ""],
    ["if(1) ", ""],
    ["-", ""],
    ["x[", "]"],
    ["!", ""],
    ["1 ? ", " : 2"],
    ["f(", ")"],
  ],
});
const sed = program("sed", (input) => ["sed", "-E", input, "/tmp/f"], {
  corpus: [
    "s/(o)(n)/\\2\\1/g;p",
    "1,3{/x/!d;y/abc/xyz/}",
    ":a;N;$!ba;s/\\n/ /g",
    "/one/,/last/{=;s/.*/\\U&\\E/w /tmp/o\n}",
    "2i\\\ntext",
    "$a end",
    "1~2p;0,/x/d;n;h;G;x;t a;:a;q5",
    "s|a|b|2Ip;l;e echo",
  ],
  words: [
    "s/",
    "/g",
    "/2",
    "\\1",
    "&",
    "\\n",
    "{",
    "}",
    ";",
    "\n",
    "!",
    "$",
    ",",
    "~",
    "+3",
    "p",
    "d",
    "N",
    "G",
    "h",
    "x",
    "b",
    ":a",
    "ta",
    "y/",
    "i\\",
    "a\\",
    "c\\",
    "w /tmp/o",
    "r /tmp/f",
    "q",
    "\\U",
    "\\E",
    "M",
    "e",
    "/",
    "\\",
  ],
  nests: [
    ["{", "}"],
    ["(", ")"],
    ["!", ""],
    ["1", ""],
  ],
});
const printf = program(
  "printf and date",
  (input) => [
    "bash",
    "-c",
    `printf "$1" a 1.5 -7 ''; date -d "$1" "+$1"; seq "$1"; expr "$1" + 1; echo -e "$1"; tr "$1" x < /tmp/f; cut -c "$1" /tmp/f; sort -k "$1" /tmp/f; find /tmp -name "$1"; test "$1"`,
    "x",
    input,
  ],
  {
    corpus: [
      "%5s|%-5d|%05.1f\\n",
      "%b%q%c%%",
      "%*.*f",
      "\\x41\\101\\u00e9",
      "2026-01-01 10:00 +2 days",
      "%Y-%m-%dT%H:%M:%S%z",
      "1,3-",
      "a-z",
      "[:upper:]",
    ],
    words: [
      "%",
      "%s",
      "%d",
      "%*d",
      "%.99f",
      "%99999999s",
      "%x",
      "%(%F)T",
      "\\",
      "\\0",
      "\\x",
      "next ",
      "ago",
      "-",
      "@0",
      "tomorrow",
      "%N",
      "%j",
      "-z",
      "-a",
      "-o",
      "(",
      ")",
      "!",
      "=",
    ],
    nests: [
      ["( ", " )"],
      ["! ", ""],
      ["%", ""],
    ],
  },
);
const sql = (name: string, words: readonly string[], world: ProgramWorld = {}): Target => ({
  name,
  share: 60,
  corpus: [
    "create table t(id integer primary key, a text default 'x'); insert into t(a) values ('y'),(null); select * from t where a like '%' order by id desc limit 1;",
    "begin; update t set a = a || 'z'; rollback; select count(*), max(id) from t group by a having count(*) > 0;",
    "with recursive r(n) as (select 1 union all select n+1 from r where n < 5) select group_concat(n) from r; explain select 1;",
    "select 'it''s', \"col\", -1e5, x'ff', cast('1' as int), case when 1 then 2 end, json_extract('{\"a\":1}', '$.a');",
    ".tables\n.schema\n.mode box\nselect 1 as a;",
  ],
  words: [
    "select ",
    "from ",
    "where ",
    "insert into ",
    "values ",
    "create table ",
    "drop ",
    "alter ",
    "join ",
    "union ",
    "group by ",
    "(",
    ")",
    ",",
    ";",
    "'",
    '"',
    "`",
    "--",
    "/*",
    "*/",
    "$1",
    "?",
    ":a",
    "null",
    "begin",
    "commit",
    "savepoint a",
    "pragma ",
    "attach ",
    "vacuum",
    "\n.",
    "\\d",
    "$$",
    "show tables",
    "use x",
  ],
  nests: [
    ["(", ")"],
    ["select (", ")"],
    ["not ", ""],
    ["/*", "*/"],
    ["-", ""],
  ],
  run: (input) => runToEnd(words, { input, ...world }),
});
const sqlite = sql("sqlite3", ["sqlite3", "/tmp/d.db"]);
const python: Target = {
  name: "sqlite3 of Python",
  share: 20,
  corpus: [
    "select 1",
    "create table t(a)",
    "insert into t values (?)",
    "select * from t where a = :x",
    "pragma foreign_keys",
  ],
  words: sqlite.words,
  nests: sqlite.nests ?? [],
  run: (input) =>
    runToEnd([
      "python3",
      "-c",
      `import sqlite3, sys\nc = sqlite3.connect(":memory:")\ntry:\n  print(c.execute(sys.argv[1], (1,)).fetchall())\nexcept Exception as e:\n  print(type(e))`,
      input,
    ]),
};

const nginx: Target = {
  name: "nginx configuration",
  share: 150,
  corpus: [
    "events {}\nhttp { server { listen 80; location / { return 200 'hi $uri'; } location ~ ^/a(.*)$ { rewrite ^/a/(.*) /$1 break; proxy_pass http://u; } }\nupstream u { server 10.0.0.1:80 weight=2; } }",
    "http { map $host $x { default 1; ~*^a.*\\.b$ 2; } log_format m '$remote_addr \"$request\"'; server { listen [::]:8080 default_server; server_name *.a.b; if ($x = 1) { return 301 https://$host$request_uri; } try_files $uri $uri/ =404; error_page 404 /x; } }",
    'http { limit_req_zone $binary_remote_addr zone=z:1m rate=1r/s; include /etc/nginx/mime.types; server { auth_basic "x"; add_header X $args always; gzip on; root /usr/share/nginx/html; } }',
  ],
  words: [
    "server {",
    "location ",
    "~* ",
    "= ",
    "^~ ",
    "{",
    "}",
    ";",
    "listen ",
    "if (",
    ")",
    "return ",
    "rewrite ",
    "set $a ",
    "$uri",
    "${a}",
    "map $a $b {",
    "include ",
    "proxy_pass ",
    "upstream u {",
    "'",
    '"',
    "#",
    "\n",
    "\\",
    "default",
    "server_name ",
    "alias ",
    "try_files ",
    "error_page ",
  ],
  nests: [
    ["http { ", "}"],
    ["location / { ", "}"],
    ["server { ", "}"],
    ["if ($a) {", "}"],
    ["(", ")"],
  ],
  run: (input) => {
    resultOf(() => directivesOf(input));
    resultOf(() => mistakeIn(input));
    inImage(
      "nginx",
      ["bash", "-c", "nginx -t; nginx; sleep 1; curl -s localhost/a/b?c; curl -s -H 'Host: a.b' localhost:8080"],
      {
        files: { "/etc/nginx/nginx.conf": input },
      },
    );
  },
};

const redis: Target = {
  name: "redis command",
  share: 400,
  corpus: [
    "SET a 1 EX 10 NX",
    "MSET a 1 b 2\nMGET a b c",
    "LPUSH l a b c\nLRANGE l 0 -1\nLINSERT l BEFORE a x",
    "ZADD z 1 a 2.5 b\nZRANGEBYSCORE z (1 +inf WITHSCORES",
    "HSET h f v\nHGETALL h\nHINCRBY h n 5",
    "ZADD s 1 a\nZRANGE s 0 -1",
    "SCAN 0 MATCH a* COUNT 5\nTYPE a\nOBJECT ENCODING a",
    "SETRANGE a 5 x\nGETRANGE a 0 -1\nBITCOUNT a\nINCRBYFLOAT a 1.5",
    "CONFIG GET *\nINFO\nCOMMAND DOCS\nEVAL x 0",
  ],
  words: [
    "SET",
    "GET",
    "a",
    "l",
    "z",
    "h",
    "s",
    "*",
    "-1",
    "(",
    "+inf",
    "-inf",
    "nan",
    "WITHSCORES",
    "LIMIT",
    "COUNT",
    "MATCH",
    "EX",
    "PX",
    "NX",
    "\n",
    " ",
    "LPOP",
    "SPOP",
    "SRANDMEMBER",
    "EXPIRE",
    "SORT",
    "BITFIELD",
    "SETBIT",
    "GETBIT",
    "SUBSCRIBE",
    "MULTI",
    "EXEC",
    "DEBUG",
    "CLIENT",
    "CONFIG SET",
  ],
  run: (input) => {
    const files = new Files();
    for (const [at, line] of input.split("\n").slice(0, 20).entries()) {
      const nowMs = 1_700_000_000_000 + at * 1000;
      const server = { files, settings: {}, version: "8.4.0", nowMs };
      const { reply, edit } = redisReplied(server, {
        words: line.split(" ").slice(0, 1024),
        database: 0,
        password: undefined,
        id: `id${at}`,
      });
      if (edit) applyEdit(files, { atMs: nowMs, ...edit });
      formatReply(reply, true);
    }
  },
};

const dates: Target = {
  name: "date",
  corpus: ["2026-01-01 10:00", "@1700000000", "next month", "yesterday 5pm", "2026-02-31", "%s %N %+", "+%Y"],
  words: ["next", "last", "ago", "days", "2026-13-01", "T", "Z", "+02:00", "@", "%", "%-d", "%::z", "monday"],
  run: (input) => {
    const moment = resultOf(() => momentOf(input, 1_700_000_000_000));
    if (moment !== undefined) formatDate(moment, "%Y-%m-%d %s");
    resultOf(() => formatDate(1_700_000_000_000, input));
  },
};

export const containerTargets: readonly Target[] = [
  ...[shells, shellSyntax, sums, globs, posixPatterns, jq, awk, sed, printf, dates],
  ...[sqlite, python, nginx, redis],
];
