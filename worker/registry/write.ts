// The steps of a write in their order, for all verbs (upstream: registry.Store with rest.BeforeCreate, BeforeUpdate and BeforeDelete). The
// steps of a verb are in the verb's file. An object in another version than the stored one has been converted before (`toStored` in
// worker/api/verbs/create.ts).
import type { WriteContext } from "../kinds/kind.ts";
import { admissionRequest, admit, type Attributes } from "./admission-chain.ts";
import { type Actor, contextOf, type Registry, type WriteOptions } from "./registry.ts";

/** Runs all steps in one turn. Nothing is stored before the last step. A step throws `ApiError` to reject the write. */
export function write<Result>(
  registry: Registry,
  actor: Actor,
  options: WriteOptions,
  steps: WriteSteps<Result>,
): Result {
  registry.random.begin?.(actor.origin);
  const context = contextOf(registry, actor, options);
  const admission = (step: "mutate" | "validate") => {
    const attributes = steps.attributes?.(step);
    if (attributes) admit(registry, step, admissionRequest(attributes, actor, options, context));
  };
  const earlyResult = steps.checkRequest(context);
  if (earlyResult !== undefined) return earlyResult;
  steps.setDefaults?.();
  steps.updateManagedFields?.();
  admission("mutate");
  steps.authorize?.(context);
  steps.prepare?.(context);
  steps.validate?.(context);
  admission("validate");
  return steps.commit(context);
}

/** The steps of a verb. A step that a verb does not need is undefined. */
export interface WriteSteps<Result> {
  /**
   * Checks the request against its path and the stored object: namespace, name, uid, resourceVersion. A result ends the write: an update
   * may create an absent object, and a repeated deletion may change nothing.
   */
  checkRequest(context: WriteContext): Result | undefined;
  /** Applies the kind's `SetDefaults_*`. */
  setDefaults?(): void;
  /** Sets `metadata.managedFields`. Fields that admission and the strategy add later have no manager. */
  updateManagedFields?(): void;
  /** Returns the attributes of each admission step. Undefined if admission was invoked for the request that led to this write. */
  attributes?(step: "mutate" | "validate"): Attributes;
  /** Checks after mutation that the object still belongs to the path, and that the user may write this object. */
  authorize?(context: WriteContext): void;
  /** Runs `PrepareForCreate`, `PrepareForUpdate` or `BeforeDelete`: sets the server's fields, then calls the kind's strategy. */
  prepare?(context: WriteContext): void;
  /** Runs `Validate` or `ValidateUpdate`, then adds the warnings of a valid object. */
  validate?(context: WriteContext): void;
  /** Stores the canonical form, unless the request is a dry run or the object is unchanged. */
  commit(context: WriteContext): Result;
}
