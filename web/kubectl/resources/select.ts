// Selects the objects of a command: `pods`, `pod web`, `pod/web svc/web`, `-f file`, `-l app=web`, `all`.
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { parseSelector } from "../../../shared/k8s/selectors/labels.ts";
import type { CommandCall } from "../command.ts";
import { type Flag, boolFlag, intFlag, stringFlag, stringsFlag } from "../flag.ts";
import type { Ask } from "../cluster/client.ts";
import { type Mapping, groupResource, pathOf } from "../cluster/discovery.ts";
import { StatusError, asError, isNotFound, throwAll } from "../errors.ts";
import { type Info, nameOf, namespaceOf, stringsAt } from "../object.ts";
import { readManifests } from "./manifests.ts";

export const fileFlags: readonly Flag[] = [
  stringsFlag("filename", "Filename, directory, or URL to files.", { short: "f" }),
  stringFlag("kustomize", "Process the kustomization directory. Can't be used together with -f or -R.", { short: "k" }),
  boolFlag("recursive", "Process the directory used in -f, --filename recursively.", { short: "R" }),
];
export const selectorFlag = stringFlag(
  "selector",
  "Selector (label query) to filter on, supports '=', '==', '!=', 'in', 'notin'.",
  { short: "l" },
);
export const fieldSelectorFlag = stringFlag(
  "field-selector",
  "Selector (field query) to filter on, supports '=', '==', and '!='.",
);
export const allNamespacesFlag = boolFlag(
  "all-namespaces",
  "If present, list the requested object(s) across all namespaces.",
  { short: "A" },
);
export const allFlag = boolFlag("all", "Select all resources in the namespace of the specified resource types.");
export const chunkFlag = intFlag(
  "chunk-size",
  "Return large lists in chunks rather than all at once. Pass 0 to disable.",
  { default: 500 },
);

export interface Choice {
  readonly args: readonly string[];
  /** Reports whether a type without a name selects all its objects. */
  readonly allowsAll?: boolean;
  /** Reports whether a list stays one object, as the server returned it. */
  readonly keepsLists?: boolean;
  /** Reports whether all namespaces are listed instead of the namespace of the call. */
  readonly allNamespaces?: boolean;
  readonly singleType?: boolean;
  readonly subresource?: string;
  readonly accept?: string;
  readonly query?: Ask["query"];
  /** Reports whether objects of files are used unchanged. Otherwise they are fetched from the server. */
  readonly isLocal?: boolean;
  /** Reports whether the server is never contacted. Objects without a namespace stay without one. */
  readonly isDetached?: boolean;
  /** Reports whether documents without a kind are refused as invalid. */
  readonly validates?: boolean;
  /** Reports whether `--all` selects all objects. */
  readonly selectsAll?: boolean;
  /** Reports whether named objects are not fetched. Their `object` is then empty. */
  readonly isNameOnly?: boolean;
  readonly ignoresMissing?: boolean;
  readonly keepsGoing?: boolean;
  /** The page size of a list. */
  readonly chunk?: number;
}

export interface Selection {
  readonly infos: Info[];
  /** Reports whether exactly one object was named. */
  readonly isSingle: boolean;
  readonly errors: readonly Error[];
}

/** Throws if the choice is contradictory or, unless `keepsGoing` is set, at the first refusal. */
export async function select(call: CommandCall, choice: Choice): Promise<Selection> {
  const selection = await selectAny(call, choice);
  const errors = choice.ignoresMissing ? selection.errors.filter((error) => !isNotFound(error)) : selection.errors;
  if (!choice.keepsGoing) throwAll(errors);
  return { ...selection, errors };
}

async function selectAny(call: CommandCall, choice: Choice): Promise<Selection> {
  const { flags } = call;
  const files = flags.list("filename");
  const kustomize = flags.text("kustomize");
  const isAll = choice.selectsAll === true;
  const selector = flags.text("selector").trim();
  const fieldSelector = flags.text("field-selector").trim();
  if (isAll && (selector || fieldSelector)) throw new Error("setting 'all' parameter but found a non empty selector. ");
  if (files.length > 0 || kustomize) return fromFiles(call, choice, files, kustomize, selector);
  const { tuples, types, names } = await argumentsOf(call, choice.args);
  const selects =
    selector ||
    fieldSelector ||
    isAll ||
    (types.length > 0 && names.length === 0 && choice.allowsAll && tuples.length === 0);
  if (selects) {
    if (names.length > 0) throw new Error("name cannot be provided when a selector is specified");
    if (tuples.length > 0)
      throw new Error("selectors and the all flag cannot be used when passing resource/name arguments");
    if (types.length === 0) throw new Error("at least one resource must be specified to use a selector");
    if (choice.subresource) throw new Error("subresource cannot be used when bulk resources are specified");
    return bySelector(call, choice, types, { labelSelector: selector, fieldSelector });
  }
  if (tuples.length > 0) return byName(call, choice, await tupleMappings(call, tuples, choice), tuples.length === 1);
  if (names.length > 0) {
    if (types.length > 1) throw new Error("you must specify only one resource");
    const mapping = await call.cluster.resource(types[0] ?? "");
    return byName(
      call,
      choice,
      names.map((name) => ({ mapping, name })),
      names.length === 1,
    );
  }
  for (const type of types) await call.cluster.resource(type);
  if (types.length > 0) throw new Error("resource(s) were provided, but no name was specified");
  throw new Error(
    "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'",
  );
}

interface Arguments {
  readonly tuples: readonly (readonly [type: string, name: string])[];
  readonly types: readonly string[];
  readonly names: readonly string[];
}

async function argumentsOf(call: CommandCall, words: readonly string[]): Promise<Arguments> {
  let args = words;
  const [first = "", ...rest] = words;
  const firstTypes = [...new Set(first.split(","))];
  if (rest.length > 0 && firstTypes.length > 1)
    args = firstTypes.flatMap((type) => rest.map((name) => `${type}/${name}`));
  const slashes = args.filter((arg) => arg.includes("/")).length;
  if (slashes > 0 && slashes < args.length) {
    throw new Error(
      "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'",
    );
  }
  if (slashes > 0) return { tuples: args.map(tupleOf), types: [], names: [] };
  if (args.length === 0) return { tuples: [], types: [], names: [] };
  const types = (await Promise.all((args[0] ?? "").split(",").map((type) => expand(call, type)))).flat();
  return { tuples: [], types: [...new Set(types)], names: args.slice(1) };
}

export function tupleOf(arg: string): [string, string] {
  const segments = arg.split("/");
  if (segments.length !== 2) throw new Error("arguments in resource/name form may not have more than one slash");
  const [type = "", name = ""] = segments;
  if (!type || !name || type.includes(","))
    throw new Error("arguments in resource/name form must have a single resource and name");
  return [type, name];
}

/** Expands `all` to the resources of that category. */
async function expand({ cluster }: CommandCall, type: string): Promise<string[]> {
  const { resources } = await cluster.discovery();
  const inCategory = resources.filter(({ categories, isPreferred }) => isPreferred && categories.includes(type));
  return inCategory.length > 0 ? inCategory.map(groupResource) : [type];
}

async function tupleMappings(
  { cluster }: CommandCall,
  tuples: Arguments["tuples"],
  { singleType }: Choice,
): Promise<Named[]> {
  const targets: Named[] = [];
  for (const [type, name] of tuples) targets.push({ mapping: await cluster.resource(type), name });
  if (singleType && new Set(targets.map(({ mapping }) => mapping.resource)).size > 1) throw onlyOneType();
  return targets;
}

function onlyOneType(): Error {
  return new Error("you may only specify a single resource type");
}

interface Named {
  readonly mapping: Mapping;
  readonly name: string;
}

async function byName(
  call: CommandCall,
  choice: Choice,
  named: readonly Named[],
  isSingle: boolean,
): Promise<Selection> {
  const infos: Info[] = [];
  const errors: Error[] = [];
  for (const { mapping, name } of named) {
    if (mapping.namespaced && choice.allNamespaces)
      throw new Error("a resource cannot be retrieved by name across all namespaces");
    const namespace = mapping.namespaced ? call.namespace : "";
    const info: Info = { mapping, namespace, name, source: "", object: {} };
    try {
      if (!choice.isNameOnly) info.object = await fetchObject(call, info, choice);
      infos.push(info);
    } catch (error) {
      errors.push(asError(error));
    }
  }
  return { infos, errors, isSingle };
}

/** Fetches an object. If its namespace does not exist, the error names the namespace. */
export async function fetchObject(
  { cluster }: CommandCall,
  { mapping, namespace, name }: Pick<Info, "mapping" | "namespace" | "name">,
  { subresource, accept, query }: Pick<Choice, "subresource" | "accept" | "query"> = {},
): Promise<JsonObject> {
  try {
    const ask = { ...(accept ? { accept } : {}), ...(query ? { query } : {}) };
    return await cluster.json(pathOf(mapping, namespace, name, subresource), ask);
  } catch (error) {
    if (isNotFound(error) && namespace && namespace !== "default") {
      const gone = await cluster.json(`/api/v1/namespaces/${namespace}`).then(() => undefined, asError);
      if (isNotFound(gone)) throw asError(gone);
    }
    throw error;
  }
}

interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

async function bySelector(
  call: CommandCall,
  choice: Choice,
  types: readonly string[],
  selectors: Selectors,
): Promise<Selection> {
  const mappings: Mapping[] = [];
  for (const type of types) {
    const mapping = await call.cluster.resource(type);
    if (!mappings.includes(mapping)) mappings.push(mapping);
  }
  if (choice.singleType && types.length > 1) throw onlyOneType();
  const infos: Info[] = [];
  const errors: Error[] = [];
  for (const mapping of mappings) {
    const namespace = mapping.namespaced && !choice.allNamespaces ? call.namespace : "";
    try {
      for await (const list of pages(call, mapping, namespace, choice, selectors)) {
        const items = Array.isArray(list.items) && !choice.keepsLists ? list.items.filter(isObject) : [list];
        infos.push(...items.map((object): Info => itemOf(object, list, mapping, namespace)));
      }
    } catch (error) {
      errors.push(enhanced(error, mapping, selectors));
      if (!choice.keepsGoing) break;
    }
  }
  return { infos, errors, isSingle: false };
}

/** Completes a list item, which has no kind of its own. */
function itemOf(object: JsonObject, list: JsonObject, mapping: Mapping, namespace: string): Info {
  if (object === list) return { mapping, namespace, name: "", source: "", object };
  const typed = { apiVersion: list.apiVersion, kind: mapping.kind, ...object };
  return { mapping, namespace: namespaceOf(object), name: nameOf(object), source: "", object: typed };
}

async function* pages(
  call: CommandCall,
  mapping: Mapping,
  namespace: string,
  choice: Choice,
  selectors: Selectors,
): AsyncGenerator<JsonObject> {
  const limit = choice.chunk ? String(choice.chunk) : "";
  let next = "";
  do {
    const query = { ...selectors, ...choice.query, limit, continue: next };
    const list = await call.cluster.json(pathOf(mapping, namespace), {
      query,
      ...(choice.accept ? { accept: choice.accept } : {}),
    });
    yield list;
    const metadata = isObject(list.metadata) ? list.metadata : {};
    next = typeof metadata.continue === "string" ? metadata.continue : "";
  } while (next);
}

function enhanced(error: unknown, mapping: Mapping, { labelSelector, fieldSelector }: Selectors): Error {
  if (!(error instanceof StatusError) || !["BadRequest", "NotFound"].includes(error.status.reason ?? ""))
    return asError(error);
  const subject = JSON.stringify(
    `${mapping.group ? `${mapping.group}/` : "/"}${mapping.version}, Resource=${mapping.resource}`,
  );
  const what =
    labelSelector || fieldSelector
      ? `Unable to find ${subject} that match label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}`
      : `Unable to list ${subject}`;
  return new StatusError({ ...error.status, message: `${what}: ${error.message}` });
}

async function fromFiles(
  call: CommandCall,
  choice: Choice,
  files: readonly string[],
  kustomize: string,
  selector: string,
): Promise<Selection> {
  if (choice.args.length > 0) {
    const isNamed = choice.args.some((arg) => arg.includes("/"));
    throw new Error(
      isNamed
        ? "resource/name arguments cannot be provided when a path is specified"
        : "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    );
  }
  const { cluster, streams, namespace } = call;
  const { isDetached = false, validates = false } = choice;
  const enforcesNamespace = call.hasNamespace && !choice.allNamespaces;
  const reading = {
    cluster,
    files: call.surroundings.files,
    streams,
    namespace,
    enforcesNamespace,
    isDetached,
    validates,
  };
  const { infos, errors, isSingle } = await readManifests(
    { files, kustomize, isRecursive: call.flags.bool("recursive") },
    reading,
  );
  const labelSelector = selector ? parseSelector(selector) : undefined;
  const selected: Info[] = [];
  const failed = [...errors];
  for (const info of infos.filter(
    ({ object }) => !labelSelector || labelSelector.matches(stringsAt(object, "metadata", "labels")),
  )) {
    try {
      if (!choice.isLocal && !choice.isDetached && !choice.isNameOnly)
        info.object = await fetchObject(call, info, choice);
      selected.push(info);
    } catch (error) {
      failed.push(asError(error));
      if (!choice.keepsGoing) break;
    }
  }
  return { infos: selected, errors: failed, isSingle: isSingle && infos.length === 1 };
}
