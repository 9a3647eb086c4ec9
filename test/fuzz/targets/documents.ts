// Fuzz targets of documents: state files, lessons, templates, and input of the console's kubectl.
import { createTemplate } from "../../../shared/contract/template.ts";
import { createLesson } from "../../../shared/contract/lesson.ts";
import { compileCheck } from "../../../shared/lesson/expressions.ts";
import { readLessonFolder } from "../../../shared/lesson/read-folder.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { exportedObjects } from "../../../shared/state/export.ts";
import { StateFileError } from "../../../shared/state/format.ts";
import { readStateFile } from "../../../shared/state/read-state.ts";
import { newGoTemplate } from "../../../web/kubectl/print/go-template.ts";
import { newTemplate } from "../../../web/kubectl/print/json-path.ts";
import { configMap, stateFile } from "../../state/files.ts";
import { apiResultOf, plainResultOf, resultOf, type Target, binaryText, bytesIn } from "../target.ts";

const states: Target = {
  name: "state file",
  share: 300,
  corpus: [binaryText(stateFile([configMap("a", "1"), configMap("b", "2")])), binaryText(stateFile([]))],
  words: [
    "sandbar-state",
    "\n",
    '"version":',
    "1",
    "{",
    "}",
    "\x1f\x8b",
    '"digest":',
    '"bytes":',
    "null",
    "-1",
    '"revision":',
  ],
  run: (input) => {
    const bytes = bytesIn(input);
    const file = resultOf(() => readStateFile(bytes), StateFileError);
    if (file) resultOf(() => [...exportedObjects(file)].length, StateFileError);
  },
};

const lesson =
  "name: first\ntitle: First\ntemplate: shop\nsteps:\n- title: One\n  page: one.md\n  checks:\n  - name: c\n    points: 3\n    expression: objects('v1', 'Pod', 'default').size() > 0\n    hint: x\n  solution:\n  - apply: web.yaml\nmanifests: [web.yaml]\n";

const lessons: Target = {
  name: "lesson",
  share: 300,
  corpus: [lesson, lesson.replace("page: one.md", "text: hello")],
  words: [
    "- ",
    ": ",
    "\n  ",
    "steps",
    "checks",
    "expression",
    "solution",
    "apply",
    "page",
    "../x",
    "web.yaml",
    "&a",
    "*a",
    "!!x",
    "[",
    "]",
    "{",
    "}",
    "|",
    "'",
    "null",
    "points",
    "-1",
  ],
  nests: [
    ["- ", ""],
    ["{a: ", "}"],
    ["[", "]"],
  ],
  run: (input) => {
    const files = new Map([
      ["lesson.yaml", input],
      ["one.md", "# One"],
      ["web.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"],
    ]);
    const read = resultOf(() => readLessonFolder(files));
    if (read && "lesson" in read) resultOf(() => createLesson.safeParse(read.lesson));
  },
};

const checks: Target = {
  name: "check of a lesson",
  share: 300,
  corpus: [
    "objects('v1', 'Pod', 'default').all(p, has(p.status.phase) && p.status.phase == 'Running')",
    "changes('apps/v1', 'Deployment', 'default', 'web').exists(c, c.byRequest && c.user == 'a')",
    "http('default/p', 'http://web/x').status == 200 && answer.matches('^a')",
    "user('jane').may('get', 'v1', 'pods', 'default') || logs('default/p').contains('x')",
  ],
  words: [
    "objects(",
    "object(",
    "changes(",
    "http(",
    "logs(",
    "answer",
    "'v1'",
    ")",
    ".",
    "==",
    "&&",
    "has(",
    ".all(x, ",
    "[",
    "]",
    "true",
  ],
  nests: [
    ["(", ")"],
    ["!", ""],
    ["has(", ")"],
    ["[1].all(x, ", ")"],
  ],
  run: (input) => void apiResultOf(() => compileCheck(input)),
};

const template =
  '{"name":"shop","title":"Shop","users":[{"user":"jane","role":"view","namespace":"shop"}],"incidents":[{"type":"image","workload":{"name":"web"}}],"sandbox":{"nodes":2,"manifests":"apiVersion: v1","ttlSeconds":60}}';

const templates: Target = {
  name: "template and sandbox",
  share: 300,
  corpus: [template],
  words: [
    '"users":',
    '"incidents":',
    '"sandbox":',
    '"nodes":',
    '"workload":',
    '"type":',
    '"patch":',
    "null",
    "[]",
    "{}",
    ",",
    '"a"',
    '"/apis/apps/v1/x"',
    "1e9",
    '"__proto__":',
  ],
  nests: [
    ['{"a":', "}"],
    ["[", "]"],
  ],
  run: (input) => {
    const value = apiResultOf(() => parseJson(input))?.value;
    resultOf(() => createTemplate.safeParse(value));
    resultOf(() => createLesson.safeParse(value));
  },
};

const list = {
  items: [
    { metadata: { name: "a", labels: { x: "1" } }, n: 1, l: [1, 2] },
    { metadata: { name: "b" }, n: null },
  ],
};

const outputs: Target = {
  name: "output of the console's kubectl",
  corpus: [
    '{range .items[*]}{.metadata.name}{"\\t"}{.n}{"\\n"}{end}',
    "{.items[?(@.n==1)].metadata.labels.x}{.items[-1:]['metadata','n']}{..name}",
    '{{range $i, $e := .items}}{{if eq $e.n 1}}{{$e.metadata.name | printf "%s-%d"}}{{else}}x{{end}}{{end}}',
    '{{with index .items 0}}{{.metadata.labels.x | len}}{{end}}{{- /* c */ -}}{{define "t"}}a{{end}}{{template "t" .}}',
  ],
  words: [
    "{",
    "}",
    "{{",
    "}}",
    "{{-",
    "range ",
    "end",
    "if ",
    "else",
    "with ",
    ".items",
    "[*]",
    "[?(@",
    ")]",
    "..",
    "$x := ",
    "|",
    "printf ",
    "index ",
    "len ",
    '"',
    "\\n",
    "(",
    ")",
    "and ",
    "not ",
    "eq ",
    ".",
    "define ",
    "template ",
  ],
  nests: [
    ["{range .items[*]}", "{end}"],
    ["{{range .items}}", "{{end}}"],
    ["{{if (", ")}}{{end}}"],
    ["[?(@[?(@", ")])]"],
    ["(", ")"],
    [".a", ""],
    ["not (", ")"],
  ],
  share: 300,
  run: (input) => {
    plainResultOf(() => newTemplate(input).text(list));
    plainResultOf(() => newGoTemplate(input).run(list));
  },
};

export const documentTargets: readonly Target[] = [states, lessons, checks, templates, outputs];
