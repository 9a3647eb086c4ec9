// What an admission plugin is. Plugins stand in `worker/admission/`, one file each, in the order of its catalogue.
import type { UserInfo } from "../../shared/k8s/access.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { ObjectSchema } from "../../shared/schema/object-schema.ts";
import type { Kind, WriteContext } from "../kinds/kind.ts";

/** A type of object that is no kind of its own: Binding, Scale, PodExecOptions. */
export interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: ObjectSchema;
}

/** One write, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: Kind;
  /** The version that the client speaks, where that is not `kind`, whose form the object has. */
  readonly requestKind?: Kind | undefined;
  /** What the object is, where it is none of the kind. */
  readonly type?: ObjectType | undefined;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The draft (mutable in `mutate`); undefined on delete. */
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** As the client gave them, of the kind that the operation has; absent on CONNECT. */
  readonly options?: JsonObject | undefined;
  readonly context: WriteContext;
  /** Absent where nothing is changed. */
  readonly reinvocation?: Reinvocation;
  /** What is noted for the audit log; absent where nobody reads it. */
  readonly annotations?: Map<string, string> | undefined;
  /** Adds a `Warning` header to the answer. */
  warn(message: string): void;
}

/** Upstream's reinvocation context: what changes the object may ask that those before it look at it once more. */
export interface Reinvocation {
  /** The second time. */
  readonly isAgain: boolean;
  /** What plugins remember from the first time, by plugin. */
  readonly notes: Map<string, unknown>;
  isWanted: boolean;
}

/** Throws `ApiError` (Forbidden, usually) to refuse. */
export interface AdmissionPlugin {
  /** Upstream's plugin name: `NamespaceLifecycle`. */
  readonly name: string;
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): void;
}
