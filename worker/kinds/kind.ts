// What a kind is: its shape comes from the facts, its behaviour from one file. Routes, discovery, OpenAPI, decoding, tables,
// field selectors, generation, subresources and indexes all follow from this value; registry and api never name a kind.
import type { DeleteQuery } from "../../shared/k8s/delete-options.ts";
import type { Authorizer } from "../../shared/k8s/access.ts";
import type { FieldError } from "../../shared/k8s/field.ts";
import { type KubeObject, groupVersion } from "../../shared/k8s/meta.ts";
import type { GroupName } from "../../shared/k8s/status.ts";
import type { Random } from "../../shared/base/random.ts";
import type { Answer, Question } from "../../shared/k8s/question.ts";
import { graphSchema, type ObjectSchema } from "../../shared/schema/object-schema.ts";
import type { Describe, Schema } from "../../shared/schema/openapi/schema.ts";
import type { OpenApiVersion } from "../../shared/schema/structural/openapi.ts";
import resources from "../../shared/schema/facts/kubernetes-resources.json" with { type: "json" };
import { typeFacts } from "../../shared/schema/type-facts.ts";
import { must } from "../../shared/base/assert.ts";

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch";

/** Who makes a request, as authentication found. */
export interface Requester {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a strategy may ask while it prepares or checks a write. All reads see the state before the write. */
export interface WriteContext {
  readonly nowMs: number;
  readonly random: Random;
  /** Who writes. */
  readonly user: Requester;
  /** Nothing will be stored: what is allocated need not be free. */
  readonly dryRun: boolean;
  /** Who may do what. */
  readonly authorizer: Authorizer;
  /** Asks outside, all at once: throws `Unanswered` until the answers are there. */
  ask(questions: readonly Question[]): readonly Answer[];
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
}

/** What is read to make up a kind that is not stored. */
export type Reads = Pick<WriteContext, "nowMs" | "list" | "count" | "get">;

/** One column of `kubectl get`; upstream's `TableColumnDefinition` and the printer's cell in one. */
export interface Column<T> {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, 1 only with `-o wide`. */
  readonly priority?: number;
  /** Rows have the cell, but no column is told of: so upstream's IPAddresses. */
  readonly isUntitled?: boolean;
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
  /** Upstream asks no more of the metadata here than of all kinds'. */
  readonly ignoresMetadata?: boolean;
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
  /** It is only tried, though the request does not say so: the body does. */
  readonly isTried?: boolean;
}

/**
 * `metadata`: what the kind asks of names and finalizers; `metadataChange`: what of the metadata never changes; `own` is
 * `validate`, and `change` is `validateUpdate`.
 */
export type UpdateCheck = "metadata" | "metadataChange" | "own" | "change";

/** An object that stands for something this one holds, under its own name. */
export interface Companion {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** What clients are told anew whenever they read, since nothing is written for it: heartbeats of simulated nodes. */
export interface ToldAnew<T> {
  /** The object as it is told now; the same one where there is nothing of that. */
  now(object: T, nowMs: number): T;
  /** Takes out of a draft what its writer was only told. */
  putBack(draft: T, previous: T): void;
}

/** A kind that is another form of a stored kind (events.k8s.io Event of core Event). */
export interface OtherVersionOf<T extends KubeObject, S extends KubeObject> {
  readonly kind: Kind<S>;
  toStored(object: T): S;
  fromStored(object: S): T;
}

export interface Published {
  /** Changes whenever the schemas do. */
  readonly tag: string;
  /** The schemas of the object and of its list, by name. */
  schemas(version: OpenApiVersion, describe: Describe): Record<string, Schema>;
}

/** What the store keeps of a kind, where that is not what it serves. */
export interface StoredForm<T extends KubeObject> {
  /** The version that is stored; "" where it is not served. */
  readonly version: string;
  /** As this version shows it; the very same where nothing has to be changed. What this gave comes back from it as it is. */
  read(stored: KubeObject): T;
  /** As it shall be stored. */
  write(object: T): KubeObject;
  /** Reading these is at hand: whoever must be asked for it is asked about all of them at once, by a thrown `Unanswered`. */
  ahead?(stored: Iterable<KubeObject>): void;
}

/** The behaviour of a kind; every need of one kind is an optional property here, never an `if` elsewhere. */
export interface Behaviour<T extends KubeObject> {
  /** Upstream's `SetDefaults_*`: mutates the draft. */
  defaults?(draft: T): void;
  /** The strategy's `PrepareForCreate`, after the registry has cleared the status and filled in the metadata. */
  prepareForCreate?(draft: T, context: WriteContext): void;
  /** The strategy's `PrepareForUpdate`, after the registry has put the previous status back. */
  prepareForUpdate?(draft: T, previous: T, context: WriteContext): void;
  /** The kind's `Validate*`; metadata is checked by the registry (see `validateName`). */
  validate?(object: T, context: WriteContext): FieldError[];
  /** The kind's `Validate*Update`, without what `validate` says already: both run on an update. */
  validateUpdate?(next: T, previous: T, context: WriteContext): FieldError[];
  /** Throws where this user may not write just this, whatever its verbs are: roles and their bindings. */
  refuseWriter?(next: T, previous: T | undefined, context: WriteContext): void;
  /** Upstream's `WarningsOnCreate` and `WarningsOnUpdate`. */
  warnings?(next: T, previous: T | undefined): string[];
  /** The messages of what is wrong with a name; default: DNS-1123 subdomain. `prefix` is true for a `generateName`. */
  validateName?(name: string, prefix: boolean): string[];
  /** Whether a write raises `metadata.generation`; a kind without it has no generation. */
  raisesGeneration?(next: T, previous: T): boolean;
  /** A status given on create is kept (Node), not cleared. */
  readonly keepsStatusOnCreate?: boolean;
  /** Whether it is a note of the cluster's own parts that is taken where there is no room for more objects: warnings, leases. */
  isNote?(object: T): boolean;
  /** A PUT of an absent object makes it (upstream's `AllowCreateOnUpdate`). */
  readonly createsOnUpdate?: boolean;
  /** An update must carry a resourceVersion (upstream's `AllowUnconditionalUpdate` is false). */
  readonly needsVersionOnUpdate?: boolean;
  /** Strategies of subresources that are written like the object, by name; `status` has a default. */
  readonly subresourceStrategies?: Readonly<Record<string, SubresourceStrategy<T>>>;
  /** The fields that a write of a subresource ("" is the object) puts back, as dotted paths, where they are not the usual ones. */
  readonly resetFields?: Readonly<Record<string, readonly string[]>>;
  readonly scale?: ScaleBehaviour<T>;
  /** Field selector values beside metadata.name and metadata.namespace. Only these keys are supported. */
  selectableFields?(object: T): Record<string, string>;
  /** What is said of a field that is not selectable, where it is not what most kinds with such fields say. */
  unselectable?(field: string): string;
  readonly columns: readonly Column<T>[];
  /** The seconds of grace of a deletion, 0 for at once (upstream's `CheckGracefulDelete`); `requested` is the client's. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number;
  /** A deletion does not remove the object but calls this, until nothing holds it (Namespace and its spec.finalizers). */
  readonly deletion?: {
    /** Mutates the draft that stays behind, marked as being deleted. */
    begin(draft: T): void;
    /** Of one that is marked already, by a further deletion. */
    again?(draft: T): void;
    /** Whether the object may go now. */
    done(object: T): boolean;
  };
  /** A delete without a propagation policy orphans dependents (upstream's `DefaultGarbageCollectionPolicy`). */
  readonly orphansByDefault?: boolean;
  /** What a deletion warns of that names no propagation policy. */
  readonly orphanWarning?: string;
  /** The `Warning` header of every request of this kind: upstream's `APILifecycleDeprecated`. */
  readonly deprecation?: string;
  /** Why an object must not be deleted, if so: a 403 with these words. */
  refusesDeletion?(object: T): string | undefined;
  /** A delete answers with the object, not with a Status (upstream's `ReturnDeletedObject`). */
  readonly returnsDeleted?: boolean;
  /** Subresources that are posted to: pods/binding, pods/eviction. */
  readonly actions?: Readonly<Record<string, Action<T>>>;
  /**
   * What the API server itself keeps beside an object: made before the write that first names it, removed after the one that no
   * longer does, in the same turn (a Service's IPAddresses).
   */
  companions?(object: T): readonly Companion[];
  readonly toldAnew?: ToldAnew<T>;
  /** The value by which `client.byFacet` finds objects of this kind: for pods, the node's name. */
  facet?(object: T): string;
  readonly otherVersionOf?: OtherVersionOf<T, KubeObject>;
  readonly storedForm?: StoredForm<T>;
  /**
   * Upstream has no Go type for it: no protobuf, no strategic merge patch, and lists are written as maps are, with all that their
   * items say of themselves.
   */
  readonly isUntyped?: boolean;
  /** Of lists, where it is not the kind with `List` behind it. */
  readonly listKind?: string;
  /** How OpenAPI tells of a kind whose type the graph does not know. */
  readonly published?: Published;
  /** How upstream's store calls the resource, where it is not the plural: what a conflict of uids names. */
  readonly storedAs?: string;
  /** Finalizers need no domain. */
  readonly anyFinalizer?: boolean;
  /** Of a new object the kind's own rules are checked first, and its metadata only if they hold. */
  readonly checksMetadataLast?: boolean;
  /**
   * What upstream goes through on an update, in its order, after the rules that hold for the metadata of all kinds. The same
   * fault is told by each that sees it.
   */
  readonly updateChecks?: readonly UpdateCheck[];
  /** `validateUpdate` says all of an update, and `validate` is for creations alone. */
  readonly updatesAlone?: boolean;
  /** Why nothing new may be created, if so: a 403 with these words. */
  readonly refusesCreation?: string;
  /** All objects of a kind that is not stored (of a namespace, where given): they are made up whenever they are read. */
  computed?(reads: Reads, namespace?: string): readonly T[];
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
  /** Upstream's GroupResource as text, the store's name of it: `deployments.apps`, `pods`. */
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
