// One object of a fresh cluster: its kind and a draft of it.
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";

export interface Seed {
  readonly kind: Kind;
  readonly draft: Draft<KubeObject>;
  /** The object of the seed before is its owner. */
  readonly isOwnedByLast?: boolean;
}

export function seed<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): Seed {
  // A draft of T is only ever handed on together with T's kind.
  return { kind: kind, draft: draft };
}
