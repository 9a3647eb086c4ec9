// The interface of admission plugins. The plugins are in `worker/admission/`, one file each, in the order of its catalogue.
import type { Features } from "../../shared/k8s/settings/feature-gates.ts";
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import type { ObjectSchema } from "../../shared/schema/object-schema.ts";
import type { Kind, WriteContext } from "../kinds/kind.ts";

/** The type and schema of a body that has no kind here: Binding, Scale, PodExecOptions. */
export interface GroupVersionKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: ObjectSchema;
}

/** A write, as admission plugins receive it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: Kind;
  /** The version in the client's request, if it differs from `kind`. The object has the form of `kind`. */
  readonly requestKind?: Kind | undefined;
  /** The type of the object, if it is not `kind`: a Scale of a Deployment. */
  readonly objectKind?: GroupVersionKind | undefined;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The draft, mutable in `mutate`. Undefined for DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly userInfo: UserInfo;
  readonly dryRun: boolean;
  /** The options of the request, of the type that the operation has. Undefined for CONNECT. */
  readonly options?: JsonObject | undefined;
  readonly context: WriteContext;
  /** Undefined in the validation step. */
  readonly reinvocationContext?: ReinvocationContext;
  /** Receives annotations for the audit log. Undefined if no audit log is written. */
  readonly annotations?: Map<string, string> | undefined;
  /** Adds a `Warning` header to the response. */
  warn(message: string): void;
}

/** Lets a plugin that changed the object request a second invocation of all plugins. */
export interface ReinvocationContext {
  /** Whether this is the second invocation. */
  readonly isReinvoke: boolean;
  /** The values that plugins saved in the first invocation, by plugin. */
  readonly values: Map<string, unknown>;
  shouldReinvoke: boolean;
}

/** An admission plugin. Throws `ApiError` (usually Forbidden) to reject the request. */
export interface AdmissionPlugin {
  /** The name in `--enable-admission-plugins`: `NamespaceLifecycle`. */
  readonly name: string;
  /** The feature gate without which the plugin is off. */
  readonly gate?: keyof Features;
  /** The minor version that first had the plugin, if it is supported without it. */
  readonly firstMinor?: number;
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): void;
}
