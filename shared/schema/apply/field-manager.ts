// The effect of a write on ownership: of an ordinary one, or of an apply, which may conflict.
import { isObject } from "../json-values.ts";
import { conflictError } from "./conflicts.ts";
import { clientApplied, withLastApplied } from "./last-applied.ts";
import {
  type Applied,
  apply,
  type ManagedFields,
  managersAfterCreation,
  managersAfterUpdate,
  type Write,
} from "./managers.ts";

export interface Configured {
  readonly object: unknown;
  readonly managers: readonly ManagedFields[];
}

/** The manager of everything that existed before the first apply and had no manager. */
const beforeFirstApply = "before-first-apply";
/** The manager whose client-side applies the annotation records. */
const kubectl = "kubectl";

/** Applies a configuration. `empty` is the object without any field set. */
export function applyConfiguration(write: Write, config: object, empty: unknown, force: boolean): Configured {
  const recorded = withFirstOwner(write, empty);
  const { object, managers } = settled(recorded, config, apply(recorded, config, force));
  return { object: write.writer.manager === kubectl ? withLastApplied(object, config) : object, managers };
}

/** Returns the managers after an ordinary write. A stored object without managers stays so until a configuration is applied. */
export function managersAfterWrite(write: Write, next: unknown, isStored: boolean): readonly ManagedFields[] {
  if (write.managers.length > 0) return managersAfterUpdate(write, next);
  return isStored ? [] : managersAfterCreation(write, next);
}

function withFirstOwner(write: Write, empty: unknown): Write {
  if (write.managers.length > 0) return write;
  const { apiVersion, subresource } = write.writer;
  const writer = {
    manager: beforeFirstApply,
    operation: "Update" as const,
    apiVersion,
    ...(subresource ? { subresource } : {}),
  };
  return { ...write, managers: managersAfterUpdate({ ...write, live: empty, writer }, write.live) };
}

/** Refuses conflicts, except with what kubectl itself applied on the client's side before. */
function settled(write: Write, config: object, result: Applied): Extract<Applied, { object: unknown }> {
  if (!("conflicts" in result)) return result;
  const allowed = write.writer.manager === kubectl && isObject(write.live) ? clientApplied(write) : undefined;
  const conflicts = result.conflicts.filter(({ path }) => !allowed?.has(path));
  if (conflicts.length > 0) throw conflictError(conflicts);
  const again = apply(write, config, true);
  // With force there are no conflicts.
  return again as Extract<Applied, { object: unknown }>;
}
