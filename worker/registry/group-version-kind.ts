// Resolves the types of subresource bodies (upstream: GroupVersionKindProvider): Binding, Eviction, TokenRequest, PodExecOptions.
import { graphSchema } from "../../shared/schema/object-schema.ts";
import type { GroupVersionKind } from "./admission.ts";

export interface GraphKind extends GroupVersionKind {
  /** The name in the type graph. */
  readonly type: string;
}

const cache = new Map<string, GraphKind>();

/** Returns the kind of a type: `io.k8s.api.policy.v1.Eviction` is Eviction of policy/v1. */
export function groupVersionKind(type: string): GraphKind {
  const cached = cache.get(type);
  if (cached) return cached;
  const [kind = "", version = "", group = ""] = type.split(".").reverse();
  const apiVersion = group === "core" ? version : `${withDomain(group)}/${version}`;
  const graphKind = { type, kind, apiVersion, schema: graphSchema(type) };
  cache.set(type, graphKind);
  return graphKind;
}

/** Adds the domain of a group, which the type graph leaves out. */
function withDomain(group: string): string {
  return ["policy", "autoscaling"].includes(group) ? group : `${group}.k8s.io`;
}
