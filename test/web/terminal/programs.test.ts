// The terminal's programs over text and files, for their common use.
import { describe, expect, test } from "vitest";
import { shellWith } from "./shell.ts";

const files = {
  "pods.txt":
    "NAME    READY   STATUS    RESTARTS   AGE\nweb-1   1/1     Running   0          5m\nweb-2   0/1     Pending   3          10s\ndb      1/1     Running   12         2h\n",
  "x.yaml": "kind: Pod\nmetadata:\n  name: x\nspec:\n  replicas: 1\n",
  "pods.json": JSON.stringify({
    items: [
      { metadata: { name: "b", labels: { app: "web" } }, spec: { n: 2 }, status: { phase: "Running" } },
      { metadata: { name: "a", labels: { app: "db", "x/y": "z" } }, spec: { n: 10 }, status: { phase: "Pending" } },
    ],
  }),
  "names.csv": "ann,30\nbob,7\n",
};

type Row = readonly [line: string, out: string, code?: number, err?: string];

const grep: readonly Row[] = [
  ["grep Running pods.txt | wc -l", "2\n"],
  ["grep -c Running pods.txt; grep -v -c Running pods.txt", "2\n2\n"],
  ["grep -n '^web' pods.txt | cut -d: -f1", "2\n3\n"],
  ["grep -i NAME x.yaml", "  name: x\n"],
  ["grep -E 'web-[12]|db' -o pods.txt", "web-1\nweb-2\ndb\n"],
  ["grep -w web pods.txt | wc -l; grep -F '1/1' -c pods.txt", "2\n2\n"],
  ["grep -A1 metadata x.yaml; grep -B 1 spec x.yaml", "metadata:\n  name: x\n  name: x\nspec:\n"],
  ["grep -l kind *.yaml *.txt; grep -r replicas .", "x.yaml\n./x.yaml:  replicas: 1\n"],
  ["grep -q db pods.txt && echo yes; grep -q nothing pods.txt || echo no", "yes\nno\n"],
  ["grep 'a\\|b' names.csv | grep -c '[[:digit:]]\\{2\\}'", "1\n"],
  ["grep --color=auto -m1 web pods.txt | cut -c1-5", "web-1\n"],
  ["grep x nothing", "", 2, "grep: nothing: No such file or directory\n"],
  ["grep '(' x.yaml; grep -E '(' x.yaml", "", 2, "grep: Unmatched ( or \\(\n"],
  [
    "echo aXa | grep -J x",
    "",
    2,
    "grep: invalid option -- 'J'\nUsage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n",
  ],
];

const sed: readonly Row[] = [
  ["sed 's/x/y/' x.yaml | grep name", "  name: y\n"],
  ["echo a/b/a | sed -e 's|a|c|g' -e 's/b/[&]/'", "c/[b]/c\n"],
  ["echo abc | sed -E 's/(a)(b)/\\2\\1/'; echo abc | sed 's/\\(b\\)/<\\1>/'", "bac\na<b>c\n"],
  ["sed -n 2p names.csv; sed -n '/bob/p' names.csv; sed 1d names.csv", "bob,7\nbob,7\nbob,7\n"],
  ["seq 5 | sed -n '2,3p'; seq 5 | sed '2,4d'; seq 3 | sed '$d'", "2\n3\n1\n5\n1\n2\n"],
  ["seq 3 | sed '/2/,$s/^/x/'; seq 2 | sed '1!d'", "1\nx2\nx3\n1\n"],
  ["sed -i 's/replicas: 1/replicas: 3/' x.yaml; tail -1 x.yaml", "  replicas: 3\n"],
  ["seq 2 | sed '1i top' | sed '$a end'; echo a | sed 's/A/b/I'", "top\n1\n2\nend\nb\n"],
  ["printf 'a\\nb\\n' | sed 'N; s/\\n/-/'; seq 3 | sed -n '1!G;h;$p'; seq 4 | sed -n '1~2p'", "a-b\n3\n2\n1\n1\n3\n"],
  ["echo abab | sed 's/b/X/2'; echo hello | sed y/el/ip/", "abaX\nhippo\n"],
  ["seq 10 | sed 3q | tail -1", "3\n"],
  ["sed 's/a' x", "", 1, "sed: -e expression #1, char 3: unterminated `s' command\n"],
];

const awk: readonly Row[] = [
  ["awk '{print $1}' pods.txt", "NAME\nweb-1\nweb-2\ndb\n"],
  ["awk 'NR>1 {print $1, $NF}' pods.txt", "web-1 5m\nweb-2 10s\ndb 2h\n"],
  ["awk -F, '{s += $2} END {print s, NR, s/NR}' names.csv", "37 2 18.5\n"],
  ["awk '$3 == \"Running\" && $4 > 5' pods.txt | awk '{print $1}'", "db\n"],
  ["awk '/web/ {n++} END {print n+0}' pods.txt", "2\n"],
  ["awk '{c[$3]++} END {for (k in c) print k, c[k]}' pods.txt | sort", "Pending 1\nRunning 2\nSTATUS 1\n"],
  [
    'awk -v x=3 \'BEGIN {printf "%s-%03d\\n", "a", x; print length("abc"), substr("hello", 2, 3), toupper("x")}\'',
    "a-003\n3 ell X\n",
  ],
  ["awk '{$2 = \"-\"; print}' OFS=, names.csv", "ann,30,-\nbob,7,-\n"],
  ["awk 'BEGIN {OFS=\",\"} {$1=$1; print}' pods.txt | head -1", "NAME,READY,STATUS,RESTARTS,AGE\n"],
  ["awk '!/NAME/ {gsub(/[0-9]/, \"#\"); print $1}' pods.txt", "web-#\nweb-#\ndb\n"],
  [
    'awk \'BEGIN {for (i = 1; i <= 3; i++) {if (i == 2) continue; s = s i}; print s; n = split("a:b", p, ":"); print n p[2]}\'',
    "13\n2b\n",
  ],
  [
    "awk 'function twice(x) {return x * 2} BEGIN {print twice(4) > \"/dev/stderr\"; print 1 > 2}' && cat 2",
    "1\n",
    0,
    "8\n",
  ],
  ["seq 3 | awk '{getline x; print $0 x}'; echo a:b | awk -F: -v OFS=- '{$1 = $1; print}'", "12\n32\na-b\n"],
  [
    'awk \'function f(n) {return n < 2 ? n : f(n - 1) + f(n - 2)} BEGIN {print f(15); print gensub(/b+/, "<&>", 1, "abbc")}\'',
    "610\na<bb>c\n",
  ],
  ["awk 'BEGIN {system(\"ls\")}'", "", 2, "awk: line 1: commands cannot be run here\n"],
  ["awk '{print $1'  x.yaml", "", 2, "awk: line 1: syntax error at or near end of file\n"],
  ["awk 'BEGIN {while (1) x++}'", "", 1, "awk: it does more than it may here\n"],
];

const jq: readonly Row[] = [
  ["jq -r '.items[].metadata.name' pods.json", "b\na\n"],
  ["jq '.items | length' pods.json; jq -c '.items[0].spec' pods.json", '2\n{"n":2}\n'],
  ["jq -r '.items[] | select(.status.phase == \"Running\") | .metadata.name' pods.json", "b\n"],
  ["jq -c '[.items[] | {name: .metadata.name, n: .spec.n}] | sort_by(.n) | map(.name)' pods.json", '["b","a"]\n'],
  ["jq -r '.items[] | \"\\(.metadata.name)=\\(.spec.n + 1)\"' pods.json", "b=3\na=11\n"],
  ["jq -r '.items[1].metadata.labels[\"x/y\"], .items[1].metadata.labels.app' pods.json", "z\ndb\n"],
  ["jq '.items | map(.spec.n) | add, max, min' pods.json", "12\n10\n2\n"],
  [
    "jq -c '.items | group_by(.metadata.labels.app) | map({key: .[0].metadata.labels.app, value: length}) | from_entries' pods.json",
    '{"db":1,"web":1}\n',
  ],
  ["jq -c '.items[1].metadata.labels | to_entries | map(.key)' pods.json", '["app","x/y"]\n'],
  ["echo '{\"p\":\"aGk=\"}' | jq -r '.p | @base64d'; echo '[1,\"a\"]' | jq -r '@csv, @tsv'", 'hi\n1,"a"\n1\ta\n'],
  [
    'echo \'{"a":1}\' | jq -c \'.b // "none", (.a |= . + 1), (.c.d = 5), del(.a), has("a")\'',
    '"none"\n{"a":2}\n{"a":1,"c":{"d":5}}\n{}\ntrue\n',
  ],
  [
    "jq -n '[range(5)] | map(select(. % 2 == 0)) | join(\"-\")'; jq -cn '[1,[2]] | flatten, (.[1:] | length)'",
    '"0-2-4"\n[1,2]\n1\n',
  ],
  ["jq -n --arg x 5 --argjson y 6 '$x, $y, ($x | tonumber + $y)'", '"5"\n6\n11\n'],
  [
    'jq -cn \'reduce range(4) as $i (0; . + $i), [foreach range(3) as $i (0; . + $i)], (if 1 > 2 then "a" elif true then "b" else "c" end)\'',
    '6\n[0,1,3]\n"b"\n',
  ],
  [
    'jq -cn \'def f(x): x * 2; f(3), ([1,2] as [$a, $b] | $a + $b), ({"a": {"b": 1}} | [paths]), (try error("x") catch .)\'',
    '6\n3\n[["a"],["a","b"]]\n"x"\n',
  ],
  [
    'jq -cn \'"a-b" | test("^a"), sub("-"; "+"), [scan("[a-z]")], split("-"), ascii_upcase, ltrimstr("a")\'',
    'true\n"a+b"\n["a","b"]\n["a","b"]\n"A-B"\n"-b"\n',
  ],
  [
    'jq -cn \'"ab" | sub("(?<x>a)"; "<\\(.x)>"), [match("b").offset], ("x" * 3), [limit(2; repeat(1))], (5 | IN(1, 5)), "\\(1, 2)"\'',
    '"<a>b"\n[1]\n"xxx"\n["ab",1]\ntrue\n"1"\n"2"\n',
  ],
  ["jq --foo . x.yaml 2>&1 | head -1", "jq: Unknown option: --foo\n"],
  ["jq --stream . x.yaml 2>&1 | head -1", "jq: Unknown option: --stream\n"],
  ["jq -c '.. | .phase? // empty' pods.json; jq -e '.none' pods.json; echo $?", '"Running"\n"Pending"\nnull\n1\n'],
  ["echo '1 2' | jq -s -c .; printf 'a\\nb\\n' | jq -R -s -c 'split(\"\\n\")'", '[1,2]\n["a","b",""]\n'],
  ['echo \'{"b":1,"a":[]}\' | jq -S .', '{\n  "a": [],\n  "b": 1\n}\n'],
  ["echo 5 | jq '.x'", "", 5, 'jq: error (at <stdin>:1): Cannot index number with "x"\n'],
  [
    "jq '.a |' pods.json",
    "",
    3,
    "jq: error: syntax error, unexpected end of file at <top-level>, line 1:\n.a |\njq: 1 compile error\n",
  ],
  ["jq -n 'def f: f; f'", "", 1, "jq: it nests too deeply\n"],
];

const lines: readonly Row[] = [
  ["printf 'b 2\\na 10\\nb 2\\n' | sort | uniq -c", "      1 a 10\n      2 b 2\n"],
  ["printf 'b 2\\na 10\\n' | sort -k2 -n; printf '1\\n10\\n9\\n' | sort -rn | head -n 1", "b 2\na 10\n10\n"],
  ["printf '2Gi\\n300Mi\\n1Ki\\n' | sort -h; printf 'a\\nb\\na\\n' | sort -u | tail -n +2", "1Ki\n300Mi\n2Gi\nb\n"],
  ["cut -d, -f2 names.csv; cut -c1-2 names.csv; echo a:b:c | cut -d: -f2-", "30\n7\nan\nbo\nb:c\n"],
  [
    "echo Hello | tr a-z A-Z; echo a1b2 | tr -d 0-9; echo 'a  b' | tr -s ' '; echo ab | tr -cd 'a\\n'",
    "HELLO\nab\na b\na\n",
  ],
  ["wc -l < names.csv; wc names.csv; echo hi | wc -c", "2\n 2  2 13 names.csv\n3\n"],
  ["echo a | tee f g; cat f g; echo b | tee -a f | cat - f", "a\na\na\nb\na\nb\n"],
  ["seq 3 | tac | paste -sd, ; seq 4 | paste - - | head -1; echo abc | rev", "3,2,1\n1\t2\ncba\n"],
  ["printf 'a b\\nccc d\\n' | column -t; echo a | nl", "a    b\nccc  d\n     1\ta\n"],
  ["head -c 3 names.csv; echo; seq 20 | head | wc -l; seq 5 | head -n -3; seq 5 | tail -2", "ann\n10\n1\n2\n4\n5\n"],
  [
    "echo aGVsbG8= | base64 -d; echo; echo -n hello | base64; echo -n hello | sha256sum | cut -c1-8",
    "hello\naGVsbG8=\n2cf24dba\n",
  ],
  [
    "echo a b c | xargs -n1 echo x; printf 'p\\nq\\n' | xargs -I{} echo [{}]; echo | xargs -r echo no",
    "x a\nx b\nx c\n[p]\n[q]\n",
  ],
  ["printf '%s|%5d|%-4s|%.2f|%x\\n' a 7 b 1.005 255; printf '%s\\n' a b", "a|    7|b   |1.00|ff\na\nb\n"],
  ["echo -e 'a\\tb'; echo -n x; echo; basename /a/b.txt .txt; dirname /a/b", "a\tb\nx\nb\n/a\n"],
  ["date -u +%Y-%m-%dT%H:%M:%SZ; date -d '1 day ago' +%F; date -d @0 +%s", "2026-01-01T00:00:00Z\n2025-12-31\n0\n"],
  [
    "diff -u x.yaml <(sed s/x/y/ x.yaml) | tail -n +3",
    "@@ -1,5 +1,5 @@\n kind: Pod\n metadata:\n-  name: x\n+  name: y\n spec:\n   replicas: 1\n",
  ],
  ["which kubectl foo; type k; command -v grep", "/usr/bin/kubectl\nk is aliased to `kubectl'\n/usr/bin/grep\n"],
];

const tree: readonly Row[] = [
  ["mkdir -p a/b && echo 1 > a/b/f && cp -r a c && mv c/b/f c/g && ls -R c", "c:\nb\ng\n\nc/b:\n"],
  ["ls nothing", "", 2, "ls: cannot access 'nothing': No such file or directory\n"],
  ["mkdir a; rm a", "", 1, "rm: cannot remove 'a': Is a directory\n"],
  ["mkdir a; mkdir a", "", 1, "mkdir: cannot create directory 'a': File exists\n"],
  ["cp nothing x; rm -f nothing; echo $?", "0\n", 0, "cp: cannot stat 'nothing': No such file or directory\n"],
  ["echo a > no/such", "", 1, "bash: no/such: No such file or directory\n"],
  ["mkdir d; touch d/a.yaml d/b.txt; find d -name '*.yaml'; find d -type d", "d/a.yaml\nd\n"],
  ["cd /tmp; pwd; cd -; cd; pwd; cd ~/..; pwd", "/tmp\n/home/user\n/home/user\n/home\n"],
];

describe("K8: the terminal's programs", () => {
  test.for([...grep, ...sed, ...awk, ...jq, ...lines, ...tree])("K8: %s", async ([line, out, code, err]) => {
    expect(await shellWith(files).run(line)).toEqual({ code: code ?? 0, out, err: err ?? "" });
  });

  test.each([
    ["awk 'function f(n) {return f(n + 1)} BEGIN {f(0)}'", "awk: it nests too deeply\n"],
    ["jq -n '[range(1e9)]'", "jq: output of more than 16 MB cannot be held\n"],
    ["jq -n '\"x\" * 1e9'", "jq: output of more than 16 MB cannot be held\n"],
    ["echo a | sed ':a; s/a/aa/; ta'", "sed: it does more than it may here\n"],
    ["printf '%999999999d' 1", "printf: output of more than 16 MB cannot be held\n"],
    [`echo ${"$(".repeat(3000)}`, "bash: it nests too deeply\n"],
    [`echo $((${"(".repeat(3000)}1`, "bash: unexpected EOF while looking for matching `)'\n"],
    [`X='${"(".repeat(3000)}'; echo $((X))`, "bash: it nests too deeply\n"],
    ["echo {1..999999999}", "bash: output of more than 16 MB cannot be held\n"],
  ])("K8: stop %s at a bound, with a plain error", async (line, err) => {
    expect((await shellWith(files).run(line)).err).toBe(err);
  });

  test("K8: include time, which runs a command by its alias", async () => {
    const { out, err, code } = await shellWith().run("time k get pods -o name");
    expect([code, out]).toEqual([0, "pod/web-1\npod/web-2\npod/db\n"]);
    expect(err).toMatch(/^\nreal\t0m0\.\d{3}s\nuser\t.*\nsys\t.*\n$/);
  });

  test("K8: include kubectl proxy, which serves the cluster's API at a local port", async () => {
    const { run } = shellWith();
    const line =
      "kubectl proxy --port=8002 & until curl -s localhost:8002/api/v1/namespaces/shop/pods/web-1 -o pod; do sleep 1; done; jq -r .metadata.name pod; kubectl proxy -p 8002; kill %1";
    expect(await run(line)).toMatchObject({
      out: "Starting to serve on 127.0.0.1:8002\nweb-1\n",
      err: expect.stringContaining("bind: address already in use"),
    });
  });

  test("K8: include curl, which reaches ports of kubectl port-forward without a node", async () => {
    const { run } = shellWith();
    const line =
      "kubectl port-forward pod/web-1 8080:80 & until curl -s localhost:8080 2>/dev/null; do sleep 1; done; curl -so /dev/null -w '%{http_code}\\n' localhost:8080/none; kill %1";
    expect((await run(line)).out).toBe("Forwarding from 127.0.0.1:8080 -> 80\n<h1>Hello</h1>\n404\n");
    expect(await run("curl localhost:9")).toMatchObject({
      code: 7,
      err: expect.stringContaining("Failed to connect to localhost port 9"),
    });
  });
});
