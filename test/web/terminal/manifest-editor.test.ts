// Manifests in the terminal's editor: the field at a line, completions, and problems.
import { describe, expect, test } from "vitest";
import type { ClusterConnection } from "../../../web/kubectl/surroundings.ts";
import { findingsIn } from "../../../web/terminal/editor/checks.ts";
import { fieldsOf, placeAt, schemasOf } from "../../../web/terminal/shell/schema.ts";
import { placeOf } from "../../../web/terminal/editor/yaml-place.ts";

const text = { type: "string" };
const document = {
  components: {
    schemas: {
      "io.k8s.api.core.v1.Pod": {
        type: "object",
        properties: {
          apiVersion: text,
          kind: text,
          metadata: { allOf: [{ $ref: "#/components/schemas/Meta" }] },
          spec: { $ref: "#/components/schemas/PodSpec" },
        },
        "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }],
      },
      Meta: { type: "object", properties: { name: text, labels: { type: "object", additionalProperties: text } } },
      PodSpec: {
        type: "object",
        required: ["containers"],
        properties: {
          containers: { type: "array", items: { allOf: [{ $ref: "#/components/schemas/io.k8s.Container" }] } },
          hostNetwork: { type: "boolean" },
          restartPolicy: { type: "string", enum: ["Always", "Never"] },
        },
      },
      "io.k8s.Container": {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string", description: "Its name." },
          image: text,
          ports: { type: "array", items: { type: "object", properties: { containerPort: { type: "integer" } } } },
          port: { "x-kubernetes-int-or-string": true },
        },
      },
    },
  },
};

const requests: string[] = [];
const cluster: ClusterConnection = {
  name: "c",
  server: "",
  fetch: (path) => {
    requests.push(path);
    return Promise.resolve(
      path === "/openapi/v3/api/v1" ? new Response(JSON.stringify(document)) : new Response("", { status: 404 }),
    );
  },
  socket: () => {
    throw new Error("no socket");
  },
};

const head = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n";

describe("K9: a manifest in the editor", () => {
  const item = { item: true } as const;
  test.for([
    ["met|", [], ["apiVersion", "kind"]],
    ["metadata:\n  n|\n  labels: {}", ["metadata"], ["labels"]],
    ["spec:\n  containers:\n  - |", ["spec", "containers", item], []],
    ["spec:\n  containers:\n    - name: a\n      im|", ["spec", "containers", item], ["name"]],
    [
      "spec:\n  containers:\n  - name: a\n    ports:\n    - c|\n    image: b\n  x: y",
      ["spec", "containers", item, "ports", item],
      [],
    ],
    ["spec:\n  containers:\n  - name: a\n  - name: b\n    i|", ["spec", "containers", item], ["name"]],
    ["spec:\n  containers:\n  - name: a\n  res|", ["spec"], ["containers"]],
    ["a: b\n---\nspec:\n  x|", ["spec"], []],
  ] as const)("K9: has %j at %j", ([manifest, path, siblings]) => {
    const wholeText = `apiVersion: v1\nkind: Pod\n${manifest}`;
    const at = wholeText.indexOf("|");
    const before = wholeText.slice(0, at);
    const line = before.split("\n").at(-1) ?? "";
    const column = /^(?: |- )*/.exec(line)?.[0].length ?? 0;
    const place = placeOf(wholeText.replace("|", ""), before.split("\n").length - 1, column);
    expect(place.path).toEqual(path);
    expect([...place.siblings].sort()).toEqual(siblings);
  });

  test("K9: completes fields with their types, and reads the schema once", async () => {
    requests.length = 0;
    const schemas = schemasOf(cluster);
    const [pod] = await Promise.all([schemas.kind("v1", "Pod"), schemas.kind("v1", "Pod")]);
    const container = pod && placeAt(pod, ["spec", "containers", item]);
    expect(container && fieldsOf(container)).toEqual([
      { name: "name", type: "string", description: "Its name.", isRequired: true, holds: "value" },
      { name: "image", type: "string", description: "", isRequired: false, holds: "value" },
      { name: "ports", type: "[]object", description: "", isRequired: false, holds: "list" },
      { name: "port", type: "int or string", description: "", isRequired: false, holds: "value" },
    ]);
    expect(await schemas.kind("apps/v1", "Deployment")).toBeUndefined();
    expect(await schemas.kind("../../x", "Pod")).toBeUndefined();
    expect(requests).toEqual(["/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1"]);
  });

  test.for([
    [`${head}spec:\n  containers:\n  - name: a\n    image: b\n    port: 8080\n  hostNetwork: true\n`, []],
    [`${head}  labels:\n    any: thing\nspec:\n  containers: []\n`, []],
    [`${head}spec:\n  containers:\n  - name: a\n    imagee: b\n`, ['unknown field "spec.containers[0].imagee"']],
    [`${head}spec:\n  containers:\n  - image: b\n`, ['missing required field "spec.containers[0].name"']],
    [`${head}spec:\n  containers:\n    name: a\n`, ["spec.containers: must be of type array, not an object"]],
    [
      `${head}spec:\n  containers: []\n  hostNetwork: "yes"\n`,
      ["spec.hostNetwork: must be of type boolean, not string"],
    ],
    [`${head}spec:\n  containers: []\n  restartPolicy: Often\n`, ["spec.restartPolicy: must be one of Always, Never"]],
    ["apiVersion: v1\nkind: Shoe\n", ["the cluster serves no Shoe of v1"]],
    ["kind: Pod\n", ["apiVersion and kind must be set"]],
    ["a: [\n", ["Flow sequence in block collection must be sufficiently indented and end with a ]"]],
    ["", []],
    [
      `${head}spec:\n  containers: []\n---\n${head}spec:\n  containers: []\n  nodename: x\n`,
      ['unknown field "spec.nodename"'],
    ],
  ] as const)("K9: is marked in %j: %j", async ([manifest, messages]) => {
    const findings = await findingsIn(manifest, schemasOf(cluster));
    expect(findings.map(({ message }) => message.replace(/ at line.*/, ""))).toEqual(messages);
    for (const { from, to } of findings) expect(from).toBeLessThanOrEqual(Math.min(to, manifest.length));
  });
});
