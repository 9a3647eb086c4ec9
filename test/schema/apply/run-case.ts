// Runs a case of field ownership: writes of several managers in sequence, with the object after each.
import { ApiError } from "../../../shared/k8s/status.ts";
import { entriesOf, managersOf } from "../../../shared/schema/apply/entries.ts";
import { applyConfiguration, managersAfterWrite } from "../../../shared/schema/apply/field-manager.ts";
import { FieldSet } from "../../../shared/schema/apply/field-set.ts";
import type { Write } from "../../../shared/schema/apply/managers.ts";
import { typedComplaint } from "../../../shared/schema/apply/typed.ts";
import { shapeOf } from "../../../shared/schema/apply/shape.ts";
import { typeFacts } from "../../../shared/schema/type-facts.ts";
import type { ManagedFieldsEntry } from "../../../shared/k8s/api/meta-v1.ts";

export interface ApplyStep {
  readonly op: "apply" | "update";
  readonly manager: string;
  readonly subresource: string;
  readonly force: boolean;
  readonly object: Record<string, unknown>;
}

export interface ApplyCase {
  readonly apiVersion: string;
  readonly kind: string;
  /** Paths that an endpoint resets, by subresource. */
  readonly ignore: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly steps: readonly ApplyStep[];
}

export interface Outcome {
  readonly object?: Record<string, unknown>;
  readonly error?: string;
  readonly causes?: readonly { readonly field?: string; readonly message?: string }[];
}

export function runCase({ apiVersion, kind, ignore, steps }: ApplyCase): Outcome[] {
  const type =
    typeFacts.kinds.find((kindFacts) => kindFacts.kind === kind && apiVersionOf(kindFacts) === apiVersion)?.type ?? "";
  const empty = { apiVersion, kind };
  let live: Record<string, unknown> = empty;
  let entries: readonly ManagedFieldsEntry[] = [];
  return steps.map(({ op, manager, subresource, force, object }) => {
    const write: Write = {
      shape: shapeOf(type),
      live,
      managers: managersOf(entries) ?? [],
      writer: {
        manager,
        operation: op === "apply" ? "Apply" : "Update",
        apiVersion,
        ...(subresource ? { subresource } : {}),
      },
      time: "T",
      ignored: setOf(ignore[subresource] ?? []),
    };
    try {
      const complaint = op === "apply" ? typedComplaint(type, object) : undefined;
      if (complaint !== undefined) throw new ApiError(500, "", complaint);
      const result =
        op === "apply"
          ? applyConfiguration(write, object, empty, force)
          : { object, managers: managersAfterWrite(write, object, live !== empty) };
      entries = entriesOf(result.managers, entries);
      // What was applied to an object is one.
      const { metadata, ...rest } = result.object as Record<string, Record<string, unknown>>;
      live = { ...rest, metadata: { ...metadata, uid: "u" } };
      return {
        object: {
          ...live,
          metadata: { ...metadata, uid: "u", ...(entries.length > 0 ? { managedFields: entries } : {}) },
        },
      };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { error: error.message, causes: error.toStatus().details?.causes ?? [] };
    }
  });
}

function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group ? `${group}/${version}` : version;
}

function setOf(paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce((all, path) => all.union(FieldSet.path(path.map((name) => `f:${name}`))), FieldSet.empty);
}
