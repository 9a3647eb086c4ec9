// Field ownership of each write: who set which field last, as `metadata.managedFields` tells it.
import { rfc3339 } from "../../shared/k8s/time.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { entriesOf, ownersOf } from "../../shared/schema/apply/entries.ts";
import { FieldSet } from "../../shared/schema/apply/field-set.ts";
import { type ManagerIdentity, type Owned, ownersAfterUpdate, type Write } from "../../shared/schema/apply/managers.ts";
import { shapeOf } from "../../shared/schema/apply/shape.ts";
import { decode } from "../../shared/schema/decode.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Actor, Registry, WriteOptions } from "./registry.ts";

interface Written {
  readonly draft: KubeObject;
  readonly previous: KubeObject | undefined;
  readonly subresource: string;
}

/** Sets the draft's managedFields. Runs before admission and the strategy: what they fill in is nobody's. */
export function recordOwners(
  registry: Registry,
  kind: Kind,
  written: Written,
  actor: Actor,
  options: WriteOptions,
): void {
  const { draft, previous } = written;
  const before = previous?.metadata.managedFields;
  const owners =
    options.owners ??
    ownersAfterUpdate(
      writeOf(registry, kind, written, { ...identityOf(kind, written, actor, options), operation: "Update" }),
      draft,
    );
  const entries = entriesOf(owners, before);
  if (entries.length > 0) draft.metadata.managedFields = entries;
  else delete draft.metadata.managedFields;
}

function identityOf(kind: Kind, { subresource }: Written, actor: Actor, options: WriteOptions) {
  const under = options.managerSubresource ?? subresource;
  return { manager: actor.manager, apiVersion: kind.apiVersion, ...(under ? { subresource: under } : {}) };
}

/** What the field manager is told of a write. */
export function writeOf(registry: Registry, kind: Kind, written: Written, writer: ManagerIdentity): Write {
  const { draft, previous, subresource } = written;
  return {
    shape: shapeOf(kind.type),
    live: previous ?? emptyOf(kind),
    owners: givenOwners(draft, previous),
    writer,
    time: rfc3339(registry.clock.nowMs()),
    ignored: resetFields(kind, subresource),
  };
}

/** A writer may set the entries itself, or reset them with one that is empty. */
function givenOwners(draft: KubeObject, previous: KubeObject | undefined): readonly Owned[] {
  const given = draft.metadata.managedFields;
  if (given?.length === 1 && given[0] && Object.keys(given[0]).length === 0) return [];
  const owners = given?.length ? ownersOf(given) : undefined;
  return owners ?? ownersOf(previous?.metadata.managedFields) ?? [];
}

/** The object of a kind before anything was set. */
export function emptyOf(kind: Kind): unknown {
  return decode(kind.type, { apiVersion: kind.apiVersion, kind: kind.kind }).object;
}

const statusOnly = FieldSet.of(new Set(["f:status"]), new Map());
const allButStatus = FieldSet.of(
  new Set(["f:spec"]),
  new Map([["f:metadata", FieldSet.of(new Set(["f:labels"]), new Map())]]),
);

/** What the strategy of an endpoint puts back (upstream's `GetResetFields`). */
function resetFields(kind: Kind, subresource: string): FieldSet {
  if (subresource === "status") return allButStatus;
  return subresource === "" && "status" in kind.subresources ? statusOnly : FieldSet.empty;
}
