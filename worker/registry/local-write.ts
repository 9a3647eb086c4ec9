// The writes of clients in this process, such as controllers, as an audit policy sees them.
import type { UserInfo } from "../../shared/k8s/authorizer.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { ApiError } from "../../shared/k8s/status.ts";
import type { Kind } from "../kinds/kind.ts";

/** A write of a client in this process. */
export interface LocalWrite {
  readonly verb: string;
  readonly kind: Kind;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The object that is sent. Undefined for a deletion. */
  readonly draft?: KubeObject | undefined;
}

/** A write of a client in this process that succeeded or was refused. */
export interface DoneWrite extends LocalWrite {
  readonly auditId: string;
  readonly user: UserInfo;
  /** The field manager of the component. */
  readonly manager: string;
  readonly nowMs: number;
  readonly outcome: number | ApiError;
  /** The stored object. Undefined if the write was refused or returns none. */
  readonly result: KubeObject | undefined;
}

/** Returns the path of the request that a write stands for. */
export function writePath({ verb, kind, subresource, namespace, name }: LocalWrite): { path: string; uri: string } {
  const { group, version, plural } = kind;
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`;
  const place = kind.namespaced ? `/namespaces/${namespace}` : "";
  const of = [verb === "create" && !subresource ? "" : name, subresource].filter(Boolean).join("/");
  const path = `${root}${place}/${plural}${of ? `/${of}` : ""}`;
  return { path, uri: path };
}
