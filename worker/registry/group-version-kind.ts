// What the bodies of subresources are (upstream: GroupVersionKindProvider): Binding, Eviction, TokenRequest, PodExecOptions.
import { graphSchema } from "../../shared/schema/object-schema.ts";
import type { GroupVersionKind } from "./admission.ts";

export interface GraphKind extends GroupVersionKind {
  /** In the type graph. */
  readonly type: string;
}

const known = new Map<string, GraphKind>();

/** `io.k8s.api.policy.v1.Eviction` is Eviction of policy/v1. */
export function groupVersionKind(type: string): GraphKind {
  const found = known.get(type);
  if (found) return found;
  const [kind = "", version = "", group = ""] = type.split(".").reverse();
  const apiVersion = group === "core" ? version : `${withDomain(group)}/${version}`;
  const named = { type, kind, apiVersion, schema: graphSchema(type) };
  known.set(type, named);
  return named;
}

/** The graph leaves out what comes after a group's first word. */
function withDomain(group: string): string {
  return ["policy", "autoscaling"].includes(group) ? group : `${group}.k8s.io`;
}
