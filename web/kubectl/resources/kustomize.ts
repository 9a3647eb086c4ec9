// Builds a kustomization: resources, generators, patches, images, replicas, labels, prefixes and the namespace.
import { absolute } from "../../../shared/shell/paths.ts";
import { base64OfText } from "../../../shared/base/base64.ts";
import { type JsonObject, copyJson, isObject } from "../../../shared/schema/json-values.ts";
import { jsonPatch } from "../../../shared/schema/json-patch.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import { readYamlDocuments } from "../../../shared/schema/yaml/read.ts";
import type { Files } from "../files.ts";
import { ensure, listAt, nameOf, namespaceOf, objectAt, ensureMetadata, stringsAt, textOf } from "../object.ts";
import { configHash } from "./config-hash.ts";
import { podTemplatePath, renameReferences, setSelectorLabels } from "./references.ts";
import { typeNameOf } from "../types.ts";

const names = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/** The maximum nesting of folders, against cycles. */
const maxDepth = 20;
const unsupported = [
  "helmCharts",
  "helmGlobals",
  "generators",
  "transformers",
  "validators",
  "replacements",
  "components",
  "crds",
  "openapi",
  "vars",
];

type Warn = (text: string) => void;

/** Throws if a field is unsupported or a file is missing. */
export function buildKustomization(files: Files, name: string, warn: Warn): JsonObject[] {
  const objects = build(files, name, warn, 0);
  nameByContent(objects);
  return objects.sort(byKind);
}

function build(files: Files, name: string, warn: Warn, depth: number): JsonObject[] {
  const folder = absolute(name, files.folder);
  if (depth > maxDepth) throw new Error(`accumulating resources: cycle detected: ${folder}`);
  const file = names.find((candidate) => files.read(`${folder}/${candidate}`) !== undefined);
  if (!file) {
    if (files.list(folder) === undefined)
      throw new Error(
        `must build at directory: not a valid directory: evalsymlink failure on '${name}' : lstat ${folder}: no such file or directory`,
      );
    throw new Error(
      `unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '${folder}'`,
    );
  }
  const [config = {}] = objectsIn(files.read(`${folder}/${file}`) ?? "");
  const unknown = unsupported.find((field) => Object.hasOwn(config, field));
  if (unknown) throw new Error(`kustomization: the field ${JSON.stringify(unknown)} is not supported here`);
  for (const field of Object.keys(deprecated)) {
    if (!Object.hasOwn(config, field)) continue;
    warn(
      `'${field}' is deprecated. Please use '${deprecated[field] ?? ""}' instead. Run 'kustomize edit fix' to update your Kustomization automatically.`,
    );
  }
  const within: Files = { ...files, folder };
  const objects = [...listOf(config.resources), ...listOf(config.bases)].flatMap((path) =>
    resourceAt(within, path, warn, depth),
  );
  objects.push(...generated(config, within));
  applyPatches(objects, config, within);
  transform(objects, config);
  return objects;
}

function objectsIn(text: string): JsonObject[] {
  return [...readYamlDocuments(text)].flatMap(({ value }) => {
    if (isObject(value) && Array.isArray(value.items) && textOf(value.kind).endsWith("List"))
      return value.items.filter(isObject);
    return isObject(value) ? [value] : [];
  });
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function resourceAt(files: Files, path: string, warn: Warn, depth: number): JsonObject[] {
  const full = absolute(path, files.folder);
  const text = files.read(full);
  if (text !== undefined) return objectsIn(text);
  if (files.list(full) !== undefined) return build(files, path, warn, depth + 1);
  throw new Error(
    `accumulating resources: accumulation err='accumulating resources from '${path}': open ${full}: no such file or directory': must build at directory: not a valid directory: evalsymlink failure on '${full}' : lstat ${full}: no such file or directory`,
  );
}

function generated(config: JsonObject, files: Files): JsonObject[] {
  const shared = objectAt(config, "generatorOptions");
  return (["configMapGenerator", "secretGenerator"] as const).flatMap((field) =>
    listAt(config, field).map((spec) => {
      const kind = field === "secretGenerator" ? "Secret" : "ConfigMap";
      const data = generatorData(spec, files);
      const encoded = kind === "Secret" ? mapValues(data, base64OfText) : data;
      const object: JsonObject = { apiVersion: "v1", kind, metadata: { name: textOf(spec.name) } };
      if (Object.keys(encoded).length) object.data = encoded;
      if (kind === "Secret") object.type = textOf(spec.type) || "Opaque";
      if (spec.namespace) ensureMetadata(object).namespace = spec.namespace;
      const options = { ...shared, ...objectAt(spec, "options") };
      for (const field of ["labels", "annotations"] as const)
        if (isObject(options[field])) ensureMetadata(object)[field] = options[field];
      if (options.immutable === true) object.immutable = true;
      if (options.disableNameSuffixHash !== true) mark(object);
      return object;
    }),
  );
}

const deprecated: Readonly<Record<string, string>> = {
  commonLabels: "labels",
  bases: "resources",
  patchesStrategicMerge: "patches",
  patchesJson6902: "patches",
};

/** Kinds that other kinds depend on, which come first. */
const firstKinds = [
  "Namespace",
  "ResourceQuota",
  "StorageClass",
  "CustomResourceDefinition",
  "ServiceAccount",
  "PodSecurityPolicy",
  "Role",
  "ClusterRole",
  "RoleBinding",
  "ClusterRoleBinding",
  "ConfigMap",
  "Secret",
  "Endpoints",
  "Service",
  "LimitRange",
  "PriorityClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "Deployment",
  "StatefulSet",
  "CronJob",
  "PodDisruptionBudget",
];
const lastKinds = [
  "MutatingWebhookConfiguration",
  "ValidatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
];

function byKind(a: JsonObject, b: JsonObject): number {
  const place = ({ kind }: JsonObject) => {
    const first = firstKinds.indexOf(textOf(kind));
    return first >= 0 ? first - firstKinds.length : lastKinds.indexOf(textOf(kind)) + 1;
  };
  const order = place(a) - place(b);
  if (order !== 0) return order;
  const key = (object: JsonObject) =>
    [textOf(object.apiVersion), textOf(object.kind), namespaceOf(object), nameOf(object)].join("|");
  return key(a) < key(b) ? -1 : 1;
}

/** Appends the content hash to the names of generated objects, and updates references to them. */
function nameByContent(objects: readonly JsonObject[]): void {
  const renamed = new Map<string, string>();
  for (const object of objects.filter((generated) => hashed in generated)) {
    const before = nameOf(object);
    ensureMetadata(object).name = `${before}-${configHash(object, "")}`;
    renamed.set(`${textOf(object.kind)}/${before}`, nameOf(object));
  }
  for (const object of objects) renameReferences(object, renamed, "");
}

/** Marks objects whose name gets the content hash. */
const hashed = Symbol("hashed");

function mark(object: JsonObject): void {
  Object.defineProperty(object, hashed, { value: true });
}

function mapValues(values: Readonly<Record<string, string>>, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}

function generatorData(spec: JsonObject, files: Files): Record<string, string> {
  const data: Record<string, string> = {};
  const open = (path: string) => {
    const text = files.read(absolute(path, files.folder));
    if (text === undefined)
      throw new Error(
        `loading KV pairs: file sources: [${path}]: open ${absolute(path, files.folder)}: no such file or directory`,
      );
    return text;
  };
  for (const path of [...listOf(spec.envs), ...(typeof spec.env === "string" ? [spec.env] : [])]) {
    for (const line of open(path).split("\n")) {
      const [, key = "", value = ""] = /^\s*([^#=\s][^=]*)=(.*)$/.exec(line) ?? [];
      if (key) data[key] = value;
    }
  }
  for (const literal of listOf(spec.literals)) {
    const equals = literal.indexOf("=");
    data[literal.slice(0, equals)] = literal.slice(equals + 1).replace(/^(["'])(.*)\1$/s, "$2");
  }
  for (const entry of listOf(spec.files)) {
    const [, key = entry.split("/").at(-1) ?? entry, path = entry] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    data[key] = open(path);
  }
  return data;
}

function applyPatches(objects: JsonObject[], config: JsonObject, files: Files): void {
  const patches = [
    ...listAt(config, "patches"),
    ...listOf(config.patchesStrategicMerge).map(
      (text): JsonObject => (text.includes("\n") ? { patch: text } : { path: text }),
    ),
    ...listAt(config, "patchesJson6902"),
  ];
  for (const { patch, path, target } of patches) {
    const text = typeof patch === "string" ? patch : files.read(absolute(textOf(path), files.folder));
    if (text === undefined) throw new Error(`patch file ${JSON.stringify(path)} is not there`);
    for (const { value } of readYamlDocuments(text)) {
      for (const at of objects.keys()) {
        const object = objects[at];
        if (object && isTarget(object, isObject(target) ? target : isObject(value) ? selfTarget(value) : {})) {
          const after = patched(object, value);
          if (hashed in object) mark(after);
          objects[at] = after;
        }
      }
    }
  }
  for (let at = objects.length - 1; at >= 0; at--) if (objects[at]?.$patch === "delete") objects.splice(at, 1);
}

function selfTarget(patch: JsonObject): JsonObject {
  return { kind: patch.kind, name: nameOf(patch), ...(namespaceOf(patch) ? { namespace: namespaceOf(patch) } : {}) };
}

function isTarget(object: JsonObject, target: JsonObject): boolean {
  const matches = (pattern: unknown, is: string) => !textOf(pattern) || textOf(pattern) === is;
  const [version = "", group = ""] = textOf(object.apiVersion).split("/").reverse();
  const labels = stringsAt(object, "metadata", "labels");
  const selected = textOf(target.labelSelector).split(",").filter(Boolean);
  return (
    matches(target.kind, textOf(object.kind)) &&
    matches(target.name, nameOf(object)) &&
    matches(target.namespace, namespaceOf(object)) &&
    matches(target.group, group) &&
    matches(target.version, version) &&
    selected.every((requirement) => labels[requirement.split("=")[0] ?? ""] === requirement.split("=")[1])
  );
}

function patched(object: JsonObject, patch: unknown): JsonObject {
  if (Array.isArray(patch)) return jsonPatch(object, patch) as JsonObject;
  if (isObject(patch) && patch.$patch === "delete") return { $patch: "delete" };
  const type = typeNameOf(textOf(object.apiVersion), textOf(object.kind));
  const namedPatch = isObject(patch)
    ? { ...patch, metadata: { ...objectAt(patch, "metadata"), name: nameOf(object) } }
    : patch;
  return (
    type ? strategicMerge(type, copyJson(object), copyJson(namedPatch)) : mergePatch(object, namedPatch)
  ) as JsonObject;
}

function transform(objects: JsonObject[], config: JsonObject): void {
  const renamed = new Map<string, string>();
  for (const object of objects) {
    const before = nameOf(object);
    const after = `${textOf(config.namePrefix)}${before}${textOf(config.nameSuffix)}`;
    if (after !== before && !["Namespace", "CustomResourceDefinition"].includes(textOf(object.kind))) {
      ensureMetadata(object).name = after;
      renamed.set(`${textOf(object.kind)}/${before}`, after);
    }
    if (textOf(config.namespace) && !isClusterScoped(object)) ensureMetadata(object).namespace = config.namespace;
    addLabels(object, config);
    addImages(object, config);
    for (const { name, count } of listAt(config, "replicas"))
      if (name === before) ensure(object, "spec").replicas = count;
  }
  for (const object of objects) renameReferences(object, renamed, textOf(config.namespace));
}

const clusterScoped = new Set([
  "Namespace",
  "Node",
  "PersistentVolume",
  "ClusterRole",
  "ClusterRoleBinding",
  "StorageClass",
  "CustomResourceDefinition",
  "PriorityClass",
  "IngressClass",
  "RuntimeClass",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "APIService",
]);

function isClusterScoped({ kind }: JsonObject): boolean {
  return clusterScoped.has(textOf(kind));
}

function addLabels(object: JsonObject, config: JsonObject): void {
  const common = stringsAt(config, "commonLabels");
  const sets = listAt(config, "labels").map((labelSet) => ({
    pairs: stringsAt(labelSet, "pairs"),
    inSelectors: labelSet.includeSelectors === true,
    inTemplates: labelSet.includeTemplates === true || labelSet.includeSelectors === true,
  }));
  if (Object.keys(common).length) sets.push({ pairs: common, inSelectors: true, inTemplates: true });
  for (const { pairs, inSelectors, inTemplates } of sets) {
    Object.assign(ensure(object, "metadata", "labels"), pairs);
    const template = podTemplatePath(object);
    if (inTemplates && template) Object.assign(ensure(object, ...template, "metadata", "labels"), pairs);
    if (inSelectors) setSelectorLabels(object, pairs);
  }
  const annotations = stringsAt(config, "commonAnnotations");
  if (Object.keys(annotations).length === 0) return;
  Object.assign(ensure(object, "metadata", "annotations"), annotations);
  const template = podTemplatePath(object);
  if (template) Object.assign(ensure(object, ...template, "metadata", "annotations"), annotations);
}

function addImages(object: JsonObject, config: JsonObject): void {
  const template = podTemplatePath(object) ?? (object.kind === "Pod" ? [] : undefined);
  if (!template) return;
  const spec = objectAt(object, ...template, "spec");
  for (const container of [...listAt(spec, "containers"), ...listAt(spec, "initContainers")]) {
    for (const { name, newName, newTag, digest } of listAt(config, "images")) {
      const [image, rest] = imageParts(textOf(container.image));
      if (image !== name) continue;
      const tail = textOf(digest)
        ? `@${textOf(digest)}`
        : textOf(newTag) || typeof newTag === "number"
          ? `:${String(newTag)}`
          : rest;
      container.image = `${textOf(newName) || image}${tail}`;
    }
  }
}

/** Splits `repo:tag@digest` into `repo` and the rest. The colon of a port stands before a slash. */
function imageParts(image: string): [string, string] {
  const digest = image.indexOf("@");
  const named = digest < 0 ? image : image.slice(0, digest);
  const colon = named.lastIndexOf(":");
  const end = colon > named.lastIndexOf("/") ? colon : named.length;
  return [image.slice(0, end), image.slice(end)];
}
