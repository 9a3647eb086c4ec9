// The objects of a sandbox when a run has ended, without the values that differ from run to run, and how two such states differ.
import type { Kube } from "./kube.ts";

/** The values at the paths of each object: `statefulsets.apps default/web` to `spec.replicas` to `3`. */
export type FinalState = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The discovery document that lists all groups with their resources. */
interface Discovery {
  readonly items: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string; readonly verbs: readonly string[] }[];
    }[];
  }[];
}

interface Item {
  readonly status?: { readonly phase?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generateName?: string;
    readonly uid?: string;
  };
}

/** Resources that follow from others, or that clients of leader election write. */
const leftOut = new Set([
  ...["events", "events.events.k8s.io", "leases.coordination.k8s.io", "nodes", "componentstatuses"],
  ...["endpoints", "endpointslices.discovery.k8s.io", "controllerrevisions.apps", "volumeattachments.storage.k8s.io"],
  ...["csinodes.storage.k8s.io", "nodes.metrics.k8s.io", "pods.metrics.k8s.io", "ipaddresses.networking.k8s.io"],
]);

const namespaces = new Set(["kube-system", "kube-node-lease", "kube-public"]);
const leaders = /leader|election/;
/** Fields that differ by their nature. */
const maskedFields = new Set(
  "uid resourceVersion creationTimestamp managedFields generation observedGeneration selfLink time".split(" "),
);
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;
const generated = /(kube-api-access)-[a-z0-9]{5}/g;
const container = /containerd:\/\/[0-9a-f]+/g;
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Reads the objects of a cluster. `isRead`: of these resources only, by their names with their groups. */
export async function readFinalState(
  kube: Kube,
  isRead: (resource: string) => boolean = () => true,
): Promise<FinalState> {
  const state = new Map<string, ReadonlyMap<string, string>>();
  const lists = await Promise.all(
    [...(await readPaths(kube))]
      .filter(([resource]) => isRead(resource))
      .map(async ([resource, path]) => ({
        resource,
        items: (await kube.get<{ readonly items: readonly Item[] }>(path)).items,
      })),
  );
  for (const { resource, items } of lists)
    for (const [key, item] of keyed(resource, items))
      state.set(key, valuesOf(resource === "pods" ? comparablePod(item) : item));
  return state;
}

const discoveryForm = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Returns the paths of the lists of all resources in their preferred versions. */
async function readPaths(kube: Kube): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for (const root of ["/api", "/apis"]) {
    const { items } = await kube.get<Discovery>(root, discoveryForm);
    for (const { metadata, versions } of items) {
      const group = metadata?.name ?? "";
      for (const { version, resources } of versions)
        for (const { resource, verbs } of resources) {
          const name = group === "" ? resource : `${resource}.${group}`;
          if (!verbs.includes("list") || leftOut.has(name) || paths.has(name)) continue;
          paths.set(name, `${root}/${group === "" ? "" : `${group}/`}${version}/${resource}`);
        }
    }
  }
  return paths;
}

/** Returns a pod without its status, which differs with the time of its start, and without its node, which the scheduler chooses. */
function comparablePod({ status, spec, ...item }: Item): object {
  const { nodeName: _, ...rest } = spec ?? {};
  return { ...item, spec: rest, status: { phase: status?.phase } };
}

/** Names objects with generated names by their order. */
function* keyed(resource: string, items: readonly Item[]): Generator<readonly [string, Item]> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const { name, namespace, generateName } = item.metadata;
    if (namespaces.has(namespace ?? "") || leaders.test(name)) continue;
    const isGenerated = generateName !== undefined && name.length > generateName.length;
    const stem = masksIn(`${resource} ${namespace ? `${namespace}/` : ""}${isGenerated ? generateName : name}`);
    const count = (counts.get(stem) ?? 0) + 1;
    counts.set(stem, count);
    yield [isGenerated ? `${stem}*${count}` : stem, item];
  }
}

function valuesOf(item: object): Map<string, string> {
  const values = new Map<string, string>();
  collect(item, "", values);
  return values;
}

function collect(value: unknown, path: string, values: Map<string, string>): void {
  if (typeof value !== "object" || value === null) return void values.set(path, masked(value));
  const entries = Array.isArray(value)
    ? value.map((entry: unknown, at) => [nameOf(entry) ?? String(at), entry] as const)
    : Object.entries(value);
  for (const [key, entry] of entries) {
    const ownPath = masksIn(path === "" ? key : `${path}.${key}`);
    if (!maskedFields.has(key)) collect(entry, ownPath, values);
  }
}

/** Entries of a list are known by their names or types, as patches know them. */
function nameOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, type } = value as { readonly name?: unknown; readonly type?: unknown };
  return [name, type].find((text): text is string => typeof text === "string");
}

function masked(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  if (time.test(value)) return "<time>";
  return address.test(value) ? "<address>" : masksIn(value).slice(0, 200);
}

/** Replaces identifiers that differ in each run. */
export function masksIn(text: string): string {
  return text.replaceAll(uid, "<uid>").replaceAll(generated, "$1").replaceAll(container, "<container>");
}

/** A difference: the object, the path (empty for the whole object) and both values. */
export interface Difference {
  readonly object: string;
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export function differences(before: FinalState, after: FinalState): Difference[] {
  const result: Difference[] = [];
  for (const object of new Set([...before.keys(), ...after.keys()])) {
    const [a, b] = [before.get(object), after.get(object)];
    if (!a || !b) {
      result.push({ object, path: "", before: a && "exists", after: b && "exists" });
      continue;
    }
    for (const path of new Set([...a.keys(), ...b.keys()]))
      if (a.get(path) !== b.get(path)) result.push({ object, path, before: a.get(path), after: b.get(path) });
  }
  return result;
}

/** Reports whether a rule masks a difference: `<resource> <namespace>/<name> <path>` with `*` for any text. */
export function isMasked({ object, path }: Difference, rules: readonly string[]): boolean {
  return rules.some((rule) => matchesWildcards(`${object} ${path}`, rule.split("*")));
}

/** Reports whether a text consists of these parts in their order, with any text between them. */
function matchesWildcards(text: string, pieces: readonly string[]): boolean {
  const [first = "", ...rest] = pieces;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest.slice(0, -1)) {
    const next = text.indexOf(piece, at);
    if (next < 0) return false;
    at = next + piece.length;
  }
  const last = rest.at(-1);
  return last === undefined ? at === text.length : text.length - last.length >= at && text.endsWith(last);
}
