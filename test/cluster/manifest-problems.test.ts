// Problems in manifests: document, line of the text, and field.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { ManifestProblem } from "../../shared/contract/error.ts";
import { applyManifests } from "../../worker/cluster/manifests/manifests.ts";
import { ManifestError } from "../../worker/cluster/manifests/refusal.ts";
import { newCluster } from "../cluster.ts";

function refusal(text: string): ManifestError {
  const { registry } = newCluster({ nodes: 0, controllers: [] });
  try {
    for (const _ of applyManifests(registry, text));
  } catch (error) {
    if (error instanceof ManifestError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** Document, line and field of each. */
function places(text: string): [number, number, string | undefined][] {
  return refusal(text).problems.map(({ document, line, field }: ManifestProblem) => [document, line, field]);
}

const first = `# a comment
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
# nothing here
---
`;
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
        - name: a
          image: nginx
        - name: b
          image: nginx
          ports:
            - containerPort: 80
`;
const second = first + deployment;

describe("I10: a refusal of manifests", () => {
  test.each([
    ["a field's value", second.replace("replicas: 2", "replicas: -1"), [[2, 13, "spec.replicas"]]],
    [
      "several of a list, each at its own line",
      second.replace("replicas: 2", "replicas: -1").replace("containerPort: 80", "containerPort: 99999"),
      [
        [2, 13, "spec.replicas"],
        [2, 26, "spec.template.spec.containers[1].ports[0].containerPort"],
      ],
    ],
    [
      "a missing field, at its parent",
      second.replace("- name: b\n          image", "- image"),
      [[2, 23, "spec.template.spec.containers[1].name"]],
    ],
    ["an unknown field", second.replace("replicas: 2", "replica: 2"), [[2, 13, "spec.replica"]]],
    [
      "unknown fields",
      second
        .replace("replicas: 2", "replica: 2")
        .replace("containerPort: 80", "containerPort: 80\n              host: x"),
      [
        [2, 13, "spec.replica"],
        [2, 27, "spec.template.spec.containers[1].ports[0].host"],
      ],
    ],
    ["a value of the wrong type", second.replace("replicas: 2", "replicas: many"), [[2, 13, "spec.replicas"]]],
    [
      "a value of the wrong type in a list",
      second.replace("containerPort: 80", "containerPort: http"),
      [[2, 26, "spec.template.spec.containers[1].ports[0].containerPort"]],
    ],
    [
      "a duplicate field",
      second.replace("replicas: 2", "replicas: 2\n  paused: true\n  replicas: 3"),
      [[2, 15, "spec.replicas"]],
    ],
    [
      "a duplicate field in a list",
      second.replace("          ports:", "          image: redis\n          ports:"),
      [[2, 25, "spec.template.spec.containers[1].image"]],
    ],
    ["an unknown kind", second.replace("kind: Deployment", "kind: Deploiment"), [[2, 9, "kind"]]],
    ["no kind", `${first}# what is this\nhello: world\n`, [[2, 9, "kind"]]],
    ["a syntax error", second.replace("  selector:", "  a: b: c\n  selector:"), [[2, 14, undefined]]],
    ["a bracket that is not closed", `${first}kind: [a\n`, [[2, 9, undefined]]],
    ["a control character", second.replace("name: web", "name: \u0001web"), [[2, 11, undefined]]],
    ["an unknown alias", second.replace("name: web", "name: *web"), [[2, 11, undefined]]],
    [
      "a label's key with dots",
      second.replace("        app: web\n", '        app: web\n        example.com/a.b: "x y"\n'),
      [[2, 17, "spec.template.labels"]],
    ],
    [
      "an item of a list of objects",
      `${first}{"apiVersion": "v1", "kind": "List",\n "items": [\n  {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}},\n  {"apiVersion": "v1", "kind": "ConfigMap",\n   "metadata": {"name": "B"}}]}\n`,
      [[2, 12, "items[1].metadata.name"]],
    ],
    [
      "lines that end as Windows' do",
      second.replace("replicas: 2", "replicas: -1").replaceAll("\n", "\r\n"),
      [[2, 13, "spec.replicas"]],
    ],
  ] as const)("names document, line and field of %s", (_, text, expected) => {
    expect(places(text)).toEqual(expected);
    const { message, problems } = refusal(text);
    const [document, line, field = ""] = expected[0];
    expect(message).toMatch(`document ${document}, line ${line}`);
    expect(message).toContain(field);
    expect(problems.map((problem) => problem.message)).not.toContain("");
  });

  test("an object that is refused as a whole is reported with the line on which it begins", () => {
    const pod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: missing}\nspec: {containers: [{name: a, image: b}]}\n";
    expect(places(first + pod)).toEqual([[2, 8, undefined]]);
    expect(refusal(first + pod).message).toMatch('document 2, line 8: namespaces "missing" not found');
  });

  test("R6: the number of problems and the length of each are bounded", () => {
    const data = Array.from({ length: 200 }, (_, at) => `  "a ${at + 100}": b\n`).join("");
    const { problems } = refusal(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n${data}`);
    expect(problems.map(({ line }) => line)).toEqual(
      Array.from({ length: limits.manifestProblems }, (_, at) => at + 5),
    );
    const long = "x".repeat(10_000);
    const [problem] = refusal(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${long}: 1\n`).problems;
    expect([problem?.line, problem?.field?.length, problem?.message.length]).toEqual([
      4,
      limits.manifestProblemCharacters,
      limits.manifestProblemCharacters,
    ]);
  });
});
