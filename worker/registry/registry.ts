// The dependencies of a write, passed from step to step: store, kinds, admission, clock and random source. Names no kind.
import type { Evaluations } from "../../shared/k8s/bounds/evaluations.ts";
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { Release } from "../../shared/k8s/settings/release.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { must } from "../../shared/base/assert.ts";
import type { DoneWrite } from "./local-write.ts";
import type { AuditEvent } from "../../shared/k8s/audit/event.ts";
import type { Authorizer, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { Clock } from "../../shared/base/clock.ts";
import type { Random } from "../../shared/base/random.ts";
import type { ObjectMeta } from "../../shared/k8s/api/meta-v1.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { copyJson, type JsonObject } from "../../shared/schema/json-values.ts";
import { ApiError, type GroupName } from "../../shared/k8s/status.ts";
import type { ManagedFields } from "../../shared/schema/apply/managers.ts";
import type { Kind, Reads, WriteContext } from "../kinds/kind.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import type { Key } from "../store/index-by-owner.ts";
import type { Store } from "../store/store.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { Catalogue } from "./catalogue.ts";

export interface Registry {
  readonly store: Store;
  readonly catalogue: Catalogue;
  /** Returns the admission plugins that the API server's flags leave. */
  plugins(): readonly AdmissionPlugin[];
  readonly clock: Clock;
  readonly random: Random;
  /** The address ranges of the cluster. */
  readonly network: ClusterNetwork;
  /** The enabled feature gates. */
  readonly features: Features;
  /** The release of the API server. Nodes have versions of their own. */
  readonly release: Release;
  readonly authorizer: Authorizer;
  /** The settings of the API server on its node. Undefined: those of the installation. */
  readonly apiServer?: ApiServerState;
  /** Returns answers that have arrived. Undefined if outbound calls are impossible. */
  ask?(calls: readonly OutboundCall[]): readonly OutboundAnswer[];
  /** Stores an audit event. Undefined if no audit log is written. */
  audit?(event: AuditEvent): void;
  /** Receives every answer of an outbound call, so that callers without `ask` can use it. */
  answered?(call: OutboundCall, answer: OutboundAnswer): void;
  /** See `Reads`. */
  readonly measured?: Reads["measured"];
}

/** The effects of the API server's flags on requests and on stored objects. */
export interface ApiServerState {
  allowsAnonymous(): boolean;
  /** Returns a function that audits writes of controllers; undefined without an audit policy. */
  auditOfWrites(): ((write: DoneWrite) => void) | undefined;
  /** Returns a function that encrypts the value of an object for a key in etcd; undefined if the object is not encrypted. */
  encryptionOf(
    kind: Pick<Kind, "group" | "plural">,
    object: KubeObject,
  ): ((path: string, value: string) => string) | undefined;
  /** Reports whether a write would encrypt the stored object otherwise, so that even an update without changes is written. */
  isStale(kind: Pick<Kind, "group" | "plural">, object: KubeObject): boolean;
}

/** The user and the origin of a write, stored with each change. */
export interface Actor {
  readonly user: UserInfo;
  /** The verb of the request (`create`, `patch`, ...) or the reconcile (`replicaset:default/web-1`). */
  readonly origin: string;
  /** The name of the field manager. */
  readonly manager: string;
  /** The newest change that triggered a controller's reconcile, 0 if a timer did. Undefined if no controller writes. */
  readonly reactsTo?: number | undefined;
  /** The `Audit-Id` of the request. Undefined outside of requests. */
  readonly auditId?: string | undefined;
  /** The user who impersonates `user`. */
  readonly impersonator?: string | undefined;
  /** The subresource that was requested: `status`, `scale`. */
  readonly subresource?: string | undefined;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** The field managers that server-side apply computed. Undefined: the actor becomes the manager of the fields that it changes. */
  readonly managers?: readonly ManagedFields[] | undefined;
  /** The options of the client's request, for webhooks and policies. */
  readonly requestOptions?: JsonObject | undefined;
  /** The version in the client's request, if it differs from the kind that is written. */
  readonly requestKind?: Kind | undefined;
  /** Receives annotations of plugins for the audit log. */
  readonly annotations?: Map<string, string> | undefined;
  /** The results of policies from earlier turns of the request. Undefined if the write cannot run again. */
  readonly evaluations?: Evaluations | undefined;
  /** Receives texts for `Warning` headers. */
  warn?(message: string): void;
}

export function keyFor(kind: Kind, namespace: string, name: string): Key {
  return { resource: kind.resource, namespace: kind.namespaced ? namespace : "", name };
}

export function keyOfObject(kind: Kind, object: KubeObject): Key {
  return keyFor(kind, object.metadata.namespace ?? "", object.metadata.name ?? "");
}

/**
 * Returns a stored object as an object of the kind. The store has decoded objects of this kind, or of the kind that its conversion reads.
 */
export function fromStorage<T extends KubeObject>(kind: Kind<T>, stored: KubeObject): T {
  return kind.conversion ? kind.conversion.fromStorage(stored) : (stored as T);
}

/** Returns an object as it will be read after it is stored. Calls the conversion webhook before anything is stored. */
export function roundTrip<T extends KubeObject>(kind: Kind<T>, object: T): T {
  return kind.conversion ? kind.conversion.fromStorage(kind.conversion.toStorage(object)) : object;
}

export function read<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  namespace: string,
  name: string,
): T | undefined {
  const stored = registry.store.get(keyFor(kind, namespace, name));
  return stored && fromStorage(kind, stored);
}

export function mustRead<T extends KubeObject>(
  registry: Registry,
  kind: Kind<T>,
  namespace: string,
  name: string,
  requestKind?: Kind,
): T {
  const object = read(registry, kind, namespace, name);
  if (!object) throw ApiError.notFound(qualifiedResource(kind, { requestKind }), name);
  return object;
}

/** Returns the resource name for error messages, in the group of the request. */
export function qualifiedResource(
  kind: Pick<Kind, "plural" | "groupResource">,
  { requestKind }: WriteOptions,
): GroupName {
  return (requestKind?.plural === kind.plural ? requestKind : kind).groupResource;
}

export function contextOf(
  registry: Registry,
  { user }: Actor,
  { dryRun = false, warn, evaluations }: WriteOptions = {},
): WriteContext {
  return {
    ...readsOf(registry),
    random: registry.random,
    network: registry.network,
    features: registry.features,
    release: registry.release,
    user,
    dryRun,
    ...(warn ? { warn } : {}),
    ...(evaluations ? { evaluations } : {}),
    authorizer: registry.authorizer,
    kindOf: (apiVersion, kind) => registry.catalogue.byKind(apiVersion, kind),
    versionsOf: (kind) => registry.catalogue.versionsOf(kind),
    ask: (calls) => (calls.length === 0 ? [] : must(registry.ask, "someone who asks")(calls)),
  };
}

/** Returns the reads that computed kinds use. */
export function readsOf(registry: Registry): Reads {
  return {
    nowMs: registry.clock.nowMs(),
    meter: registry.store.meter,
    list: (kind, namespace) => listObjects(registry, kind, namespace),
    count: (kind) => registry.store.size(kind.resource),
    measured: registry.measured,
    get: <T extends KubeObject>(kind: Kind<T>, namespace: string, name: string) =>
      read(registry, kind, namespace, name),
  };
}

function* listObjects<T extends KubeObject>(registry: Registry, kind: Kind<T>, namespace?: string): Generator<T> {
  for (const stored of registry.store.list({ resource: kind.resource, namespace })) yield fromStorage(kind, stored);
}

/** Returns a mutable copy of a frozen object. Its managed fields are shared, since writes replace them as a whole. */
export function draftOf<T extends KubeObject>(object: T): T {
  const { managedFields } = object.metadata;
  if (!managedFields) return copyJson(object);
  const metadata: ObjectMeta = { ...object.metadata, managedFields: [] };
  const draft = copyJson<T>({ ...object, metadata });
  draft.metadata.managedFields = managedFields;
  return draft;
}

/** Returns the form that decoding gives, independent of the order of defaults and strategies. Equal objects have equal JSON texts. */
export function canonical<T extends KubeObject>(kind: Kind<T>, draft: T): T {
  return kind.schema.decode(draft).object as T;
}
