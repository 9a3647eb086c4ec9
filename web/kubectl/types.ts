// The names of built-in types, by the apiVersion and kind of their objects.
import { typeFacts } from "../../shared/schema/type-facts.ts";

interface KindFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
}

/** `io.k8s.api.apps.v1.Deployment`; undefined for custom ones. */
export function typeNameOf(apiVersion: string, kind: string): string | undefined {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  // The facts are a file of ours.
  const kinds = typeFacts.kinds as unknown as readonly KindFacts[];
  return kinds.find((one) => one.group === group && one.version === version && one.kind === kind)?.type;
}
