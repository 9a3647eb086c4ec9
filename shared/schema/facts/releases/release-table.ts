// The form of the differences between a release and the newest one, as scripts/releases/generate.ts writes them.
import type { GateState } from "../../../k8s/settings/feature-gates.ts";
import type { FieldFacts } from "../../type-facts.ts";

export interface ReleaseTable {
  /** The changed types by name. */
  readonly types: Readonly<Record<string, TypeChanges>>;
  /** The fields of types that only the release has. */
  readonly addedTypes: Readonly<Record<string, readonly FieldFacts[]>>;
  /** The values of changed enums by name. */
  readonly enums: Readonly<Record<string, readonly string[]>>;
  /** The changed resources, as `apps/v1/deployments`. Null: the release does not serve it. */
  readonly resources: Readonly<Record<string, ResourceChanges | null>>;
  /** The group versions of all registered kinds, as `apps/v1`, or `/v1` for the core group. */
  readonly groupVersions: readonly string[];
  /** The feature gates whose state differs. Null: the release does not have the gate. */
  readonly gates: Readonly<Record<string, GateState | null>>;
  /** The rows of worker/access/policy.json that differ. Null: the release does not have the row. */
  readonly policy: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export interface TypeChanges {
  /** The fields that the release does not have. */
  readonly removed?: readonly string[];
  /** The facts of fields that differ. Null: the fact is absent. */
  readonly changed?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The fields that only the release has. */
  readonly added?: readonly FieldFacts[];
}

export interface ResourceChanges {
  readonly verbs?: string[];
  readonly shortNames?: string[];
  readonly categories?: string[];
  readonly subresources?: Record<string, string[]>;
}
