// Custom resources in this process: an object whose schema has a megabyte, and the start of a cluster with a thousand definitions.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { CustomResourceDefinition, JSONSchemaProps } from "../../shared/k8s/api/apiextensions-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { kinds } from "../../worker/kinds/catalogue.ts";
import { type Compiled, compile } from "../../worker/kinds/apiextensions/custom-resource/compiled.ts";
import { customKinds } from "../../worker/kinds/apiextensions/custom-resource/custom-resource.ts";
import { validateCreated } from "../../worker/kinds/apiextensions/custom-resource/validation.ts";
import { parseSummary, summaryOf } from "../../worker/kinds/apiextensions/custom-resource-definition/summary.ts";
import { Catalogue } from "../../worker/registry/catalogue.ts";
import { type Figure, atMost } from "../table.ts";

const groups = 120;
const fieldsOfGroup = 40;
const warmUps = 200;
const rounds = 500;
const manyDefinitions = 1000;
const meter = new WorkMeter();

export function customResources(): Figure[] {
  const definition = definitionOf("widgets");
  const bytes = JSON.stringify(definition).length;
  if (bytes < 1_000_000) throw new Error(`the schema is a megabyte, not ${bytes} bytes`);
  const firstMs = msOf(() => check(compile(definition, meter)));
  const compiled = compile(definition, meter);
  for (let round = 0; round < warmUps; round++) check(compiled);
  const nextMs = msOf(() => {
    for (let round = 0; round < rounds; round++) check(compiled);
  });
  const each = nextMs / rounds;
  const summaries = Array.from({ length: manyDefinitions }, (_, at) => summaryOf(definitionOf(`widgets${at}`, false)));
  const wakingMs = msOf(() => wake(summaries));
  return [
    { what: "the first object of a 1 MB schema", value: firstMs, unit: "ms" },
    { what: "decode, default, validate another", value: each, unit: "ms", bar: atMost(each, 5, "ms") },
    { what: "1,000 definitions at waking", value: wakingMs, unit: "ms", bar: atMost(wakingMs, 100, "ms") },
  ];
}

function msOf(run: () => void): number {
  const startMs = performance.now();
  run();
  return performance.now() - startMs;
}

function check(compiled: Compiled): void {
  const version = compiled.version("v1");
  const { object, unknown } = version.schema.decode(structuredClone(widget));
  const errors = validateCreated(object as KubeObject, version, meter);
  if (errors.length > 0 || unknown.length > 0) throw new Error(`the widget is valid: ${JSON.stringify(errors)}`);
}

function wake(summaries: readonly string[]): void {
  const catalogue = new Catalogue(kinds);
  for (const text of summaries) {
    const summary = parseSummary(text);
    const name = `${summary.plural}.${summary.group}`;
    const never = (): never => {
      throw new Error("no schema is looked at");
    };
    const { served, stored } = customKinds(summary, 1, never, { convert: never, needsWebhook: () => false, meter });
    catalogue.put(name, served, stored);
  }
  if (!catalogue.byPath("example.com/v1", "widgets7")) throw new Error("the kinds are served");
}

function definitionOf(plural: string, isLarge = true): CustomResourceDefinition {
  const kind = plural.replace("widget", "Widget");
  const names = { plural, singular: plural, kind, listKind: `${kind}List`, shortNames: ["w"] };
  const schema = { openAPIV3Schema: isLarge ? largeSchema : { type: "object" } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com`, uid: "bench", generation: 1 },
    spec: {
      group: "example.com",
      names,
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
    status: {
      acceptedNames: names,
      storedVersions: ["v1"],
      conditions: [{ type: "Established", status: "True" }],
    },
  };
}

/** A schema of the size of large definitions: many groups of many fields, each with a long description. */
const largeSchema: JSONSchemaProps = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: groups }, (_, at) => [`group${at}`, groupSchema()])),
      "x-kubernetes-validations": [{ rule: "self.group1.field0 != ''", message: "field0 is needed" }],
    },
  },
};

function groupSchema(): JSONSchemaProps {
  const description = "What this field is for, and what becomes of it. ".repeat(3);
  const text = { type: "string", description, maxLength: 100, pattern: "^[a-z0-9-]*$" };
  const fields = Array.from({ length: fieldsOfGroup }, (_, at): [string, JSONSchemaProps] => [`field${at}`, text]);
  const list: JSONSchemaProps = {
    type: "array",
    maxItems: 50,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: {
      type: "object",
      required: ["name"],
      properties: { name: { ...text, minLength: 1 }, port: { type: "integer", minimum: 1, default: 80 } },
    },
  };
  return { type: "object", description, properties: { ...Object.fromEntries(fields), list } };
}

const widget = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name: "web", namespace: "default", labels: { app: "web" } },
  spec: Object.fromEntries(
    Array.from({ length: 20 }, (_, group) => [
      `group${group}`,
      {
        ...Object.fromEntries(Array.from({ length: 10 }, (__, at) => [`field${at}`, `value-${at}`])),
        list: Array.from({ length: 10 }, (__, at) => ({ name: `item-${at}` })),
      },
    ]),
  ),
};
