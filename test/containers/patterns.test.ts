// Patterns in scripts and in nginx' configuration: their matches, and bounds that protect other containers.
import { describe, expect, test } from "vitest";
import { isPattern } from "../../shared/base/pattern.ts";
import { seededRandom } from "../../shared/base/random.ts";
import { nginxFiles } from "../../worker/containers/products/nginx/image-files.ts";
import { braced } from "../../shared/shell/braces.ts";
import { newMetered } from "../../shared/shell/meter.ts";
import { globEnd, globFind, globMatches, globOf, globStart } from "../../shared/shell/patterns/glob.ts";
import { Files } from "../../worker/containers/shell/files.ts";
import { newMeter } from "../../worker/containers/shell/meter.ts";
import type { Process } from "../../worker/containers/shell/process.ts";
import { nginxPage } from "../../worker/containers/products/nginx/answer.ts";
import { regularExpression } from "../../shared/shell/patterns/regular.ts";
import { type Start, trace } from "../../worker/containers/shell/trace.ts";
import { newTexts } from "../base/pattern-texts.ts";

const forever = Number.POSITIVE_INFINITY;
const free = () => true;

function run(script: string, more: Partial<Start> = {}) {
  const execution = trace({ words: ["sh", "-c", script], startMs: 0, untilMs: forever, ...more });
  const printed = (stream: string) => {
    const ownChunks = execution.chunks.filter((chunk) => chunk.stream === stream);
    return ownChunks.map((chunk) => chunk.text).join("");
  };
  return { end: execution.end, out: printed("stdout"), err: printed("stderr") };
}

const attacked = `${"a".repeat(46)}!`;
const stars = "*a".repeat(30);

describe("P1: the cost of a script's pattern", () => {
  test.each([
    [`echo ${attacked} | grep -E '^(a+)+$'; echo $?`, "1\n"],
    [`echo ${attacked} | grep '^\\(a\\+\\)\\+$'; echo $?`, "1\n"],
    [`echo ${attacked} | sed -E 's/^(a|a)*$/x/'`, `${attacked}\n`],
    [`[[ ${attacked} =~ ^(a+)+$ ]]; echo $?`, "1\n"],
    [`[[ ${attacked} == ${stars}b ]]; echo $?`, "1\n"],
    [`case ${attacked} in ${stars}b) echo yes;; *) echo no;; esac`, "no\n"],
    [`x=${attacked}; echo \${x%%${stars}b}`, `${attacked}\n`],
    [`x=${attacked}; echo \${x##${stars}b}`, `${attacked}\n`],
    [`x=${attacked}; echo \${x//${stars}b/-}`, `${attacked}\n`],
    [`touch /tmp/${attacked}; echo /tmp/${stars}b`, `/tmp/${stars}b\n`],
  ])("grows only with text and pattern: %.60s", (script, out) => {
    expect(run(script, { work: 5000 })).toMatchObject({ out, end: { exitCode: 0 } });
  });

  const long = "x=ab; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do x=$x$x; done;";

  test.each([
    [`${long} echo $x | grep -E '(a|b)*a(a|b){900}c'; echo never`],
    [`${long} [[ $x =~ (a|b)*a(a|b){900}c ]]; echo never`],
    [`${long} echo $x | sed -E 's/(a?b?){300}$/x/g'; echo never`],
    [`${long} x=$x$x$x$x; echo $x | sed 's/a.*c\\|a/x/g'; echo never`],
    [`${long} case $x in *${"ab".repeat(500)}c) echo a;; esac; echo never`],
    [`${long} echo \${x%%${"a*".repeat(300)}c}; echo never`],
  ])("ends at the work limit without partial output: %.110s", (script) => {
    expect(run(script, { work: 50_000 })).toEqual({ end: undefined, out: "", err: "" });
  });

  test("is low for an ordinary pattern", () => {
    const line = "2026-01-01T00:00:00Z INFO request path=/api/v1/pods status=200 ms=12";
    const script = `for i in 1 2 3 4 5 6 7 8 9; do echo '${line}'; done | grep -E 'status=[45][0-9]{2}' | wc -l; x=${line}; echo \${x##*=}`;
    expect(run(script, { work: 5000 }).end?.exitCode).toBe(0);
  });
});

describe("P1: patterns that have no linear-time match", () => {
  const busybox = { programs: new Set(["ash", "sh", "echo", "grep", "sed"]) };

  test.each([
    ["echo aa | grep '\\(a\\)\\1'", 2, "grep: back-references are not supported\n"],
    ["echo aa | grep -E '(a'", 2, "grep: Unmatched ( or \\(\n"],
    ["echo aa | grep -E 'a[b'", 2, "grep: Unmatched [, [^, [:, [., or [=\n"],
    ["echo aa | grep -E 'a{3000}'", 2, "grep: Invalid content of \\{\\}\n"],
    ["echo aa | grep -E '((a{500}b{500}){10}){10}'", 2, "grep: Regular expression too big\n"],
    ["echo aa | sed 's/\\(a\\)\\1/b/'", 1, "sed: -e expression #1, char 12: back-references are not supported\n"],
    ["r='(a)\\1'; [[ aa =~ $r ]]", 2, ""],
  ])("%s exits %d", (script, exitCode, err) => {
    expect(run(script)).toEqual({ end: expect.objectContaining({ exitCode }) as object, out: "", err });
  });

  test("busybox reports the pattern in its own words", () => {
    expect(run("echo aa | grep '\\(a\\)\\1'", busybox)).toMatchObject({
      err: "grep: bad regex '\\(a\\)\\1': back-references are not supported\n",
      end: { exitCode: 2 },
    });
  });
});

describe("P2: POSIX patterns", () => {
  test.each([
    ["echo 'a+b a1b aab' | grep -o 'a+b'", "a+b\n"],
    ["echo 'a+b a1b aab' | grep -oE 'a+b'", "aab\n"],
    ["echo 'one two' | grep -oE '[[:alpha:]]+'", "one\ntwo\n"],
    ["echo abcd | grep -oE 'ab|abc|abcd'", "abcd\n"],
    ["echo 'a.b' | grep -F 'a.b'; echo axb | grep -cF a.b", "a.b\n0\n"],
    ["echo Hello | grep -i hello", "Hello\n"],
    ["echo '*x' | grep '*x'", "*x\n"],
    ["echo 'x^y$' | grep -c 'x^y$'", "0\n"],
    ["echo 'x^y$z' | grep -c 'x^y$z'", "1\n"],
    ["echo 'a]b' | grep -o '[]x]b'", "]b\n"],
    ["echo 'foo foobar' | grep -oE '\\<foo\\>'", "foo\n"],
    ["echo aXbXc | sed 's/X/-/g'; echo aXb | sed 's|X|/|'", "a-b-c\na/b\n"],
    ["echo 'John Smith' | sed -E 's/(\\w+) (\\w+)/\\2, \\1 (&)/'", "Smith, John (John Smith)\n"],
    ["echo 'a b' | sed 's/\\([a-z]\\) \\([a-z]\\)/\\2\\n\\1/'", "b\na\n"],
    ["echo a/b | sed 's/\\//-/'; echo 'a&b' | sed 's/b/\\&/'", "a-b\na&&\n"],
    ["echo aab | sed -E 's/a**//'", "b\n"],
    ["[[ v1.22.3 =~ ^v([0-9]+)\\.([0-9]+) ]]; echo ${BASH_REMATCH[1]}-${BASH_REMATCH[2]}", "1-22\n"],
    ["x=a.b.c; echo ${x#*.} ${x##*.} ${x%.*} ${x%%.*} ${x/./-} ${x//./-}", "b.c c a.b a a-b.c a-b-c\n"],
    ["x='a*b'; echo \"${x#a\\*}\" \"${x%'*b'}\"", "b a\n"],
    ["x=/a/b/; echo ${x//\\//-} ${x//[!a-z]}", "-a-b- ab\n"],
    ["case 5 in [[:digit:]]) echo digit;; esac; case ] in []]) echo bracket;; esac", "digit\nbracket\n"],
    [
      "mkdir /d; touch /d/a.log /d/b.txt /d/alog; find /d -name '*.log'; find /d -name '[ab].*'",
      "/d/a.log\n/d/a.log\n/d/b.txt\n",
    ],
    ["echo `echo \\`echo deep\\``", "deep\n"],
    ["case '[x' in '['*) echo open;; esac; case a] in ?]) echo close;; esac", "open\nclose\n"],
  ])("%s matches", (script, out) => {
    expect(run(script).out).toBe(out);
  });

  test("extended and basic expressions match as JavaScript's do, the longest of the leftmost", () => {
    const texts = newTexts(seededRandom(3));
    const process = { meter: newMeter(forever, 0, undefined), paused: false } as Process;
    for (let round = 0; round < 3000; round++) {
      const { javascript, extended, basic } = texts.expression(3);
      const text = texts.word();
      const wholeText = new RegExp(`^(?:${javascript})$`, "su");
      const spans = spansOf(text).filter(([from, to]) => wholeText.test(text.slice(from, to)));
      for (const isExtended of [true, false]) {
        const source = isExtended ? extended : basic;
        const pattern = regularExpression(process, source, { isExtended });
        const match = isPattern(pattern) ? pattern.find(text, 0, free) : "refused";
        const span = typeof match === "object" ? [match.start, match.end] : match;
        expect(span, `${source} in ${text}`).toEqual(spans[0]);
      }
    }
  });

  test("globs match as their expressions do", () => {
    const texts = newTexts(seededRandom(4));
    for (let round = 0; round < 5000; round++) {
      const { shell, javascript } = texts.glob();
      const text = texts.word();
      const glob = globOf(shell);
      const wholeText = new RegExp(`^(?:${javascript})$`, "su");
      const fits = (from: number, to: number) => wholeText.test(text.slice(from, to));
      const places = [...Array(text.length + 1).keys()];
      const summary = `${shell} in ${text}`;
      expect(globMatches(glob, text, free), summary).toBe(wholeText.test(text));
      const ends = places.filter((to) => fits(0, to));
      expect(globStart(glob, text, false, free), summary).toBe(ends[0]);
      expect(globStart(glob, text, true, free), summary).toBe(ends.at(-1));
      const starts = places.filter((from) => fits(from, text.length));
      expect(globEnd(glob, text, true, free), summary).toBe(starts[0]);
      expect(globEnd(glob, text, false, free), summary).toBe(starts.at(-1));
      const spans = spansOf(text).filter(([from, to]) => from < to && fits(from, to));
      expect(globFind(glob, text, 0, free), summary).toEqual(spans[0]);
    }
  });
});

/** All parts of a text: the leftmost first, of those the longest first. */
function spansOf(text: string): (readonly [number, number])[] {
  const places = [...Array(text.length + 1).keys()];
  return places.flatMap((from) =>
    places
      .filter((to) => to >= from)
      .map((to) => [from, to] as const)
      .reverse(),
  );
}

describe("nginx", () => {
  const files = (config: string) =>
    new Files(
      Object.entries({ ...nginxFiles(80), "/etc/nginx/conf.d/default.conf": config }).map(
        ([path, text]) => [path, { text, mode: 0o644, changedMs: 0 }] as const,
      ),
    );
  const status = (config: string, path: string) => {
    const request = { method: "GET", path, headers: [], body: "", nowMs: 0 };
    const podWorld = { image: "nginx", files: files(config), host: "web-0", address: "10.244.0.5" };
    return nginxPage({ ...request, ...podWorld }).status;
  };

  test("P1: a location's expression is matched in linear time, and past its budget the answer is 500", () => {
    const slow = "server { listen 80; location ~ '^/(a+)+$' { return 204; } location / { return 200; } }";
    expect(status(slow, `/${attacked}`)).toBe(200);
    expect(status(slow, "/aaa")).toBe(204);
    const large = "server { listen 80; location ~ '(a?){800}a{800}b' { return 204; } location / { return 200; } }";
    expect(status(large, `/${"a".repeat(4000)}`)).toBe(500);
  });

  test.each([
    ["server { location ~ (?=a)b { return 204; } }", '"(?=a)b" in /etc/nginx/conf.d/default.conf:1\n'],
    ["server {\n  # one\n  location ~* '(a' {\n  }\n}", '"(a" in /etc/nginx/conf.d/default.conf:3\n'],
  ])("P1: %j prevents the start", (config, where) => {
    const execution = trace({ words: ["nginx", "-g", "daemon off;"], startMs: 0, untilMs: 1000, files: files(config) });
    expect(execution.end?.exitCode).toBe(1);
    const err = execution.chunks.map(({ text }) => text).join("");
    expect(err).toMatch(/^nginx: \[emerg\] pcre2_compile\(\) failed: .+ in /m);
    expect(err.endsWith(where)).toBe(true);
  });

  test.each([
    ["server { listen 80; location ~* \\.(png|jpg)$ { return 204; } }", "/a.PNG", 204],
    ["server { listen 80; location ~ \\.php$ { return 204; } location = /x.php { return 201; } }", "/x.php", 201],
    ['server { listen 80; location /a { return 201 "a; } b"; } location /a/b { return 202; } }', "/a/b/c", 202],
    ["server { listen [::]:80; # listen 81;\n return 204; }", "/", 204],
    ["server { listen 80; set $a ${b}; if ($a) { return 403; } return 204; }", "/", 204],
  ])("%j answers %s with %d", (config, path, code) => {
    expect(status(config, path)).toBe(code);
  });
});

test("N1: braces in braces are paid for at each level, so that a long text ends the work before the depth", () => {
  const nested = `${"{a,".repeat(12_000)}${"}".repeat(12_000)}`;
  expect(() => braced(newMetered(20_000, 1024 * 1024 * 16, 200), nested)).toThrow("spent");
  expect(braced(newMetered(20_000, 1024 * 1024, 200), "x{a,{b,c}}{1..2}")).toEqual([
    "xa1",
    "xa2",
    "xb1",
    "xb2",
    "xc1",
    "xc2",
  ]);
});
