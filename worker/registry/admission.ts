// What an admission plugin is. Plugins stand in `worker/admission/`, one file each, in the order of its catalogue.
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { ObjectSchema } from "../../shared/schema/object-schema.ts";
import type { Kind, WriteContext } from "../kinds/kind.ts";

/** The type of an object with its schema: of bodies of subresources, which are of no kind here: Binding, Scale, PodExecOptions. */
export interface GroupVersionKind {
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
  /** What the object is, where it is none of `kind`: a Scale of a Deployment. */
  readonly objectKind?: GroupVersionKind | undefined;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The draft (mutable in `mutate`); undefined on delete. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly userInfo: UserInfo;
  readonly dryRun: boolean;
  /** As the client gave them, of the kind that the operation has; absent on CONNECT. */
  readonly options?: JsonObject | undefined;
  readonly context: WriteContext;
  /** Absent where nothing is changed. */
  readonly reinvocationContext?: ReinvocationContext;
  /** What is noted for the audit log; absent where nobody reads it. */
  readonly annotations?: Map<string, string> | undefined;
  /** Adds a `Warning` header to the answer. */
  warn(message: string): void;
}

/** A plugin that changes the object may ask that all are invoked once more. */
export interface ReinvocationContext {
  /** It is the second time. */
  readonly isReinvoke: boolean;
  /** What plugins keep from the first time, by plugin. */
  readonly values: Map<string, unknown>;
  shouldReinvoke: boolean;
}

/** Throws `ApiError` (Forbidden, usually) to refuse. */
export interface AdmissionPlugin {
  /** As `--enable-admission-plugins` has it: `NamespaceLifecycle`. */
  readonly name: string;
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): void;
}
