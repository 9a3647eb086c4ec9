// `kubectl explain`: prints fields and their descriptions from the OpenAPI documents of the server.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag, stringFlag } from "../flag.ts";
import { Exit, asError } from "../errors.ts";
import { type Mapping, groupVersionOf } from "../cluster/discovery.ts";
import { at, listAt, objectAt, textOf } from "../object.ts";

const formats = ["plaintext", "plaintext-openapiv2"];

export const explain: Command = {
  name: "explain",
  use: "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2] [options]",
  short: "Get documentation for a resource",
  completes: "resources",
  flags: [
    boolFlag("recursive", "When true, print the name of all the fields recursively."),
    stringFlag("api-version", "Use given api-version (group/version) of the resource."),
    stringFlag("output", "Format in which to render the schema. Valid values are: (plaintext, plaintext-openapiv2).", {
      short: "o",
      default: "plaintext",
    }),
  ],
  run: async (call) => {
    const { args, flags, streams, cluster } = call;
    if (args.length === 0)
      throw new Error(
        'You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources.\n',
      );
    if (args.length > 1) throw new Error("We accept only this format: explain RESOURCE\n");
    if (!formats.includes(flags.text("output"))) throw new Error(`unrecognized format: ${flags.text("output")}`);
    const { mapping, path } = await resolve(call, args[0] ?? "");
    const version = mapping.group ? `apis/${mapping.group}/${mapping.version}` : `api/${mapping.version}`;
    const document = await cluster.json(`/openapi/v3/${version}`);
    const schemas = objectAt(document, "components", "schemas");
    const root = Object.values(schemas).find((schema) => isOf(schema, mapping));
    if (!isObject(root)) throw new Error(`GVK ${groupVersionOf(mapping)} ${mapping.kind} not found in OpenAPI schema`);
    const group = mapping.group ? `GROUP:      ${mapping.group}\n` : "";
    streams.out(`${group}KIND:       ${mapping.kind}\nVERSION:    ${mapping.version}\n\n`);
    const text = describeAt({ schemas, isRecursive: flags.bool("recursive") }, root, path);
    if (text === undefined) throw new Error(`field ${JSON.stringify(path.at(-1) ?? "")} does not exist`);
    streams.out(`${text}\n`);
  },
};

async function resolve(
  { cluster, flags }: CommandCall,
  argument: string,
): Promise<{ mapping: Mapping; path: string[] }> {
  const words = argument.replace(/\.$/, "").split(".");
  const version = flags.text("api-version");
  if (version) {
    const [plain = "", ...path] = words;
    const base = await resourceNamed(cluster, plain);
    const mapping = await cluster.kind(version, base.kind);
    if (!mapping)
      throw new Error(
        `couldn't find resource for ${JSON.stringify(`${version.includes("/") ? version : `/${version}`}, Resource=${base.resource}`)}`,
      );
    return { mapping, path };
  }
  // The longest prefix that names a resource is used: `ingresses.networking.k8s.io.spec`.
  for (let count = words.length; count > 1; count--) {
    const mapping = await cluster.resource(words.slice(0, count).join(".")).catch(() => undefined);
    const group = words.slice(1, count).join(".");
    if (mapping && (mapping.group === group || `${mapping.version}.${mapping.group}` === group))
      return { mapping, path: words.slice(count) };
  }
  return { mapping: await resourceNamed(cluster, words[0] ?? ""), path: words.slice(1) };
}

function resourceNamed(cluster: CommandCall["cluster"], name: string): Promise<Mapping> {
  return cluster.resource(name).catch((error: unknown) => {
    throw new Exit(1, asError(error).message);
  });
}

function isOf(schema: unknown, { group, version, kind }: Mapping): boolean {
  return listAt(schema, "x-kubernetes-group-version-kind").some(
    (gvk) => textOf(gvk.group) === group && gvk.version === version && gvk.kind === kind,
  );
}

interface Document {
  readonly schemas: JsonObject;
  readonly isRecursive: boolean;
}

function referred({ schemas }: Document, schema: JsonObject): JsonObject {
  const name = textOf(schema.$ref).split("/").at(-1) ?? "";
  return name && isObject(schemas[name]) ? schemas[name] : schema;
}

/** Describes the field at the end of a path. Returns undefined if the path does not exist. */
function describeAt(
  document: Document,
  schema: JsonObject,
  path: readonly string[],
  visitedReferences: readonly string[] = [],
): string | undefined {
  const resolved = referred(document, schema);
  const [field, ...rest] = path;
  if (field === undefined) return description(document, resolved);
  const reference = textOf(schema.$ref);
  if (reference && visitedReferences.includes(reference)) return undefined;
  const next = [...visitedReferences, reference];
  const property = at(resolved, "properties", field);
  if (isObject(property)) {
    const head =
      rest.length === 0 ? `FIELD: ${field} <${typeOf(document, property)}>\n${enumeration(property, true, 0)}\n\n` : "";
    const below = describeAt(document, property, rest);
    return below === undefined ? undefined : head + below;
  }
  for (const inner of [resolved.items, resolved.additionalProperties]) {
    if (isObject(inner)) return describeAt(document, inner, path, next);
  }
  for (const inner of listAt(resolved, "allOf")) {
    const description = describeAt(document, inner, path, next);
    if (description !== undefined) return description;
  }
  return undefined;
}

function description(document: Document, resolved: JsonObject): string {
  const about = texts(document, resolved).join("") || "<empty>";
  const docs = isObject(resolved.externalDocs)
    ? `\nEXTERNAL DOCS:\n${textOf(resolved.externalDocs.description) ? `${wrapped(textOf(resolved.externalDocs.description), 76, 4)}\n` : ""}${textOf(resolved.externalDocs.url) ? `    URL: ${textOf(resolved.externalDocs.url)}\n` : ""}`
    : "";
  const fields = fieldList(document, resolved, 1, []);
  return `DESCRIPTION:\n${wrapped(about, 76, 4)}\n${docs}${fields ? `FIELDS:\n${fields}` : ""}`;
}

/** Returns the descriptions of a schema and of the schemas that it is composed of. */
function texts(document: Document, schema: JsonObject): string[] {
  const resolved = referred(document, schema);
  const inner = [...listAt(resolved, "allOf"), resolved.items, resolved.additionalProperties].filter(isObject);
  return [
    ...(textOf(resolved.description) ? [`${textOf(resolved.description)}\n`] : []),
    ...inner.flatMap((schema) => texts(document, schema)),
  ];
}

function fieldList(
  document: Document,
  schema: JsonObject,
  level: number,
  visitedReferences: readonly string[],
): string {
  const reference = textOf(schema.$ref);
  if (reference && visitedReferences.includes(reference)) return "";
  const next = [...visitedReferences, ...(reference ? [reference] : [])];
  const resolved = referred(document, schema);
  const properties = objectAt(resolved, "properties");
  let text = "";
  for (const name of Object.keys(properties).sort()) {
    const property = objectAt(properties, name);
    text += detail(document, resolved, name, property, level);
    if (document.isRecursive) text += fieldList(document, property, level + 1, next);
  }
  for (const inner of [...listAt(resolved, "allOf"), resolved.items, resolved.additionalProperties]) {
    if (isObject(inner)) text += fieldList(document, inner, level, next);
  }
  return text;
}

function detail(document: Document, schema: JsonObject, name: string, property: JsonObject, level: number): string {
  const indent = "  ".repeat(level);
  const isRequired = Array.isArray(schema.required) && schema.required.includes(name);
  const head = `${indent}${name}\t<${typeOf(document, property)}>${isRequired ? " -required-" : ""}${enumeration(property, false, level)}\n`;
  if (document.isRecursive) return head;
  return `${head}${wrapped(textOf(property.description) || "<no description>", 78 - indent.length, indent.length + 2)}\n\n`;
}

function typeOf(document: Document, schema: JsonObject): string {
  if (isObject(schema.items)) return `[]${typeOf(document, schema.items)}`;
  if (isObject(schema.additionalProperties)) return `map[string]${typeOf(document, schema.additionalProperties)}`;
  const all = listAt(schema, "allOf");
  if (all.length === 1 && !schema.properties && all[0]) return typeOf(document, all[0]);
  if (schema.$ref) {
    const target = referred(document, schema);
    const type = textOf(target.type);
    if (target !== schema && type && type !== "object") return type;
    return textOf(schema.$ref).split("/").at(-1)?.split(".").at(-1) || "Object";
  }
  return schema.type === "object" ? "Object" : textOf(schema.type) || "Object";
}

const shownValues = 4;

function enumeration({ enum: values }: JsonObject, isLong: boolean, level: number): string {
  if (!Array.isArray(values) || values.length === 0) return "";
  const quotedValues = values.map((value) => (value === "" ? '""' : String(value)));
  if (isLong) return `ENUM:${quotedValues.map((value) => `\n    ${value}`).join("")}`;
  const cut =
    quotedValues.length > shownValues
      ? [...quotedValues.slice(0, shownValues)].join(", ") + ", ...."
      : quotedValues.join(", ");
  return `\n${"  ".repeat(level)}enum: ${cut}`;
}

/** Wraps text at spaces to lines of at most `width` characters, each indented. Spaces within a line are kept. */
function wrapped(text: string, width: number, indent: number): string {
  const lines = text.split("\n").flatMap((line) => broken(line, width));
  return lines.map((line) => " ".repeat(indent) + line).join("\n");
}

function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const [, space = "", word = ""] of text.matchAll(/(\s*)(\S*)/g)) {
    if (line && word && line.length + space.length + word.length > width) {
      lines.push(line);
      line = word;
    } else if (word || line.length + space.length <= width) line += space + word;
  }
  return [...lines, line];
}
