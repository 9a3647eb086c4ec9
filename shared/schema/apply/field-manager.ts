// What a whole write does to ownership: an ordinary one, or the apply of a configuration, which may be a conflict.
import { isObject } from "../json-values.ts";
import { conflictError } from "./conflicts.ts";
import { clientApplied, withLastApplied } from "./last-applied.ts";
import { type Applied, apply, type ManagedFields, managersAfterUpdate, type Write } from "./managers.ts";

export interface Configured {
  readonly object: unknown;
  readonly managers: readonly ManagedFields[];
}

/** Owns what was there before the first apply, where nobody was recorded. */
const beforeFirstApply = "before-first-apply";
/** The manager whose client-side applies the annotation tells of. */
const kubectl = "kubectl";

/** `empty` is the object before anything was set. */
export function applyConfiguration(write: Write, config: object, empty: unknown, force: boolean): Configured {
  const told = withFirstOwner(write, empty);
  const { object, managers } = settled(told, config, apply(told, config, force));
  return { object: write.writer.manager === kubectl ? withLastApplied(object, config) : object, managers };
}

/** The managers after an ordinary write. Once nobody owns anything of a stored object, it stays so until something is applied. */
export function managersAfterWrite(write: Write, next: unknown, isStored: boolean): readonly ManagedFields[] {
  return isStored && write.managers.length === 0 ? [] : managersAfterUpdate(write, next);
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

/** Conflicts are refused, unless they are only about what kubectl itself applied before on the client's side. */
function settled(write: Write, config: object, result: Applied): Extract<Applied, { object: unknown }> {
  if (!("conflicts" in result)) return result;
  const allowed = write.writer.manager === kubectl && isObject(write.live) ? clientApplied(write) : undefined;
  const conflicts = result.conflicts.filter(({ path }) => !allowed?.has(path));
  if (conflicts.length > 0) throw conflictError(conflicts);
  const again = apply(write, config, true);
  // By force there are none.
  return again as Extract<Applied, { object: unknown }>;
}
