// Records the requests of users from the change log, as requests that another cluster can repeat. Nothing is stored for it.
import { limits } from "../../../../shared/base/limits.ts";
import type {
  RecordedRequest,
  RecordingStep,
  RecordingStepQuestion,
} from "../../../../shared/contract/cluster/recording.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import { mergePatchOf } from "../../../../shared/schema/merge-patch-of.ts";
import { appliedForm } from "../../../../shared/state/export.ts";
import type { Kind } from "../../../kinds/kind.ts";
import { fromStorage, type Registry } from "../../../registry/registry.ts";
import type { PastChange } from "../../../store/cause.ts";
import type { PastWrite } from "../../../store/past.ts";
import type { Sql } from "../../../store/sql.ts";
import { scannedRowWork } from "../../../store/store.ts";
import { momentOf } from "./registry-at.ts";

/** Work, in microseconds, of reading the key and the cause of a change. */
const readWriteWork = 4;
/** Fields of an object's metadata that the server sets. */
const serverFields = [
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
];
const apiServer = "system:apiserver";
/** Subresources whose writes are repeated on the object itself. */
const ofObject = new Set(["", "scale"]);

/** Returns the requests of the next changes. Throws `Expired` if history does not go back to the beginning. */
export function recordingStep(sql: Sql, registry: Registry, { query, after }: RecordingStepQuestion): RecordingStep {
  const { store, clock } = registry;
  const since = query.since === undefined ? undefined : momentOf(sql, registry, query.since);
  const until = query.until === undefined ? undefined : momentOf(sql, registry, query.until);
  const isRevision = query.since !== undefined && /^\d+$/.test(query.since);
  const begin = Math.max(since ? since.revision - (isRevision ? 1 : 0) : 0, store.forgotten);
  const end = until?.revision ?? store.revision;
  const page = store.past.after(after ?? begin, limits.recordingStepChanges).filter(({ revision }) => revision <= end);
  store.meter.account(page.length * (readWriteWork + scannedRowWork));
  const requests = page.flatMap((write) => requestOf(registry, write, query.user) ?? []);
  const [first] = page;
  return {
    requests,
    from: new Date(since?.atMs ?? first?.atMs ?? clock.nowMs()).toISOString(),
    next: page.length < limits.recordingStepChanges ? undefined : page.at(-1)?.revision,
  };
}

function requestOf(registry: Registry, write: PastWrite, user: string | undefined): RecordedRequest | undefined {
  const { cause, revision, atMs = 0, resource } = write;
  // The API server writes what belongs to a request in its own name, and does so again when the request is repeated.
  if (cause.auditId === undefined || cause.user === apiServer) return undefined;
  if (user !== undefined && user !== cause.user) return undefined;
  const kind = registry.catalogue.stored(resource);
  const [change] = registry.store.history(revision - 1, 1);
  if (!kind || change?.revision !== revision) return undefined;
  registry.store.effort.accountRead(change.text.length);
  const repeated = repeatedRequest(kind, change);
  return repeated && { at: new Date(atMs).toISOString(), user: cause.user, ...repeated };
}

type Repeated = Pick<RecordedRequest, "verb" | "path" | "uid" | "body">;

function repeatedRequest(kind: Kind, change: PastChange): Repeated | undefined {
  const { type, cause, previous } = change;
  const object = fromStorage(kind, change.object);
  const collection = collectionPath(kind, object.metadata.namespace);
  const path = `${collection}/${encodeURIComponent(object.metadata.name ?? "")}`;
  const { origin, subresource = "" } = cause;
  if (!previous) return { verb: "create", path: collection, uid: object.metadata.uid, body: createdBody(object) };
  if (origin === "binding") return { verb: "create", path: `${path}/binding`, body: bindingOf(object) };
  if (origin === "eviction") {
    // An eviction writes a condition first.
    const isEnd = type === "DELETED" || object.metadata.deletionTimestamp !== undefined;
    return isEnd ? { verb: "create", path: `${path}/eviction`, body: evictionOf(object) } : undefined;
  }
  if (origin.startsWith("delete")) return { verb: "delete", path, body: deletionOf(object, type) };
  // A write that removes the last finalizer of an object deletes it.
  const body =
    type === "DELETED" ? { metadata: { finalizers: null } } : patchBetween(kind, previous, object, subresource);
  return body && { verb: "patch", path: ofObject.has(subresource) ? path : `${path}/${subresource}`, body };
}

function collectionPath({ apiVersion, plural, namespaced }: Kind, namespace = ""): string {
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}${namespaced ? `/namespaces/${encodeURIComponent(namespace)}` : ""}/${plural}`;
}

/** Returns what the user created, with the owners, whose UIDs the replay replaces. */
function createdBody(object: KubeObject): KubeObject {
  const { ownerReferences, ...rest } = object.metadata;
  const body = appliedForm({ ...object, metadata: rest });
  if (ownerReferences) body.metadata.ownerReferences = ownerReferences;
  return body;
}

function bindingOf({ metadata, ...pod }: KubeObject): object {
  const { spec } = pod as { spec?: { nodeName?: string } };
  const target = { apiVersion: "v1", kind: "Node", name: spec?.nodeName ?? "" };
  return { apiVersion: "v1", kind: "Binding", metadata: { name: metadata.name }, target };
}

function evictionOf({ metadata }: KubeObject): object {
  return {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: metadata.name, namespace: metadata.namespace },
  };
}

/** Returns the options of a deletion, as far as they left traces in the object. */
function deletionOf({ metadata }: KubeObject, type: PastChange["type"]): object {
  const { finalizers = [], deletionGracePeriodSeconds } = metadata;
  const policy = finalizers.includes("foregroundDeletion")
    ? "Foreground"
    : finalizers.includes("orphan")
      ? "Orphan"
      : "Background";
  const seconds = type === "DELETED" ? 0 : deletionGracePeriodSeconds;
  return {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: policy,
    ...(seconds === undefined ? {} : { gracePeriodSeconds: seconds }),
  };
}

function patchBetween(kind: Kind, previous: KubeObject, object: KubeObject, subresource: string): object | undefined {
  const form = subresource === "status" ? statusOf : withoutServerFields;
  return mergePatchOf(form(fromStorage(kind, previous)), form(object));
}

function statusOf(object: KubeObject): JsonObject {
  return { status: (object as KubeObject & { status?: unknown }).status ?? {} };
}

function withoutServerFields(object: KubeObject): JsonObject {
  const { status: _, metadata, ...rest } = object as KubeObject & { status?: unknown };
  const fields = Object.entries(metadata).filter(([field]) => !serverFields.includes(field));
  return { ...rest, metadata: Object.fromEntries(fields) };
}
