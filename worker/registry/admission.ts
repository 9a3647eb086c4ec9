// What an admission plugin is. Plugins stand in `worker/admission/`, one file each, in the order of its catalogue.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { Kind, Requester, WriteContext } from "../kinds/kind.ts";

export type UserInfo = Requester;

/** One write, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly kind: Kind;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The draft (mutable in `mutate`); undefined on delete. */
  readonly object: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly context: WriteContext;
  /** Adds a `Warning` header to the answer. */
  warn(message: string): void;
}

/** Throws `ApiError` (Forbidden, usually) to refuse. */
export interface AdmissionPlugin {
  /** Upstream's plugin name: `NamespaceLifecycle`. */
  readonly name: string;
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): void;
}
