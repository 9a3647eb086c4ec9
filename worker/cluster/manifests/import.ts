// Another cluster's objects, written into a new one with their uids, owners and statuses. What cannot come, or not as it was, is told of.
import { limits } from "../../../shared/base/limits.ts";
import type { ImportedObjects } from "../../../shared/contract/cluster-object.ts";
import type { NotImported } from "../../../shared/contract/sandbox.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { PendingCalls } from "../../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseTime } from "../../../shared/k8s/time.ts";
import { copyJson, isObject } from "../../../shared/schema/json-values.ts";
import { storedKind } from "../../api/present/present.ts";
import { toStored } from "../../api/verbs/create.ts";
import { importedAnnotation, simulatedAnnotation } from "../../kinds/core/node/simulated.ts";
import type { Kind } from "../../kinds/kind.ts";
import { create } from "../../registry/create.ts";
import { draftOf, read, type Registry } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import { type Given, givenObjects, type GivenObjects } from "./imported-object.ts";
import { type Fitted, fitObject } from "./fit.ts";

const actor = {
  user: { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
  origin: "import",
  manager: "sandbar",
};
const uidShape = /^[\w.-]{1,64}$/;

interface Import {
  readonly registry: Registry;
  /** The cluster's revision before anything came. */
  readonly began: number;
  /** uids that are taken. */
  readonly uids: Set<string>;
  /** uids of what did not come. */
  readonly missing: Set<string>;
  /** uids of what is there under the same name, by those that were given. */
  readonly liveUids: Map<string, string>;
  reportSkipped(source: Given, reason: string): void;
}

/** Writes one object at each step, between which others may have their turns. No controller may run before the last step. */
export function* importObjects(registry: Registry, objects: GivenObjects): Generator<void, ImportedObjects, void> {
  const notImported: NotImported[] = [];
  let notImportedCount = 0;
  const reportSkipped = ({ kind, namespace, name }: Given, reason: string) => {
    notImportedCount++;
    if (notImported.length < limits.notImported) notImported.push({ kind, namespace, name, reason: shortened(reason) });
  };
  const began = registry.store.revision;
  const state: Import = { registry, began, uids: new Set(), missing: new Set(), liveUids: new Map(), reportSkipped };
  const sourceUids = new Set([...objects.uids].filter(Boolean));
  for (const source of objects.all()) {
    yield;
    attempt(state, source, sourceUids);
  }
  for (const source of state.missing.size > 0 ? objects.all() : []) {
    yield;
    if (ownersOf(source).some((uid) => state.missing.has(uid))) disown(state, source);
  }
  return { notImported, ...(notImportedCount > notImported.length ? { notImportedCount } : {}) };
}

function shortened(text: string): string {
  const most = limits.manifestProblemCharacters;
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Imports a text in turns. Throws `ApiError` if the text is not YAML. */
export async function importInTurns(
  registry: Registry,
  text: string,
  pause: () => Promise<void>,
): Promise<ImportedObjects> {
  const steps = importObjects(registry, givenObjects(text));
  // Most are written twice, with their status.
  for (let writes = 2; ; writes += 2) {
    const { done, value } = steps.next();
    if (done) return value;
    if (writes % limits.writesPerTurn === 0) await pause();
  }
}

function attempt(state: Import, source: Given, sourceUids: ReadonlySet<string>): void {
  const reportFailed = (reason: string) => {
    if (source.uid) state.missing.add(source.uid);
    state.reportSkipped(source, reason);
  };
  try {
    const refusal = state.registry.store.meter.within(() => importOne(state, source, sourceUids));
    if (refusal !== undefined) reportFailed(refusal);
  } catch (error) {
    if (error instanceof PendingCalls)
      reportFailed("a webhook would have to be asked, and none is while a cluster is imported");
    // Without room for anything there is nothing to tell of each.
    else if (error instanceof ApiError && error.code !== 507) reportFailed(error.message);
    else throw error;
  }
}

/** Returns why it cannot come. */
function importOne(state: Import, source: Given, sourceUids: ReadonlySet<string>): string | undefined {
  const { registry } = state;
  if (!source.kind || !source.apiVersion) return "it has no apiVersion and kind";
  const kind = registry.catalogue.byKind(source.apiVersion, source.kind);
  if (!kind)
    return `no matches for kind ${JSON.stringify(source.kind)} in version ${JSON.stringify(source.apiVersion)}`;
  if (source.kind === "IPAddress" || source.kind === "ServiceCIDR") return "the sandbox hands out addresses of its own";
  if (kind.computed || !kind.verbs.includes("list")) return "objects of this kind are not stored";
  if (!source.name) return "it has no name";
  const { metadata } = source.value;
  if (isObject(metadata) && metadata["deletionTimestamp"]) return "it was being deleted";
  const target = storedKind(kind);
  const namespace = kind.namespaced ? source.namespace || "default" : "";
  const existing = read(registry, target, namespace, source.name);
  if (existing) return conflictWith(state, source, existing);
  const fit = fitObject(registry, target, { ...source, namespace }, actor);
  const { draft, unknown } = draftFor(state, kind, fit, sourceUids);
  for (const reason of fit.reasons) state.reportSkipped(source, reason);
  if (unknown.length > 0)
    state.reportSkipped(source, `it came without fields that are not known: ${unknown.slice(0, 5).join(", ")}`);
  const created = write(state, kind, namespace, draft, source);
  writeStatus(state, kind, created, fit, source);
  return undefined;
}

/** Keeps an object that exists already. One that the new cluster started with is reported; one that the import has created is complete. */
function conflictWith(state: Import, source: Given, existing: KubeObject): string | undefined {
  const { uid, resourceVersion } = existing.metadata;
  if (uid && source.uid) state.liveUids.set(source.uid, uid);
  if (Number(resourceVersion) > state.began) return undefined;
  state.reportSkipped(source, "a new sandbox has one of that name, which stays as it is");
  return undefined;
}

function draftFor(state: Import, kind: Kind, { value }: Fitted, sourceUids: ReadonlySet<string>) {
  const { object, unknown } = kind.schema.decode(value);
  // The canonical form of the kind just named.
  const draft = object as KubeObject;
  const { metadata } = draft;
  delete metadata.resourceVersion;
  delete metadata.managedFields;
  delete metadata.generation;
  if (kind.kind === "Node" && metadata.annotations?.[simulatedAnnotation] === undefined) {
    metadata.annotations = { ...metadata.annotations, [importedAnnotation]: "true" };
  }
  const owners = metadata.ownerReferences?.map((owner) => ({
    ...owner,
    uid: state.liveUids.get(owner.uid) ?? owner.uid,
  }));
  const living = new Set(state.liveUids.values());
  const keptOwners = owners?.filter(({ uid }) => sourceUids.has(uid) || living.has(uid)) ?? [];
  for (const owner of owners ?? []) {
    if (!keptOwners.includes(owner)) tellOrphan(state, draft, owner.kind, owner.name);
  }
  if (keptOwners.length > 0) metadata.ownerReferences = keptOwners;
  else delete metadata.ownerReferences;
  return { draft, unknown };
}

function tellOrphan(
  { reportSkipped }: Import,
  { kind, metadata, apiVersion }: KubeObject,
  owner: string,
  name: string,
): void {
  const { namespace = "", name: of = "" } = metadata;
  reportSkipped(
    { apiVersion, kind, namespace, name: of, uid: "", value: {} },
    `it came without its owner ${owner} ${name}, which is not there`,
  );
}

/** With the uid and the age that it had. */
function write(state: Import, kind: Kind, namespace: string, draft: KubeObject, source: Given): KubeObject {
  const { registry, uids } = state;
  const hasUid = uidShape.test(source.uid) && !uids.has(source.uid);
  const { creationTimestamp } = draft.metadata;
  const madeMs = creationTimestamp === undefined ? Number.NaN : parseTime(creationTimestamp);
  const nowMs = registry.clock.nowMs();
  const past = { nowMs: () => (madeMs < nowMs ? madeMs : nowMs) };
  let uid = hasUid ? source.uid : undefined;
  const random = {
    next: () => registry.random.next(),
    suffix: (length: number) => registry.random.suffix(length),
    // The first that is asked for is the object's; what comes along with it has others.
    uuid: () => {
      const first = uid ?? registry.random.uuid();
      uid = undefined;
      return first;
    },
  };
  const as = { ...registry, random, clock: past };
  const place = { namespace, name: source.name, subresource: "" };
  const { object, managers } = toStored(as, kind, draft, place, actor);
  const created = create(as, storedKind(kind), namespace, object, actor, { managers });
  if (source.uid) uids.add(source.uid);
  if (!hasUid && source.uid && created.metadata.uid) state.liveUids.set(source.uid, created.metadata.uid);
  return created;
}

function writeStatus(
  state: Import,
  kind: Kind,
  created: KubeObject,
  { value, hasStatus }: Fitted,
  source: Given,
): void {
  const target = storedKind(kind);
  if (!hasStatus || !isObject(value["status"]) || !("status" in target.subresources)) return;
  try {
    // The canonical form of the kind that is written.
    const decoded = kind.schema.decode(value).object as KubeObject;
    const inStorage = copyJson(kind.conversion?.hub ? kind.conversion.toStorage(decoded) : decoded) as KubeObject & {
      status?: { observedGeneration?: unknown };
    };
    const { status } = inStorage;
    // It counts anew, from this object on.
    if (typeof status?.observedGeneration === "number") status.observedGeneration = created.metadata.generation ?? 0;
    const { namespace = "", name = "" } = created.metadata;
    const draft = Object.assign(draftOf(created), { status });
    update(state.registry, target, { namespace, name, subresource: "status" }, draft, actor);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    state.reportSkipped(source, `it came without its status: ${error.message}`);
  }
}

function ownersOf({ value }: Given): string[] {
  const metadata = isObject(value["metadata"]) ? value["metadata"] : {};
  const owners = metadata["ownerReferences"];
  if (!Array.isArray(owners)) return [];
  return owners.flatMap((owner) => (isObject(owner) && typeof owner["uid"] === "string" ? [owner["uid"]] : []));
}

/** Removes owners that were not imported, so that the imported object is not deleted with them. */
function disown({ registry, missing, reportSkipped }: Import, source: Given): void {
  const kind = registry.catalogue.byKind(source.apiVersion, source.kind);
  if (!kind) return;
  const target = storedKind(kind);
  const namespace = kind.namespaced ? source.namespace || "default" : "";
  const stored = read(registry, target, namespace, source.name);
  if (!stored || stored.metadata.uid !== source.uid) return;
  const draft = draftOf(stored);
  const all = draft.metadata.ownerReferences ?? [];
  const gone = all.filter(({ uid }) => missing.has(uid));
  if (gone.length === 0) return;
  for (const { kind, name } of gone.slice(0, limits.toldErrors))
    reportSkipped(source, `it came without its owner ${kind} ${name}, which is not there`);
  draft.metadata.ownerReferences = all.filter(({ uid }) => !missing.has(uid));
  update(registry, target, { namespace, name: source.name, subresource: "" }, draft, actor);
}
