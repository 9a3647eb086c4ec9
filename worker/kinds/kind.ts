// The definition of a kind: its shape comes from the type facts, its behavior from one file. Routes, discovery, OpenAPI, decoding, tables,
// field selectors, generation, subresources and indexes follow from this value. The registry and the API name no kind.
import type { Evaluations } from "../../shared/k8s/bounds/evaluations.ts";
import type { Release } from "../../shared/k8s/settings/release.ts";
import type { FieldPath } from "../../shared/schema/facts/releases/disabled-fields.ts";
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Authorizer, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { FieldError } from "../../shared/k8s/field.ts";
import { type KubeObject, groupVersion } from "../../shared/k8s/meta.ts";
import type { NodeMeasurement } from "./metrics/node-measurement.ts";
import type { GroupName } from "../../shared/k8s/status.ts";
import type { Random } from "../../shared/base/random.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { graphSchema, type ObjectSchema } from "../../shared/schema/object-schema.ts";
import type { Describe, Schema } from "../../shared/schema/openapi/schema.ts";
import type { OpenApiVersion } from "../../shared/schema/structural/openapi.ts";
import resources from "../../shared/schema/facts/kubernetes-resources.json" with { type: "json" };
import { typeFacts } from "../../shared/schema/type-facts.ts";
import { must } from "../../shared/base/assert.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** The context of a strategy while it prepares or validates a write. All reads return the state before the write. */
export interface WriteContext {
  readonly nowMs: number;
  readonly random: Random;
  /** The address ranges of the cluster. */
  readonly network: ClusterNetwork;
  /** The enabled feature gates. */
  readonly features: Features;
  /** The release of the API server. Undefined: the newest. */
  readonly release?: Release;
  /** The user of the write. */
  readonly user: UserInfo;
  /** The meter of the cluster, which validation and defaulting charge. */
  readonly meter: WorkMeter;
  /** Whether nothing will be stored, so that allocated values need not be free. */
  readonly dryRun: boolean;
  /** The authorizer of the cluster. */
  readonly authorizer: Authorizer;
  /** Makes outbound calls in parallel. Throws `PendingCalls` until the answers have arrived. */
  ask(calls: readonly OutboundCall[]): readonly OutboundAnswer[];
  /** Lists all stored objects of a kind, optionally in a namespace. */
  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): Iterable<T>;
  /** Counts the stored objects in all namespaces, at no cost. */
  count(kind: Kind): number;
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined;
  /** Finds a served kind by apiVersion and kind. */
  kindOf(apiVersion: string, kind: string): Kind | undefined;
  versionsOf(kind: Kind): readonly Kind[];
  /** Receives warnings about tolerated violations. */
  warn?(message: string): void;
  /** The results of policies from earlier turns of the request. */
  readonly evaluations?: Evaluations;
}

/** The reads that computed kinds use. */
export interface Reads extends Pick<WriteContext, "nowMs" | "meter" | "list" | "count" | "get"> {
  /** Returns the last measurement of a machine that is a node. Undefined: no machine is measured. */
  readonly measured?: ((node: string) => NodeMeasurement | undefined) | undefined;
}

/** A column of `kubectl get`: its definition and its cells (upstream: TableColumnDefinition, printers). */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description: string;
  /** Columns with 0 are always shown, those with 1 only with `-o wide`. */
  readonly priority?: number;
  /** Whether rows have a cell without a column definition, as IPAddresses do. */
  readonly hasNoDefinition?: boolean;
  cell(object: T, nowMs: number): string | number | boolean | null;
}

/** The `/scale` of a workload: how autoscaling/v1 Scale is read and written. */
export interface ScaleBehaviour<T> {
  /** The path of the replicas, if it is not `spec.replicas`. */
  readonly replicasPath?: readonly string[];
  /** Returns why the Scale of an object cannot be read. */
  unreadable?(object: T): string | undefined;
  specReplicas(object: T): number;
  statusReplicas(object: T): number;
  /** Returns the selector as text for the `status.selector` of a Scale. */
  selector(object: T): string;
  /** Returns a copy with other replicas. */
  withReplicas(object: T, replicas: number): T;
}

/** The strategy of a subresource that is written like the object (status, finalize, resize, ...). */
export interface SubresourceStrategy<T> {
  /** Restores all fields of the draft that this subresource must not change. */
  prepareForUpdate(draft: T, previous: T, context: WriteContext): void;
  validateUpdate?(next: T, previous: T, context: WriteContext): FieldError[];
}

/** The action of a POST to a subresource. */
export interface Action<T> {
  /** The type of the body in the type graph: `io.k8s.api.core.v1.Binding`. */
  readonly type: string;
  /** Validates a body before admission. Throws `ApiError`. `name` is the name in the path. */
  check?(name: string, body: KubeObject, context: WriteContext): void;
  /** Computes the result of a decoded body. Throws `ApiError`. */
  run(object: T, body: KubeObject, context: WriteContext): ActionResult<T>;
}

export interface ActionResult<T> {
  /** The status of another object that the API server writes first: the budget of an eviction. */
  readonly status?: { readonly kind: Kind; readonly object: KubeObject };
  /** The object to store, which bypasses the strategy of updates. */
  readonly store?: T;
  /** Deletes the object afterwards. */
  readonly delete?: DeleteQuery;
  /** Whether the body requests a dry run. */
  readonly dryRun?: boolean;
}

/** The parts of an update's validation, for `validateUpdate` to call in its order. */
export interface UpdateChecks {
  /** Runs `ValidateObjectMeta` on the new object, with the kind's `validateName`. */
  objectMeta(): FieldError[];
  /** Runs `ValidateObjectMetaUpdate`: immutable metadata. */
  objectMetaUpdate(): FieldError[];
  /** Runs the kind's own `validate` on the new object. */
  validate(): FieldError[];
}

/** An object that the API server creates for another one, with its own name. */
export interface Companion {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Computed values that are added to objects on reads and never stored: heartbeats of simulated nodes. */
export interface Decorator<T> {
  /** Returns the object as clients see it at a time. Returns the same instance if nothing is added. */
  decorate(object: T, nowMs: number): T;
  /** Removes the computed values from a draft that its writer had read. */
  strip(draft: T, previous: T): void;
}

/** The conversion of another version to the stored one: events.k8s.io Event, versions of a custom resource. */
export interface Conversion<T extends KubeObject> {
  /** The kind whose strategy handles writes. Undefined: this version's own strategy. */
  readonly hub?: Kind;
  /** "" if the stored version is not served. */
  readonly storageVersion: string;
  toStorage(object: T): KubeObject;
  /** Converts a stored object. Returns the same instance if nothing changes. `toStorage` restores its result unchanged. */
  fromStorage(stored: KubeObject): T;
  /** Prepares many reads: makes all outbound calls for them at once, by a thrown `PendingCalls`. */
  prefetch?(stored: Iterable<KubeObject>): void;
}

/** The OpenAPI schemas of a custom kind, which the type graph does not contain. */
export interface CustomOpenApi {
  /** A text that changes whenever the schemas do. */
  readonly tag: string;
  /** Returns the schemas of the object and of its list by name. */
  schemas(version: OpenApiVersion, describe: Describe): Record<string, Schema>;
}

/** The deletion behavior of a kind. */
export interface DeletionStrategy<T> {
  /**
   * Returns the grace period (`CheckGracefulDelete`): 0 for immediate deletion. `requested` is the client's value. Undefined: no graceful
   * deletion.
   */
  gracePeriodSeconds?(object: T, requested: number | undefined): number;
  /** Set if the object stays until its finalization is done: Namespace with its `spec.finalizers`. */
  readonly finalization?: {
    /** Changes the draft that is marked as being deleted. */
    begin(draft: T): void;
    /** Handles a repeated deletion of a marked object. */
    again?(draft: T): void;
    /** Reports whether the object can be removed. */
    done(object: T): boolean;
  };
  /** Whether `DefaultGarbageCollectionPolicy` is OrphanDependents. */
  readonly orphansDependents?: boolean;
  /** The warning for a deletion without a propagation policy. */
  readonly orphanWarning?: string;
  /** Returns why an object must not be deleted, if so: the message of a 403. */
  refusal?(object: T): string | undefined;
  /** Whether the response is the object (`ReturnDeletedObject`), not a Status. */
  readonly returnsObject?: boolean;
}

/** The behavior of a kind. A requirement of a single kind is an optional property here, never an `if` elsewhere. */
export interface Behaviour<T extends KubeObject> {
  // Writing: the strategies of creation and update (upstream: RESTCreateStrategy, RESTUpdateStrategy).
  /** Runs `SetDefaults_*` on the draft. */
  defaults?(draft: T): void;
  /** Runs `PrepareForCreate`, after the registry has cleared the status and set the metadata. */
  prepareForCreate?(draft: T, context: WriteContext): void;
  /** Runs `PrepareForUpdate`, after the registry has restored the previous status. */
  prepareForUpdate?(draft: T, previous: T, context: WriteContext): void;
  /** Runs `Validate` without the metadata, which the registry validates. */
  validate?(object: T, context: WriteContext): FieldError[];
  /** Runs `ValidateUpdate` completely. Undefined: `objectMetaUpdate`, then `validate`. */
  validateUpdate?(next: T, previous: T, check: UpdateChecks, context: WriteContext): FieldError[];
  /** Throws if the user may not write this content, regardless of verbs: privilege escalation by roles and bindings. */
  authorizeWrite?(next: T, previous: T | undefined, context: WriteContext): void;
  /** Returns `WarningsOnCreate` or `WarningsOnUpdate`. */
  warnings?(next: T, previous: T | undefined): string[];
  /** Returns the errors of a name. Default: DNS-1123 subdomain. `prefix` is true for a `generateName`. */
  validateName?(name: string, prefix: boolean): string[];
  /**
   * The rules for ObjectMeta, if they are not those of core. `apimachinery` does not require a domain in finalizers. `none` validates the
   * metadata of a new object only after the kind's own rules.
   */
  readonly metadataRules?: "apimachinery" | "none";
  /** Reports whether a write raises `metadata.generation`. Undefined: the kind has no generation. */
  raisesGeneration?(next: T, previous: T): boolean;
  /** Whether a status is kept on creation (Node). */
  readonly keepsStatusOnCreate?: boolean;
  /** Reports whether controllers may create the object in reserved storage: warnings, leases. */
  mayUseReserve?(object: T): boolean;
  /** Whether a PUT creates an absent object (`AllowCreateOnUpdate`). Default: false. */
  readonly allowCreateOnUpdate?: boolean;
  /** Whether an update needs no resourceVersion (`AllowUnconditionalUpdate`). Default: true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** The message of the 403 for any creation, if creation is not allowed. */
  readonly refusesCreation?: string;
  /**
   * Returns the objects that the API server maintains for an object (a Service's IPAddresses). They are created before the first write that
   * names them, and removed after the first that does not, in the same turn.
   */
  companions?(object: T): readonly Companion[];
  readonly deletion?: DeletionStrategy<T>;

  // Subresources.
  /** The strategies of subresources that are written like the object, by name. `status` has a default. */
  readonly subresourceStrategies?: Readonly<Record<string, SubresourceStrategy<T>>>;
  /** The fields of `GetResetFields` by subresource ("" for the object), as dotted paths, if they are not the default ones. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly scale?: ScaleBehaviour<T>;
  /** The subresources with actions: pods/binding, pods/eviction. */
  readonly actions?: Readonly<Record<string, Action<T>>>;

  // Reading.
  readonly columns: readonly Column<T>[];
  /** Returns the values of field selectors besides metadata.name and metadata.namespace. Only these fields are supported. */
  selectableFields?(object: T): Record<string, string>;
  /** Returns the error of an unsupported field, if it is not the usual one. */
  fieldLabelError?(field: string): string;
  readonly decorator?: Decorator<T>;
  /** Returns the value by which `client.byIndexValue` finds objects: for pods, the node's name. */
  indexValue?(object: T): string;
  /** Computes all objects of a kind that is not stored, optionally in a namespace. Called on every read. */
  computed?(reads: Reads, namespace?: string): readonly T[];
  /** Set for computed kinds that show measurements of machines, which are renewed before a request reads them. */
  readonly showsMeasurements?: true;

  // Serving.
  readonly conversion?: Conversion<T>;
  /** The `Warning` header of every request of this kind: `APILifecycleDeprecated`. */
  readonly deprecation?: string;
  /** The prefix of the keys in etcd, if it is not the plural. Errors about uid conflicts contain it. */
  readonly resourcePrefix?: string;
  /** Returns what differs in an older release. `isEnabled` reports whether a feature gate is on. */
  inRelease?(release: { readonly minor: number; isEnabled(gate: string): boolean }): Partial<Behaviour<T>>;
  /** The fields that writes drop because their feature gate is off in the release. Undefined in the newest one. */
  readonly disabledFields?: readonly FieldPath[];
  /** Set for custom resources, which have no Go type: no protobuf, no strategic merge patch, and list items with apiVersion and kind. */
  readonly custom?: { readonly listKind: string; readonly openApi: CustomOpenApi };
}

/** The facts about a resource. */
export interface KindFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** The HTTP methods in lower case by subresource. */
  readonly subresources: Readonly<Record<string, readonly string[]>>;
  /** The name in OpenAPI, and for built-in kinds in the type graph: `io.k8s.api.apps.v1.Deployment`. */
  readonly type: string;
  /** The name in the type graph, if an older release has another form of the type. */
  readonly scopedType?: string;
  readonly schema: ObjectSchema;
  /** The apiVersion: `apps/v1`. */
  readonly apiVersion: string;
  /** The GroupResource as text, which is the key in the store: `deployments.apps`, `pods`. */
  readonly resource: string;
  readonly groupResource: GroupName;
  readonly groupKind: GroupName;
}

export interface Kind<T extends KubeObject = KubeObject> extends KindFacts, Behaviour<T> {}

/** Defines a built-in kind: `defineKind<Deployment>("apps", "v1", "deployments", { ... })`. */
export function defineKind<T extends KubeObject>(
  group: string,
  version: string,
  plural: string,
  behaviour: Behaviour<T>,
): Kind<T> {
  return { ...factsOf(group, version, plural), ...behaviour };
}

/** Defines a kind of an additional API, of which the facts contain only the types. */
export function defineKindBeside<T extends KubeObject>(resource: ResourceFacts, behaviour: Behaviour<T>): Kind<T> {
  return { ...kindFacts(resource), ...behaviour };
}

export interface ResourceFacts {
  group: string;
  version: string;
  resource: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: Record<string, string[]>;
}

function factsOf(group: string, version: string, plural: string): KindFacts {
  const all = resources as unknown as ResourceFacts[];
  const facts = must(
    all.find(
      (resourceFacts) =>
        resourceFacts.group === group && resourceFacts.version === version && resourceFacts.resource === plural,
    ),
    `resource ${plural} of ${groupVersion(group, version)}`,
  );
  return kindFacts(facts);
}

function kindFacts(facts: ResourceFacts): KindFacts {
  const { group, version, resource: plural } = facts;
  const type = must(
    typeFacts.kinds.find(
      (candidate) => candidate.group === group && candidate.version === version && candidate.kind === facts.kind,
    ),
    `type of ${facts.kind}`,
  ).type;
  return {
    group,
    version,
    plural,
    kind: facts.kind,
    singular: facts.kind.toLowerCase(),
    namespaced: facts.namespaced,
    verbs: facts.verbs as Verb[],
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    subresources: facts.subresources ?? {},
    type,
    schema: graphSchema(type),
    apiVersion: groupVersion(group, version),
    resource: group ? `${plural}.${group}` : plural,
    groupResource: { group, name: plural },
    groupKind: { group, name: facts.kind },
  };
}
