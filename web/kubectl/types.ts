// The names of built-in types by apiVersion and kind.
import { typeFacts } from "../../shared/schema/type-facts.ts";

interface KindFacts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: string;
}

/** Returns the type name: `io.k8s.api.apps.v1.Deployment`. Undefined for custom resources. */
export function typeNameOf(apiVersion: string, kind: string): string | undefined {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  // The facts are a generated file of this repository.
  const kinds = typeFacts.kinds as unknown as readonly KindFacts[];
  return kinds.find((facts) => facts.group === group && facts.version === version && facts.kind === kind)?.type;
}
