// Generates shared/schema/facts/descriptions.json: the texts of types and fields that `kubectl explain` shows.
//
// The texts are the documentation of the Kubernetes API (Apache-2.0), which every API server publishes in its OpenAPI documents. They are
// read from the declarations of @kubernetes/client-node (Apache-2.0), generated from release 1.36. Run with `npm run generate`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { typeFacts } from "../shared/schema/type-facts.ts";

interface Field {
  json?: string;
  inline?: string;
  type?: unknown;
}
interface Facts {
  types: Record<string, { fields: Field[] }>;
}

/** A class of the client: its documentation under "", and that of its fields. */
interface Model {
  readonly name: string;
  readonly fields: ReadonlySet<string>;
  readonly texts: ReadonlyMap<string, string>;
}

/** Each text once, and for each type the indexes of its own text and of its fields' texts. */
export interface Descriptions {
  readonly texts: string[];
  readonly types: Record<string, Record<string, number>>;
}

const repeated = [
  { form: "quantity", type: "io.k8s.apimachinery.pkg.api.resource.Quantity", start: "Quantity is " },
  { form: "intOrString", type: "io.k8s.apimachinery.pkg.util.intstr.IntOrString", start: "IntOrString is " },
];

/** Returns the descriptions of all types that the client has. */
export function describe(facts: Facts, models: readonly Model[]): Descriptions {
  const byName = new Map(models.map((model) => [model.name.toLowerCase(), model]));
  const index = new Map<string, number>();
  const types: Record<string, Record<string, number>> = {};
  const add = (type: string, field: string, text: string | undefined) => {
    if (!text) return;
    const textIndexes = (types[type] ??= {});
    if (textIndexes[field] !== undefined) return;
    if (!index.has(text)) index.set(text, index.size);
    textIndexes[field] = index.get(text) ?? 0;
  };
  for (const name of Object.keys(facts.types).sort()) {
    const model = modelOf(name, facts, byName);
    if (!model) continue;
    add(name, "", model.texts.get(""));
    // A field of an inlined struct is described once, at that struct.
    for (const { owner, json, type } of ownedFields(name, facts)) {
      const text = model.texts.get(plain(json));
      // For these types the client repeats the type's text at every field, instead of the field's own.
      const special = repeated.find((repeat) => repeat.form === type && text?.startsWith(repeat.start));
      if (special) add(special.type, "", text);
      else add(owner, json, text);
    }
  }
  return { texts: [...index.keys()], types: Object.fromEntries(Object.entries(types).sort()) };
}

/** Parses one declaration file. */
export function parseModel(source: string): Model | undefined {
  const name = /export declare class (\w+)/.exec(source)?.[1];
  if (!name) return undefined;
  const texts = new Map<string, string>();
  const fields = new Set<string>();
  let comment = "";
  for (const line of source.split("\n").map((sourceLine) => sourceLine.trim())) {
    if (line.startsWith("static ")) break;
    const text = /^\* (.*)$/.exec(line)?.[1];
    const field = /^'([^']+)'\??:/.exec(line)?.[1];
    if (line === "/**") comment = "";
    else if (text !== undefined) comment += (comment ? "\n" : "") + unescape(text);
    else if (line.startsWith("export declare class")) {
      texts.set("", comment);
      comment = "";
    } else if (field !== undefined) {
      fields.add(plain(field));
      if (comment) texts.set(plain(field), comment);
      comment = "";
    }
  }
  return { name, fields, texts };
}

/** Returns the client's model: `CoreV1Event` for `io.k8s.api.core.v1.Event`, `V1Pod` for `io.k8s.api.core.v1.Pod`. */
function modelOf(type: string, facts: Facts, byName: ReadonlyMap<string, Model>): Model | undefined {
  const [local = "", version = "", group = ""] = type.split(".").reverse();
  const fields = ownedFields(type, facts).map(({ json }) => plain(json));
  const candidates = [`${group}${version}${local}`, `${version}${local}`].map((name) =>
    byName.get(name.replaceAll("-", "").toLowerCase()),
  );
  // Types of other groups may have the same short name: only the one with the same fields is right.
  return candidates.find(
    (model) =>
      model && fields.some((field) => model.fields.has(field)) && fields.every((field) => model.fields.has(field)),
  );
}

function ownedFields(type: string, facts: Facts): { owner: string; json: string; type: unknown }[] {
  return (facts.types[type]?.fields ?? []).flatMap((field) => {
    if (field.inline) return ownedFields(field.inline, facts);
    return field.json ? [{ owner: type, json: field.json, type: field.type }] : [];
  });
}

/** Converts the client's name of a field, which writes reserved words as `_default` and dashes as underscores. */
function plain(field: string): string {
  return field.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();
}

function unescape(text: string): string {
  return text.replaceAll(/\\(['"\\`])/g, "$1");
}

/** Returns the text of the generated file, from the installed client and the facts. */
export function generateDescriptions(root: URL): string {
  const folder = new URL("node_modules/@kubernetes/client-node/dist/gen/models/", root);
  const models = readdirSync(folder)
    .filter((file) => file.endsWith(".d.ts"))
    .map((file) => parseModel(readFileSync(new URL(file, folder), "utf8")))
    .filter((model) => model !== undefined);
  return `${JSON.stringify(describe(typeFacts, models))}\n`;
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  writeFileSync(new URL("shared/schema/facts/descriptions.json", root), generateDescriptions(root));
}
