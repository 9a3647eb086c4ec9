// The steps of a write, in their order, for create, update, patch, delete and what is posted to a subresource (upstream:
// registry.Store with rest.BeforeCreate, BeforeUpdate and BeforeDelete). What a verb does at a step stands in the verb's file.
// What is posted in another version than the stored one has been converted before (`toStored` in worker/api/verbs/create.ts).
import type { WriteContext } from "../kinds/kind.ts";
import { admissionRequest, admit, type Attributes } from "./admission-chain.ts";
import { type Actor, contextOf, type Registry, type WriteOptions } from "./registry.ts";

/** All steps run in one turn, and nothing is stored before the last of them. Each refuses by a thrown `ApiError`. */
export function write<Result>(
  registry: Registry,
  actor: Actor,
  options: WriteOptions,
  steps: WriteSteps<Result>,
): Result {
  const context = contextOf(registry, actor, options);
  const admission = (step: "mutate" | "validate") => {
    const attributes = steps.attributes?.(step);
    if (attributes) admit(registry, step, admissionRequest(attributes, actor, options, context));
  };
  const answer = steps.checkRequest(context);
  if (answer !== undefined) return answer;
  steps.setDefaults?.();
  steps.updateManagedFields?.();
  admission("mutate");
  steps.authorize?.(context);
  steps.prepare?.(context);
  steps.validate?.(context);
  admission("validate");
  return steps.commit(context);
}

/** What a verb does at each step; it has no part in those that it leaves out. */
export interface WriteSteps<Result> {
  /**
   * The request is for what its path says and for what is there now: namespace, name, uid, resourceVersion. A result is the answer,
   * and ends the write: an absent object is created instead of updated, one that is being deleted already stays as it is.
   */
  checkRequest(context: WriteContext): Result | undefined;
  /** `SetDefaults_*` of the kind. */
  setDefaults?(): void;
  /** `metadata.managedFields`: what admission and the strategy add after this is nobody's. */
  updateManagedFields?(): void;
  /** What admission is shown at each of its two steps; absent where it was asked before, about what led to this write. */
  attributes?(step: "mutate" | "validate"): Attributes;
  /** What admission has made of it is for the same path still, and its user may write just this. */
  authorize?(context: WriteContext): void;
  /** `PrepareForCreate`, `PrepareForUpdate` or `BeforeDelete`: what only the server sets, then the kind's strategy. */
  prepare?(context: WriteContext): void;
  /** `Validate` or `ValidateUpdate`, then the warnings of what is valid. */
  validate?(context: WriteContext): void;
  /** Stores it in its canonical form, unless it is a dry run, or the same as is there. */
  commit(context: WriteContext): Result;
}
