// Generates the TypeScript declarations of the Kubernetes API (shared/k8s/api/*.ts) from the facts, so that kind files,
// controllers and tests are checked against the real shape. Only types that the code imports, and the types of their fields, are declared.
// Run with `npm run generate` after importing another type; a test checks that the files are current.
import { globSync, readFileSync, writeFileSync, mkdirSync, rmSync } from "node:fs";
import { typeFacts } from "../shared/schema/type-facts.ts";

interface Field {
  json?: string;
  /** A name, or `{of: ["list", "string"]}` for a named slice of strings as the value of a map. */
  type?: string | { of: string[] };
  shape?: "list" | "map";
  inline?: string;
  ptr?: boolean;
  required?: boolean;
}
interface Facts {
  types: Record<string, { fields: Field[] }>;
  enums: Record<string, string[]>;
}

/** The fields of types whose `required` differs from what Go prints: always written, or only if they are set. */
interface Corrections {
  alwaysWritten: Record<string, string[]>;
  omitted: Record<string, string[]>;
}

const scalars: Record<string, string> = {
  string: "string",
  bool: "boolean",
  int32: "number",
  int64: "number",
  uint8: "number",
  uint32: "number",
  uint64: "number",
  float32: "number",
  float64: "number",
  bytes: "string",
  quantity: "string",
  time: "string",
  microtime: "string",
  duration: "string",
  intOrString: "number | string",
  raw: "unknown",
  fieldsV1: "unknown",
  json: "unknown",
  schemaOrArray: "unknown",
  schemaOrBool: "unknown",
  schemaOrStringArray: "unknown",
};
const typeMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta";
const header =
  "// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.\n" +
  "// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.\n";

/** Returns module and name: `core-v1` and `Pod` for `io.k8s.api.core.v1.Pod`. */
function place(name: string): { module: string; local: string } {
  const segments = name.split(".");
  const local = segments.pop() ?? name;
  return { module: segments.slice(-2).join("-").replaceAll(".", "-"), local };
}

/** Returns the declaration files of the imported types (`core-v1 Pod`) by file name. */
function generate(facts: Facts, imported: ReadonlySet<string>): Map<string, string> {
  const declared = reachableNames(facts, imported);
  const bodies = new Map<string, { imports: Map<string, Set<string>>; out: string[] }>();
  const moduleOf = (name: string) => {
    const { module } = place(name);
    let body = bodies.get(module);
    if (!body) bodies.set(module, (body = { imports: new Map(), out: [] }));
    return { module, body };
  };
  for (const [name, values] of Object.entries(facts.enums).sort(byName)) {
    if (!declared.has(name)) continue;
    const { body } = moduleOf(name);
    const union = values.map((value) => JSON.stringify(value)).join(" | ");
    body.out.push(`export type ${place(name).local} = ${union};`);
  }
  for (const [name, type] of Object.entries(facts.types).sort(byName)) {
    if (!declared.has(name)) continue;
    const { module, body } = moduleOf(name);
    const reference = (target: string): string => {
      const targetPlace = place(target);
      if (targetPlace.module === module) return targetPlace.local;
      const alias = `${targetPlace.local}_${targetPlace.module.replaceAll("-", "_")}`;
      const names = body.imports.get(targetPlace.module) ?? new Set<string>();
      body.imports.set(targetPlace.module, names.add(`${targetPlace.local} as ${alias}`));
      return alias;
    };
    body.out.push(`export interface ${place(name).local} {\n${fieldsOf(type.fields, facts, reference).join("\n")}\n}`);
  }
  const files = new Map<string, string>();
  for (const [module, { imports, out }] of bodies) {
    const lines = [...imports.entries()]
      .sort(byName)
      .map(([from, names]) => `import type { ${[...names].sort().join(", ")} } from "./${from}.ts";`);
    files.set(`${module}.ts`, `${header}${lines.join("\n")}${lines.length ? "\n" : ""}\n${out.join("\n\n")}\n`);
  }
  return files;
}

/** Returns the full names of the imported types and of all types that their fields refer to. */
function reachableNames(facts: Facts, imported: ReadonlySet<string>): Set<string> {
  const names = new Set<string>();
  const add = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    addFieldsOf(name);
  };
  const addFieldsOf = (name: string): void => {
    for (const { type, inline } of facts.types[name]?.fields ?? []) {
      if (inline) addFieldsOf(inline);
      else if (typeof type === "string") add(type.replace(/^enum:/, ""));
    }
  };
  for (const name of [...Object.keys(facts.types), ...Object.keys(facts.enums)]) {
    const { module, local } = place(name);
    if (imported.has(`${module} ${local}`)) add(name);
  }
  return names;
}

/** Returns the types that the project's files import from shared/k8s/api, as `core-v1 Pod`. */
function importedTypes(root: URL): Set<string> {
  const imported = new Set<string>();
  const folders = "{shared,worker,web,client,action,scripts,bench,test}/**/*.{ts,tsx}";
  for (const path of globSync(folders, { cwd: root, exclude: ["shared/k8s/api/**", "**/node_modules/**"] })) {
    const text = readFileSync(new URL(path, root), "utf8");
    for (const [, names = "", module] of text.matchAll(/import type \{([^}]*)\} from "[./\w]*api\/([\w-]+)\.ts"/g)) {
      for (const name of names.split(",")) imported.add(`${module} ${name.trim().replace(/ as .*/, "")}`);
    }
  }
  return imported;
}

/** Returns the text of each declaration file, from the project's facts, for the project's imports. */
export function declarationFiles(root: URL): Map<string, string> {
  const corrections = JSON.parse(
    readFileSync(new URL("shared/schema/facts/corrections.json", root), "utf8"),
  ) as Corrections;
  return generate(corrected(typeFacts as unknown as Facts, corrections), importedTypes(root));
}

function fieldsOf(fields: Field[], facts: Facts, reference: (name: string) => string): string[] {
  const rootObject = fields.some((field) => field.inline === typeMetaName);
  const lines: string[] = [];
  for (const field of fields) {
    if (field.inline === typeMetaName) {
      lines.push("  apiVersion: string;", "  kind: string;");
    } else if (field.inline) {
      lines.push(...fieldsOf(facts.types[field.inline]?.fields ?? [], facts, reference));
    } else if (field.json && field.type) {
      lines.push(
        `  ${/^\w+$/.test(field.json) ? field.json : JSON.stringify(field.json)}${declare(field, facts, reference, rootObject)};`,
      );
    }
  }
  return lines;
}

function declare(field: Field, facts: Facts, reference: (name: string) => string, root: boolean): string {
  const namedSlice = typeof field.type === "object";
  const type = typeof field.type === "string" ? field.type : "string";
  const isStruct = facts.types[type] !== undefined;
  let text = type.startsWith("enum:")
    ? enumName(type.slice(5), facts, reference)
    : isStruct
      ? reference(type)
      : (scalars[type] ?? "unknown");
  if (namedSlice) text = "string[]";
  if (field.shape === "list") text = text.includes("|") ? `(${text})[]` : `${text}[]`;
  if (field.shape === "map") text = `Record<string, ${text}>`;
  const time = (type === "time" || type === "microtime") && !field.ptr && !field.shape;
  if (time && field.json !== "creationTimestamp") text = `${text} | null`;
  const present = field.shape ? field.required === true : isStruct ? !field.ptr : field.required === true && !field.ptr;
  const always = present || (root && field.json === "metadata");
  return `${always ? "" : "?"}: ${text}`;
}

function enumName(name: string, facts: Facts, reference: (name: string) => string): string {
  return facts.enums[name] ? reference(name) : "string";
}

/** Returns the facts, with `required` as Go prints the fields. */
function corrected(facts: Facts, { alwaysWritten, omitted }: Corrections): Facts {
  const types = Object.entries(facts.types).map(([name, { fields }]) => {
    const right = fields.map((field) => {
      if (field.json && alwaysWritten[name]?.includes(field.json)) return { ...field, required: true };
      return field.json && omitted[name]?.includes(field.json) ? { ...field, required: false } : field;
    });
    return [name, { fields: right }];
  });
  return { ...facts, types: Object.fromEntries(types) as Facts["types"] };
}

function byName(a: [string, unknown], b: [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const target = new URL("shared/k8s/api/", root);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [file, text] of declarationFiles(root)) writeFileSync(new URL(file, target), text);
}
