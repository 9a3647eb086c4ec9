// What a kind is: its shape comes from the facts, its behaviour from one file. Routes, discovery, OpenAPI, decoding, tables,
// field selectors, generation, subresources and indexes all follow from this value; registry and api never name a kind.
import type { Evaluations } from "../../shared/k8s/evaluations.ts";
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { ClusterNetwork } from "../../shared/k8s/settings/cluster-network.ts";
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Authorizer, UserInfo } from "../../shared/k8s/authorizer.ts";
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import type { FieldError } from "../../shared/k8s/field.ts";
import { type KubeObject, groupVersion } from "../../shared/k8s/meta.ts";
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

/** What a strategy may ask while it prepares or checks a write. All reads see the state before the write. */
export interface WriteContext {
  readonly nowMs: number;
  readonly random: Random;
  /** The ranges that addresses are given of. */
  readonly network: ClusterNetwork;
  /** Which feature gates are on. */
  readonly features: Features;
  /** Who writes. */
  readonly user: UserInfo;
  /** The meter of the cluster: checks and defaults charge it. */
  readonly meter: WorkMeter;
  /** Nothing will be stored: what is allocated need not be free. */
  readonly dryRun: boolean;
  /** Who may do what. */
  readonly authorizer: Authorizer;
  /** Asks outside, all at once: throws `PendingCalls` until the answers are there. */
  ask(calls: readonly OutboundCall[]): readonly OutboundAnswer[];
  /** All stored objects of a kind (by namespace where given). */
  list<T extends KubeObject>(kind: Kind<T>, namespace?: string): Iterable<T>;
  /** How many are stored, in all namespaces; costs nothing. */
  count(kind: Kind): number;
  get<T extends KubeObject>(kind: Kind<T>, namespace: string, name: string): T | undefined;
  /** The kind of an apiVersion and kind, if it is served. */
  kindOf(apiVersion: string, kind: string): Kind | undefined;
  /** The versions of a kind, itself among them. */
  versionsOf(kind: Kind): readonly Kind[];
  /** Receives texts for `Warning` headers: of what is excused. */
  warn?(message: string): void;
  /** Results of policies that earlier turns of the request left. */
  readonly evaluations?: Evaluations;
}

/** What is read to make up a kind that is not stored. */
export type Reads = Pick<WriteContext, "nowMs" | "meter" | "list" | "count" | "get">;

/** One column of `kubectl get`: its definition and its cells (upstream: TableColumnDefinition, printers). */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority?: number;
  /** Rows have the cell, but the table has no definition of the column: as IPAddresses have it. */
  readonly hasNoDefinition?: boolean;
  cell(object: T, nowMs: number): string | number | boolean | null;
}

/** The `/scale` of a workload: reads and writes of autoscaling/v1 Scale. */
export interface ScaleBehaviour<T> {
  /** Where the wanted replicas stand, if not in `spec.replicas`. */
  readonly replicasPath?: readonly string[];
  /** Why an object has no Scale that could be read. */
  unreadable?(object: T): string | undefined;
  specReplicas(object: T): number;
  statusReplicas(object: T): number;
  /** The selector as a string, as `status.selector` of a Scale shows it. */
  selector(object: T): string;
  /** A copy with other replicas. */
  withReplicas(object: T, replicas: number): T;
}

/** How a subresource that is written like the object itself (status, finalize, resize, ...) treats the incoming object. */
export interface SubresourceStrategy<T> {
  /** Mutates the draft so that only what this subresource may change differs from `previous`. */
  prepareForUpdate(draft: T, previous: T, context: WriteContext): void;
  validateUpdate?(next: T, previous: T, context: WriteContext): FieldError[];
}

/** What posting to a subresource does to the object. */
export interface Action<T> {
  /** The body's type in the graph: `io.k8s.api.core.v1.Binding`. */
  readonly type: string;
  /** Refuses a body that could not be done in any case, by a thrown `ApiError`; `name` is the path's. */
  check?(name: string, body: KubeObject, context: WriteContext): void;
  /** Decides what is to be done with a decoded body; throws `ApiError` to refuse. */
  run(object: T, body: KubeObject, context: WriteContext): ActionResult<T>;
}

export interface ActionResult<T> {
  /** The status of another object, written before all else by the API server itself: the budget that an eviction draws on. */
  readonly status?: { readonly kind: Kind; readonly object: KubeObject };
  /** The object as it shall be stored, past the strategy of updates. */
  readonly store?: T;
  /** And then it shall be deleted. */
  readonly delete?: DeleteQuery;
  /** It is a dry run, though the request does not say so: the body does. */
  readonly dryRun?: boolean;
}

/** The parts of an update's validation that are made of the kind's other rules, for `validateUpdate` to call in its order. */
export interface UpdateChecks {
  /** `ValidateObjectMeta` of the new object, with the kind's `validateName`. */
  objectMeta(): FieldError[];
  /** `ValidateObjectMetaUpdate`: what of the metadata never changes. */
  objectMetaUpdate(): FieldError[];
  /** The kind's own `validate` of the new object. */
  validate(): FieldError[];
}

/** An object that stands for something this one holds, under its own name. */
export interface Companion {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** What is added to objects whenever they are read, since nothing is written for it: heartbeats of simulated nodes. */
export interface Decorator<T> {
  /** The object as clients see it at a time; the same one where nothing is added. */
  decorate(object: T, nowMs: number): T;
  /** Takes out of a draft what was only added to what its writer had read. */
  strip(draft: T, previous: T): void;
}

/** Another version of what is stored: events.k8s.io Event of core Event, the versions of a custom resource. */
export interface Conversion<T extends KubeObject> {
  /** The kind by whose strategy objects of this version are written; absent where this version's own strategy does. */
  readonly hub?: Kind;
  /** "" where the stored version is not served. */
  readonly storageVersion: string;
  toStorage(object: T): KubeObject;
  /** The very same object where nothing has to be changed. What this gave, `toStorage` gives back as it was. */
  fromStorage(stored: KubeObject): T;
  /** Many are about to be read: whoever must be asked for them is asked about all at once, by a thrown `PendingCalls`. */
  prefetch?(stored: Iterable<KubeObject>): void;
}

/** What OpenAPI says of a custom kind, whose type the graph does not know. */
export interface CustomOpenApi {
  /** Changes whenever the schemas do. */
  readonly tag: string;
  /** The schemas of the object and of its list, by name. */
  schemas(version: OpenApiVersion, describe: Describe): Record<string, Schema>;
}

/** How objects of a kind go. */
export interface DeletionStrategy<T> {
  /** `CheckGracefulDelete`: 0 for at once; `requested` is the client's. A kind without it has no graceful deletion. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number;
  /** The object stays until nothing holds it: Namespace and its `spec.finalizers`. */
  readonly finalization?: {
    /** Mutates the draft that stays behind, marked as being deleted. */
    begin(draft: T): void;
    /** Of one that is marked already, by a further deletion. */
    again?(draft: T): void;
    /** Whether the object may go now. */
    done(object: T): boolean;
  };
  /** `DefaultGarbageCollectionPolicy` is OrphanDependents. */
  readonly orphansDependents?: boolean;
  /** What a deletion warns of that names no propagation policy. */
  readonly orphanWarning?: string;
  /** Why an object must not be deleted, if so: the message of a 403. */
  refusal?(object: T): string | undefined;
  /** `ReturnDeletedObject`: the answer is the object, not a Status. */
  readonly returnsObject?: boolean;
}

/** The behaviour of a kind; every need of one kind is an optional property here, never an `if` elsewhere. */
export interface Behaviour<T extends KubeObject> {
  // Writing: the strategies of creation and update (upstream: RESTCreateStrategy, RESTUpdateStrategy).
  /** `SetDefaults_*`: mutates the draft. */
  defaults?(draft: T): void;
  /** `PrepareForCreate`, after the registry has cleared the status and filled in the metadata. */
  prepareForCreate?(draft: T, context: WriteContext): void;
  /** `PrepareForUpdate`, after the registry has put the previous status back. */
  prepareForUpdate?(draft: T, previous: T, context: WriteContext): void;
  /** `Validate` without the metadata, which the registry checks. */
  validate?(object: T, context: WriteContext): FieldError[];
  /** `ValidateUpdate`, all of it in its order; absent: `objectMetaUpdate`, then `validate`. */
  validateUpdate?(next: T, previous: T, check: UpdateChecks, context: WriteContext): FieldError[];
  /** Throws where this user may not write just this, whatever its verbs are: escalation by roles and bindings. */
  authorizeWrite?(next: T, previous: T | undefined, context: WriteContext): void;
  /** `WarningsOnCreate` and `WarningsOnUpdate`. */
  warnings?(next: T, previous: T | undefined): string[];
  /** The messages of what is wrong with a name; default: DNS-1123 subdomain. `prefix` is true for a `generateName`. */
  validateName?(name: string, prefix: boolean): string[];
  /**
   * Whose rules for ObjectMeta the strategy calls, where not core's: apimachinery's, which do not ask for a domain in finalizers;
   * or none, so that the metadata of a new object is checked only after its own rules hold.
   */
  readonly metadataRules?: "apimachinery" | "none";
  /** Whether a write raises `metadata.generation`; a kind without it has no generation. */
  raisesGeneration?(next: T, previous: T): boolean;
  /** A status given on create is kept (Node), not cleared. */
  readonly keepsStatusOnCreate?: boolean;
  /** Whether controllers may create it where there is no room for more objects: warnings, leases. */
  mayUseReserve?(object: T): boolean;
  /** `AllowCreateOnUpdate`: a PUT of an absent object makes it. Default: false. */
  readonly allowCreateOnUpdate?: boolean;
  /** `AllowUnconditionalUpdate`: an update need not carry a resourceVersion. Default: true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** Why nothing new may be created, if so: the message of a 403. */
  readonly refusesCreation?: string;
  /**
   * What the API server itself keeps beside an object: made before the write that first names it, removed after the one that no
   * longer does, in the same turn (a Service's IPAddresses).
   */
  companions?(object: T): readonly Companion[];
  readonly deletion?: DeletionStrategy<T>;

  // Subresources.
  /** Strategies of subresources that are written like the object, by name; `status` has a default. */
  readonly subresourceStrategies?: Readonly<Record<string, SubresourceStrategy<T>>>;
  /** `GetResetFields` by subresource ("" is the object), as dotted paths, where they are not the usual ones. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly scale?: ScaleBehaviour<T>;
  /** Subresources that are posted to: pods/binding, pods/eviction. */
  readonly actions?: Readonly<Record<string, Action<T>>>;

  // Reading.
  readonly columns: readonly Column<T>[];
  /** Field selector values beside metadata.name and metadata.namespace. Only these keys are supported. */
  selectableFields?(object: T): Record<string, string>;
  /** The message about a field that is not selectable, where it is not that of most kinds with such fields. */
  fieldLabelError?(field: string): string;
  readonly decorator?: Decorator<T>;
  /** The value by which `client.byIndexValue` finds objects of this kind: for pods, the node's name. */
  indexValue?(object: T): string;
  /** All objects of a kind that is not stored (of a namespace, where given): they are computed whenever they are read. */
  computed?(reads: Reads, namespace?: string): readonly T[];

  // Serving.
  readonly conversion?: Conversion<T>;
  /** The `Warning` header of every request of this kind: `APILifecycleDeprecated`. */
  readonly deprecation?: string;
  /** The prefix of the keys in etcd, where it is not the plural: conflicts of uids name it. */
  readonly resourcePrefix?: string;
  /**
   * Of custom resources, which have no Go type: no protobuf, no strategic merge patch, and lists are written as maps are,
   * with all that their items say of themselves.
   */
  readonly custom?: { readonly listKind: string; readonly openApi: CustomOpenApi };
}

/** What the facts say of a resource. */
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
  /** Subresource to HTTP methods in lower case. */
  readonly subresources: Readonly<Record<string, readonly string[]>>;
  /** The name in OpenAPI, and of built-in kinds in the type graph: `io.k8s.api.apps.v1.Deployment`. */
  readonly type: string;
  readonly schema: ObjectSchema;
  /** `apps/v1`. */
  readonly apiVersion: string;
  /** The GroupResource as text, by which the store knows it: `deployments.apps`, `pods`. */
  readonly resource: string;
  readonly groupResource: GroupName;
  readonly groupKind: GroupName;
}

export interface Kind<T extends KubeObject = KubeObject> extends KindFacts, Behaviour<T> {}

/** A kind of the facts with its behaviour: `defineKind<Deployment>("apps", "v1", "deployments", { ... })`. */
export function defineKind<T extends KubeObject>(
  group: string,
  version: string,
  plural: string,
  behaviour: Behaviour<T>,
): Kind<T> {
  return { ...factsOf(group, version, plural), ...behaviour };
}

/** The same for a kind of an API that is served beside Kubernetes' own, and is in its facts only by its types. */
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
    all.find((one) => one.group === group && one.version === version && one.resource === plural),
    `resource ${plural} of ${groupVersion(group, version)}`,
  );
  return kindFacts(facts);
}

function kindFacts(facts: ResourceFacts): KindFacts {
  const { group, version, resource: plural } = facts;
  const type = must(
    typeFacts.kinds.find((one) => one.group === group && one.version === version && one.kind === facts.kind),
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
