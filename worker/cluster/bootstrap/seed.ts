// A seed: an object that a new cluster is created with.
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";

export interface Seed {
  readonly kind: Kind;
  readonly draft: Draft<KubeObject>;
  /** Whether the object of the previous seed is its owner. */
  readonly isOwnedByLast?: boolean;
}

export function seed<T extends KubeObject>(kind: Kind<T>, draft: Draft<T>): Seed {
  // A seed is passed on as a whole, so the draft stays with its kind.
  return { kind: kind, draft: draft };
}
