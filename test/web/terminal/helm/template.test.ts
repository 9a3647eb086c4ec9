// The template language of charts: facts of Go's text/template and of the functions that Helm adds.
import { describe, expect, test } from "vitest";
import { SteppedClock } from "../../../../shared/base/clock.ts";
import { seededRandom } from "../../../../shared/base/random.ts";
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import type { Chart, ChartFile } from "../../../../web/terminal/shell/helm/chart/chart.ts";
import { defaultCapabilities } from "../../../../web/terminal/shell/helm/chart/capabilities.ts";
import { renderChart, renderLimits, type RenderLimits } from "../../../../web/terminal/shell/helm/chart/render.ts";

function chartOf(templates: readonly ChartFile[], files: readonly ChartFile[]): Chart {
  return {
    name: "c",
    metadata: { name: "c", version: "1.2.3", apiVersion: "v2", appVersion: "7" },
    templates,
    files,
    raw: [],
    schema: undefined,
    lock: null,
    values: {},
    requirements: [],
    dependencies: [],
    parent: undefined,
  };
}

interface Given {
  readonly values?: JsonObject;
  readonly helpers?: string;
  readonly files?: readonly ChartFile[];
  readonly limits?: RenderLimits;
}

async function render(text: string, { values = {}, helpers = "", files = [], limits = renderLimits }: Given = {}) {
  const templates = [
    { name: "templates/t.yaml", text },
    { name: "templates/_h.tpl", text: helpers },
  ];
  const outputs = await renderChart(
    {
      chart: chartOf(templates, files),
      values,
      release: { Name: "r", Namespace: "n", Revision: 1n, Service: "Helm" },
      capabilities: defaultCapabilities,
      clock: new SteppedClock(),
      newRandom: () => seededRandom(1),
    },
    limits,
  );
  return outputs.get("c/templates/t.yaml");
}

const values = {
  list: ["a", "b"],
  map: { b: 2, a: 1 },
  port: 80,
  large: 1_000_000,
  text: "x",
  no: false,
  nothing: null,
};

describe("the language", () => {
  test.each([
    ["{{ .Values.text }}-{{ .Release.Name }}", "x-r"],
    ["a {{- 1 -}} b", "a1b"],
    ["a{{/* nothing */}}b{{- /* trimmed */ -}} c", "abc"],
    ["{{ range $i, $e := .Values.list }}{{ $i }}={{ $e }};{{ end }}", "0=a;1=b;"],
    ["{{ range $k, $v := .Values.map }}{{ $k }}{{ $v }}{{ end }}", "a1b2"],
    ["{{ range .Values.missing }}x{{ else }}none{{ end }}", "none"],
    ["{{ range 3 }}{{ . }}{{ end }}", "012"],
    [
      "{{ range list 1 2 3 4 }}{{ if eq . 2 }}{{ continue }}{{ end }}{{ if eq . 4 }}{{ break }}{{ end }}{{ . }}{{ end }}",
      "13",
    ],
    [
      "{{ with .Values.text }}{{ . }}{{ end }}{{ with .Values.no }}x{{ else with .Values.port }}{{ . }}{{ end }}",
      "x80",
    ],
    ["{{ if and .Values.text (not .Values.no) }}yes{{ else if true }}no{{ end }}", "yes"],
    ["{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $y := 3 }}{{ end }}{{ $x }}", "2"],
    ['{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .Values.text }}{{ block "u" 5 }}{{ . }}{{ end }}', "<x>5"],
    ["{{ ((.Values.missing).deep).deeper }}|{{ .Values.nothing }}", "|"],
    ['{{ (index .Values.list 1) }}{{ len .Values.list }}{{ index .Values.map "b" }}', "b22"],
    ['{{ or .Values.no .Values.text }}{{ and .Values.no (fail "not evaluated") }}', "xfalse"],
    ['{{ eq 1 2 1 }} {{ lt 1 2 }} {{ ge "b" "a" }} {{ ne .Values.text "y" }}', "true true true true"],
    ["{{ .Values.port }} {{ .Values.large }} {{ .Values.large | int }} {{ 1e3 }}", "80 1e+06 1000000 1000"],
    ["{{ .Values.map }} {{ .Values.list }} {{ list 1 nil }}", "map[a:1 b:2] [a b] [1 <nil>]"],
    ['{{ `raw "text"` }} {{ \'a\' }} {{ "\\u00e9\\n" | quote }}', 'raw "text" 97 "é\\n"'],
  ])("%s renders as %j", async (text, output) => {
    expect(await render(text, { values })).toBe(output);
  });

  test.each([
    ["%d %s %v %q %t %5.2f|%-4s|%04d|%x", '5 "a" 1.5 "q" true 3.142 "s" 7 255', '5 a 1.5 "q" true  3.14|s   |0007|ff'],
    ["%d", ".Values.port", "%!d(float64=80)"],
    ["%s %s", '"a"', "a %!s(MISSING)"],
    ["%s", '"a" 2', "a%!(EXTRA int=2)"],
    ["%+v %T %%", "1 2.5", "+1 float64 %"],
    ["%v %s", "nil nil", "<nil> %!s(<nil>)"],
    ["%c%c %q", "65 1114112 97", "A\ufffd 'a'"],
  ])("printf %j of %s prints %j", async (format, args, output) => {
    expect(await render(`{{ printf ${JSON.stringify(format)} ${args} }}`, { values })).toBe(output);
  });
});

describe("errors", () => {
  test.each([
    [
      "{{ .Values.a.b }}",
      'template: c/templates/t.yaml:1:10: executing "c/templates/t.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b',
    ],
    [
      "\n{{ .Values.text.x }}",
      'template: c/templates/t.yaml:2:10: executing "c/templates/t.yaml" at <.Values.text.x>: can\'t evaluate field x in type interface {}',
    ],
    ["{{ nope 1 }}", 'parse error at (c/templates/t.yaml:1): function "nope" not defined'],
    ["{{ if true }}", "parse error at (c/templates/t.yaml:1): unexpected EOF"],
    ["{{ $x }}", 'parse error at (c/templates/t.yaml:1): undefined variable "$x"'],
    ["{{ .Values.text", "parse error at (c/templates/t.yaml:1): unclosed action"],
    [
      '{{ required "a name is needed" .Values.missing }}',
      "execution error at (c/templates/t.yaml:1:3): a name is needed",
    ],
    ['{{ include "none" . }}', 'error calling include: template: no template "none" associated with template "gotpl"'],
    ['{{ trunc .Values.port "x" }}', "wrong type for value; expected int; got float64"],
    ["{{ index .Values.list 9 }}", "error calling index: index out of range: 9"],
    ["{{ div 1 0 }}", "error calling div: runtime error: integer divide by zero"],
    ["{{ break }}", "parse error at (c/templates/t.yaml:1): {{break}} outside {{range}}"],
  ])("%s fails with its place", async (text, message) => {
    await expect(render(text, { values })).rejects.toThrow(message);
  });

  test("a template that calls itself ends with an error", async () => {
    await expect(
      render('{{ include "x" . }}', { helpers: '{{ define "x" }}{{ include "x" . }}{{ end }}' }),
    ).rejects.toThrow(/nests more than 400 calls/);
  });

  test.each([
    ["toJson $v"],
    ["deepCopy $v"],
    ["print $v"],
    ['printf "%s" $v'],
    ["deepEqual $v (deepCopy (list $v))"],
    ['join "," $v'],
    ["uniq $v"],
    ["merge (dict) $m (dict)"],
  ])("a value that contains itself many times is not walked to its end by %s", async (call) => {
    const doubled = '{{ $v := list 1 }}{{ range until 60 }}{{ $v = list $v $v }}{{ end }}{{ $m := dict "v" $v }}';
    await expect(render(`${doubled}{{ $x := ${call} }}`)).rejects.toThrow(/more than 1000000 values/);
    const cyclic = '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ $v := list $m }}';
    await expect(render(`${cyclic}{{ $x := ${call} }}`)).rejects.toThrow(/more than 1000000 values/);
  });

  test("functions on long texts and lists take more steps", async () => {
    const limits = { ...renderLimits, steps: 50_000 };
    const repeated = (call: string) => `{{ $t := repeat 1000000 "a" }}{{ range until 10 }}{{ $x := ${call} }}{{ end }}`;
    expect(await render(repeated("1"), { limits })).toBe("");
    await expect(render(repeated("upper $t"), { limits })).rejects.toThrow(/more steps/);
    const late = { ...renderLimits, ms: -1 };
    await expect(render(repeated("upper $t"), { limits: late })).rejects.toThrow(/take longer/);
  });

  test("regular expressions and layouts of times take limited work", async () => {
    const limits = { ...renderLimits, patternUnits: 5000 };
    const matched = (count: number) =>
      `{{ range until ${count} }}{{ $x := regexFind "(a|b)*c" (repeat 100 "ab") }}{{ end }}`;
    expect(await render(matched(1), { limits })).toBe("");
    await expect(render(matched(5000), { limits })).rejects.toThrow(
      "the regular expressions take longer than a page may spend",
    );
    const startMs = performance.now();
    const layout = "MST".repeat(40);
    expect(await render(`{{ toDate "${layout}" (printf "%s!" (repeat 400 "a")) | date "2006-01-02" }}`)).toBe(
      "0001-01-01",
    );
    expect(performance.now() - startMs).toBeLessThan(5000);
  });

  test("a time that the page cannot represent is an error", async () => {
    await expect(render('{{ dateModify "9999999999h" now }}')).rejects.toThrow(
      "error calling dateModify: times this far",
    );
    await expect(render('{{ date "2006" 99999999999999 }}')).rejects.toThrow("error calling date: times this far");
  });

  test.each([
    '{{ $t := "ab" }}{{ range until 40 }}{{ $t = print $t $t }}{{ end }}',
    '{{ $x := replace "a" (repeat 4000000 "b") (repeat 1000000 "a") }}',
    '{{ $x := regexReplaceAll "a" (repeat 1000000 "a") (repeat 4000000 "b") }}',
    '{{ $x := join (repeat 4000000 "b") (until 1000) }}',
  ])("a text of more than 4 MB is not built by %s", async (text) => {
    await expect(render(text)).rejects.toThrow("a text of more than 4 MB cannot be held");
  });

  test.each([
    ["{{ randBytes 100001 }}", "a random text of more than 100000 characters cannot be held"],
    ['{{ buildCustomCert "?" "?" }}', "error calling buildCustomCert: unable to decode base64 certificate"],
  ])("%s fails with %s", async (text, message) => {
    await expect(render(text)).rejects.toThrow(message);
  });

  test("steps, output and time are limited", async () => {
    const loop = "{{ range until 1000 }}{{ range until 1000 }}ab{{ end }}{{ end }}";
    await expect(render(loop, { limits: { ...renderLimits, steps: 10_000 } })).rejects.toThrow(/more steps/);
    await expect(render(loop, { limits: { ...renderLimits, outputBytes: 10_000 } })).rejects.toThrow(/write more/);
    await expect(render(loop, { limits: { ...renderLimits, ms: -1 } })).rejects.toThrow(/take longer/);
    await expect(render('{{ repeat 999999999 "x" }}')).rejects.toThrow(/cannot be held/);
    await expect(render("{{ until 999999999 }}")).rejects.toThrow(/cannot be held/);
  });
});

describe("functions", () => {
  test.each([
    ["{{ toYaml .Values.map | nindent 2 }}", "\n  a: 1\n  b: 2"],
    ['{{ (fromYaml "a: {b: [1, x]}").a.b | toJson }}', '[1,"x"]'],
    ['{{ fromYaml "{a: y, b: Off}" }} {{ b64dec "YYD/4oCL" | quote }}', 'map[a:true b:false] "a\\x80\\xff\\u200b"'],
    ['{{ dict "b" 1 "a" (list "<" true) | toJson }}', '{"a":["\\u003c",true],"b":1}'],
    ['{{ tpl "{{ .Release.Name }}-{{ include \\"h\\" . }}" . }}', "r-helped"],
    ['{{ default "d" .Values.no }} {{ coalesce nil "" "c" }} {{ ternary 1 2 true }} {{ empty 0 }}', "d c 1 true"],
    [
      '{{ "a-b_c" | replace "-" "." | upper }} {{ trunc 2 "abc" }} {{ trunc -2 "abc" }} {{ trimSuffix "-" "x-" }}',
      "A.B_C ab bc x",
    ],
    ['{{ join "," (list 1 "b" nil) }} {{ splitList "." "a.b" | last }} {{ (split "." "a.b")._1 }}', "1,b b b"],
    ['{{ merge (dict "a" 1) (dict "a" 2 "b" (dict "c" 3)) | toJson }}', '{"a":1,"b":{"c":3}}'],
    ['{{ mergeOverwrite (dict "a" 1 "b" 1) (dict "a" false) | toJson }}', '{"a":false,"b":1}'],
    [
      '{{ hasKey .Values "port" }} {{ get .Values "x" }} {{ dig "map" "b" 0 .Values }} {{ pick .Values.map "a" }}',
      "true  2 map[a:1]",
    ],
    [
      '{{ list 3 1 3 | uniq | sortAlpha | join "" }} {{ has 1 (list 1 2) }} {{ without (list 1 2) 1 }} {{ first (rest (list 1 2)) }}',
      "13 true [2] 2",
    ],
    [
      '{{ semverCompare ">=1.19-0" "v1.36.1" }} {{ semverCompare "~1.2" "1.3.0" }} {{ semverCompare "^1.2.x || 3" "3.0.1" }} {{ (semver "1.2.3-rc.1").Minor }}',
      "true false true 2",
    ],
    [
      '{{ semverCompare "1.2 - 1.4.5" "1.4.5" }} {{ semverCompare ">= 1.2, < 3.0" "3.0.0" }} {{ semverCompare "<1.0 || >=2.0 <3.0" "2.5.0" }}',
      "true false true",
    ],
    [
      '{{ camelcase "HTTP_server-name" }} {{ snakecase "HTTPServer" }} {{ kebabcase "FirstName2" }}',
      "HTTPServerName http_server first-name-2",
    ],
    [
      '{{ regexMatch "^a+$" "aaa" }} {{ regexReplaceAll "(a)(b)" "xaby" "${2}$1" }} {{ regexSplit "," "a,b,c" 2 }} {{ regexFind "b." "abc" }}',
      "true xbay [a b,c] bc",
    ],
    [
      '{{ b64enc "hé" }} {{ b64dec "aMOp" }} {{ sha256sum "a" | trunc 8 }} {{ sha1sum "a" | trunc 8 }} {{ adler32sum "a" }}',
      "aMOp hé ca978112 86f7e437 6422626",
    ],
    ['{{ toDate "2006-01-02" "2026-11-29" | date "Mon 2 Jan 06 15:04:05 MST" }}', "Sun 29 Nov 26 00:00:00 UTC"],
    [
      "{{ add 1 2 }} {{ mul 2 3 4 }} {{ div 7 2 }} {{ mod 7 2 }} {{ addf 0.1 0.2 }} {{ round 2.5 0 }} {{ max 1 5 3 }} {{ seq 1 3 }}",
      "3 24 3 1 0.3 3 5 1 2 3",
    ],
    [
      '{{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.KubeVersion.Minor }} {{ .Chart.Name }}{{ .Chart.Version }}{{ .Chart.AppVersion }}',
      "true 36 c1.2.37",
    ],
    [
      '{{ (.Files.Glob "conf/*").AsConfig }} {{ .Files.Get "conf/a.txt" }} {{ .Files.Lines "conf/a.txt" }} {{ if .Files.Glob "x" }}x{{ end }}',
      "a.txt: one one [one] ",
    ],
    [
      '{{ kindOf .Values.port }} {{ kindIs "map" .Values.map }} {{ typeOf "x" }} {{ deepEqual (list 1) (list 1) }}',
      "float64 true string true",
    ],
    [
      '{{ snakecase "FirstName" }} {{ camelcase "http_server" }} {{ title "a b" }} {{ plural "one" "many" 2 }} {{ cat 1 "x" }}',
      "first_name HttpServer A B many 1 x",
    ],
    ['{{ randAlphaNum 5 | len }} {{ uuidv4 | len }} {{ lookup "v1" "Pod" "" "" }}', "5 36 map[]"],
  ])("%s renders as %j", async (text, output) => {
    const helpers = '{{ define "h" }}helped{{ end }}';
    expect(await render(text, { values, helpers, files: [{ name: "conf/a.txt", text: "one" }] })).toBe(output);
  });

  test("a certificate is signed by its authority and names its hosts", async () => {
    const { X509Certificate } = await import("node:crypto");
    const text =
      '{{ $ca := genCA "my-ca" 10 }}{{ $leaf := genSignedCert "web" (list "10.0.0.1") (list "web.n.svc") 5 $ca }}{{ $ca.Cert }}#{{ $leaf.Cert }}#{{ $leaf.Key }}';
    const [authority = "", leaf = "", key = ""] = (await render(text))?.split("#") ?? [];
    const certificate = new X509Certificate(leaf);
    expect(certificate.verify(new X509Certificate(authority).publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe("DNS:web.n.svc, IP Address:10.0.0.1");
    expect(key).toContain("BEGIN PRIVATE KEY");
  });
});
