// A lesson's folder as one document, and problems by line and column.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { clusterIndexOf, clustersOf } from "../../shared/lesson/lesson.ts";
import { readLessonFolder } from "../../shared/lesson/read-folder.ts";
import { writeLessonFolder } from "../../shared/lesson/write-folder.ts";

const good = `name: first
title: First
manifests: [setup.yaml]
steps:
  - title: One
    page: 1.md
    question: How many?
    checks:
      - name: Runs
        points: 2
        hint: Run it.
        expression: answer == "3"
    solution:
      - answer: "3"
      - apply: fix.yaml
      - apply: |
          kind: ConfigMap
`;
const files = { "1.md": "# One\n", "setup.yaml": "a: 1\n", "fix.yaml": "b: 2\n" };

function read(text: string, beside: Record<string, string> = files) {
  return readLessonFolder(new Map(Object.entries({ "lesson.yaml": text, ...beside })));
}

function problems(text: string, beside?: Record<string, string>) {
  const lessonResult = read(text, beside);
  if (!("problems" in lessonResult)) return [];
  return lessonResult.problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
}

test("M5: a folder is one document, with the texts of its files", () => {
  expect(read(good)).toEqual({
    lesson: {
      name: "first",
      title: "First",
      description: "",
      timeLimitMinutes: limits.lessonMinutes,
      users: [{ name: "learner", groups: ["system:masters"] }],
      allowsStatusWrites: false,
      prepare: [],
      allowsSkipping: true,
      manifests: "a: 1\n",
      steps: [
        {
          title: "One",
          text: "# One\n",
          question: "How many?",
          checks: [{ name: "Runs", points: 2, hint: "Run it.", expression: 'answer == "3"' }],
          solution: [{ answer: "3" }, { apply: "b: 2\n" }, { apply: "kind: ConfigMap\n" }],
        },
      ],
    },
  });
});

test("images of a lesson are in the document, or in files of its folder: one, or a list", () => {
  const text = good.replace(
    "title: First",
    "title: First\nimages: [docker.io/acme, shop.yaml, more.yaml, {name: 'own:1'}]",
  );
  const lessonResult = read(text, {
    ...files,
    "shop.yaml": "name: shop:v1\nfrom: busybox\n",
    "more.yaml": "- name: a:1\n- name: b:1\n",
  });
  const names = "lesson" in lessonResult && Array.isArray(lessonResult.lesson.images) ? lessonResult.lesson.images : [];
  expect(names.map((name) => (typeof name === "string" ? name : name.name))).toEqual([
    "docker.io/acme",
    "shop:v1",
    "a:1",
    "b:1",
    "own:1",
  ]);
  expect(problems(text, { ...files, "shop.yaml": "name: [", "more.yaml": "- names: a\n" })).toEqual([
    expect.stringContaining("lesson.yaml:3:"),
  ]);
  expect(problems(text, { ...files, "shop.yaml": "name: 5\n", "more.yaml": "[]" })).toEqual([
    "lesson.yaml:3:26: name: must be a text",
  ]);
});

describe("problems of a lesson's folder", () => {
  test.each([
    [
      "an unknown field",
      good.replace("title: First", "titel: First"),
      ["2:1: titel: is no field here", "1:1: title: is required"],
    ],
    ["a type", good.replace("points: 2", "points: two"), ["10:17: points: must be a number"]],
    ["a missing page", good.replace("1.md", "2.md"), ['6:11: there is no file "2.md" in the folder']],
    ["missing manifests", good.replace("setup.yaml", "set.yaml"), ['3:13: there is no file "set.yaml" in the folder']],
    ["YAML", good.replace("question: How", "question: [How"), ["8:5: Flow sequence"]],
    [
      "an expression, plain",
      good.replace('answer == "3"', "answr == 3"),
      ["12:21: undeclared reference to 'answr' (in container '')"],
    ],
    [
      "an expression, further on",
      good.replace('answer == "3"', "true && answr"),
      ["12:29: undeclared reference to 'answr' (in container '')"],
    ],
    [
      "an expression in quotes",
      good.replace('answer == "3"', "'true && answr'"),
      ["12:30: undeclared reference to 'answr' (in container '')"],
    ],
    [
      "an expression of several lines",
      good.replace('answer == "3"', "|\n          true &&\n          answr"),
      ["14:11: undeclared reference to 'answr' (in container '')"],
    ],
    [
      "an expression that is neither true nor false",
      good.replace('answer == "3"', "answer"),
      ["12:21: must be true or false"],
    ],
    [
      "a field of a change",
      good.replace('answer == "3"', 'changes("v1", "Pod", "a").all(c, c.who == "")'),
      ["12:55: undefined field 'who'"],
    ],
    [
      "an action",
      good.replace('answer: "3"', "run: kubectl"),
      ["14:9: solution: must be one of apply, patch, delete, node and answer"],
    ],
    [
      "an alias that expands too far",
      `a: &a [${"1,".repeat(500)}]\nb: &b [${"*a,".repeat(50)}]\nc: [${"*b,".repeat(50)}]\n`,
      ["1:1: Excessive alias count indicates a resource exhaustion attack"],
    ],
    [
      "two checks of a name",
      good.replace("    solution:", "      - {name: Runs, expression: 'true'}\n    solution:"),
      ["13:16: name: another check has that name"],
    ],
    [
      "YAML that is applied",
      good.replace("kind: ConfigMap", "kind: ConfigMap\n          data: {a: [}"),
      ["18:22: Flow sequence in block collection"],
    ],
    [
      "a template with nodes",
      good.replace("manifests:", "template: shop\nnodes: 2\nmanifests:"),
      ["4:8: nodes: must be absent"],
    ],
    [
      "a template's name",
      good.replace("manifests:", "template: a b\nmanifests:"),
      ["3:11: template: must be the name"],
    ],
  ])("M5: include %s", (_, text, expected) => {
    const problemTexts = problems(text);
    expect(problemTexts.length).toBeGreaterThanOrEqual(expected.length);
    for (const expectedProblem of expected) expect(problemTexts.join("\n")).toContain(`lesson.yaml:${expectedProblem}`);
  });

  test("M5: include invalid YAML with the line and column of its file", () => {
    expect(problems(good, { ...files, "setup.yaml": "a: 1\n---\nb: 'x\n" })).toEqual([
      "setup.yaml:4:1: Missing closing 'quote",
    ]);
    expect(problems(good, { ...files, "fix.yaml": "a: 1\na: 2\n" })).toEqual(["fix.yaml:2:1: Map keys must be unique"]);
  });

  test("M5: include a folder that is too large, or without a lesson", () => {
    const large = { ...files, "2.md": "x".repeat(limits.lessonCharacters) };
    expect(problems(good, large)).toEqual([
      `lesson.yaml:1:1: the files have more than ${limits.lessonCharacters} characters together`,
    ]);
    const many = Object.fromEntries(Array.from({ length: limits.lessonFiles + 1 }, (_, at) => [`${at}.md`, ""]));
    expect(problems(good, many)).toEqual([`lesson.yaml:1:1: the folder has more than ${limits.lessonFiles} files`]);
    expect(readLessonFolder(new Map())).toEqual({
      problems: [{ file: "lesson.yaml", line: 1, column: 1, message: "there is no lesson.yaml in the folder" }],
    });
  });
});

const severalClusters = `name: several
title: Several
exam: {}
clusters:
  - name: k8s-c1
    nodes: 3
    manifests: [setup.yaml]
  - name: k8s-c2
    version: "1.35"
    prepare: [{node: {name: node-1, run: "true"}}]
steps:
  - {title: One, cluster: k8s-c2, page: 1.md, checks: [{name: a, expression: "true"}]}
  - {title: Two, page: 1.md, checks: [{name: a, expression: "true"}]}
`;

test("an exam has several clusters with manifests of their own, and a task names its cluster", () => {
  const result = read(severalClusters);
  if ("problems" in result) throw new Error(JSON.stringify(result.problems));
  const { lesson } = result;
  expect(clustersOf(lesson)).toEqual([
    { name: "k8s-c1", nodes: 3, manifests: "a: 1\n", prepare: [] },
    { name: "k8s-c2", version: "1.35", manifests: "", prepare: [{ node: { name: "node-1", run: "true" } }] },
  ]);
  expect(lesson.steps.map((step) => clusterIndexOf(lesson, step))).toEqual([1, 0]);
  expect(readLessonFolder(writeLessonFolder(lesson))).toEqual(result);
});

test("the documented exam of two clusters is a lesson", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/exams.md"), "utf8");
  const [, text = ""] = /```yaml clusters\n([^]*?)```/.exec(page) ?? [];
  const result = read(text, { "k8s-c1.yaml": "kind: Namespace\n" });
  expect(result).toMatchObject({ lesson: { clusters: [{ nodes: 3 }, { version: "1.35" }] } });
});

test("an exam's clusters are refused where they are wrong", () => {
  expect(problems(severalClusters.replace("cluster: k8s-c2", "cluster: k8s-c3"))).toEqual([
    "lesson.yaml:12:27: cluster: must be one of k8s-c1, k8s-c2",
  ]);
  expect(problems(severalClusters.replace("name: k8s-c2", "name: k8s-c1"))).toEqual([
    "lesson.yaml:8:11: name: another cluster has that name",
    "lesson.yaml:12:27: cluster: must be one of k8s-c1, k8s-c1",
  ]);
  expect(problems(severalClusters.replace("exam: {}\n", "nodes: 2\n"))).toEqual([
    "lesson.yaml:5:3: clusters: must be absent without exam",
    "lesson.yaml:3:8: nodes: must be absent with clusters, which define it",
  ]);
  expect(problems(severalClusters.replace("    nodes: 3", "    nodes: 3\n    template: web"))).toEqual([
    "lesson.yaml:6:12: nodes: must be absent with a template, which defines it",
  ]);
  expect(problems(good.replace("title: One", "title: One\n    cluster: a"))).toEqual([
    "lesson.yaml:6:14: cluster: must be absent without clusters",
  ]);
  const many = Array.from({ length: limits.lessonClusters + 1 }, (_, at) => `  - name: c${at}\n`).join("");
  expect(problems(severalClusters.replace(/clusters:[^]*steps/, `clusters:\n${many}steps`))).toEqual([
    "lesson.yaml:5:3: clusters: must have at most 6 entries",
  ]);
  expect(problems(severalClusters.replace("setup.yaml", "missing.yaml"))).toEqual([
    'lesson.yaml:7:17: there is no file "missing.yaml" in the folder',
  ]);
});
