// What a write needs, handed from step to step: the store, the kinds, admission, time and chance. Names no kind.
import type { Evaluations } from "../../shared/k8s/evaluations.ts";
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import { must } from "../../shared/base/assert.ts";
import type { AuditEvent } from "../../shared/k8s/audit.ts";
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
  readonly plugins: readonly AdmissionPlugin[];
  readonly clock: Clock;
  readonly random: Random;
  /** The ranges of addresses that it hands out. */
  readonly network: ClusterNetwork;
  /** Which feature gates are on. */
  readonly features: Features;
  readonly authorizer: Authorizer;
  /** Answers what is known; absent where nobody can be asked. */
  ask?(calls: readonly OutboundCall[]): readonly OutboundAnswer[];
  /** Keeps what policies and webhooks have noted of a request; absent where nobody reads it. */
  audit?(event: AuditEvent): void;
  /** Told of every answer that comes in, whoever asked: for those below who have no one to ask. */
  answered?(call: OutboundCall, answer: OutboundAnswer): void;
}

/** Who writes, and for what: kept with each change. */
export interface Actor {
  readonly user: UserInfo;
  /** The request (`create`, `patch`, ...) or the reconcile (`replicaset:default/web-1`) it came from. */
  readonly origin: string;
  /** The field manager of what it writes. */
  readonly manager: string;
  /** The newest change that a controller's reconcile was asked for by, 0 where none did; absent where no controller writes. */
  readonly reactsTo?: number | undefined;
  /** The `Audit-Id` of the request that it is done for, if a request is served. */
  readonly auditId?: string | undefined;
  /** Who acts as the user. */
  readonly impersonator?: string | undefined;
  /** Of a request to one: `status`, `scale`. */
  readonly subresource?: string | undefined;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  /** The managers of fields as server-side apply has found them; absent: the actor becomes the manager of what it changes. */
  readonly managers?: readonly ManagedFields[] | undefined;
  /** The options of the request as its client gave them: for webhooks and policies. */
  readonly given?: JsonObject | undefined;
  /** The version that the client speaks, where that is not the kind that is written. */
  readonly requestKind?: Kind | undefined;
  /** Receives what plugins note for the audit log. */
  readonly annotations?: Map<string, string> | undefined;
  /** Results of policies that earlier turns of the request left. Undefined if nobody can run the write again. */
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

/** A stored object as one of the kind. The store keeps what decoding of this very kind gave, or what its conversion did. */
export function fromStorage<T extends KubeObject>(kind: Kind<T>, stored: KubeObject): T {
  return kind.conversion ? kind.conversion.fromStorage(stored) : (stored as T);
}

/** An object as it will be read once it is stored: a webhook that converts is asked before anything is written. */
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

/** What refusals call the resource: in the group of the request. */
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

/** What kinds that are not stored are made up of. */
export function readsOf(registry: Registry): Reads {
  return {
    nowMs: registry.clock.nowMs(),
    meter: registry.store.meter,
    list: (kind, namespace) => listed(registry, kind, namespace),
    count: (kind) => registry.store.size(kind.resource),
    get: <T extends KubeObject>(kind: Kind<T>, namespace: string, name: string) =>
      read(registry, kind, namespace, name),
  };
}

function* listed<T extends KubeObject>(registry: Registry, kind: Kind<T>, namespace?: string): Generator<T> {
  for (const stored of registry.store.list({ resource: kind.resource, namespace })) yield fromStorage(kind, stored);
}

/** A draft that may be changed, from a frozen object; its managers are replaced, never changed, and so stay shared. */
export function draftOf<T extends KubeObject>(object: T): T {
  const { managedFields } = object.metadata;
  if (!managedFields) return copyJson(object);
  const metadata: ObjectMeta = { ...object.metadata, managedFields: [] };
  const draft = copyJson<T>({ ...object, metadata });
  draft.metadata.managedFields = managedFields;
  return draft;
}

/** The form that decoding gives, whatever defaults and strategies added: equal objects are equal texts. */
export function canonical<T extends KubeObject>(kind: Kind<T>, draft: T): T {
  return kind.schema.decode(draft).object as T;
}
