// The control API's snapshots, operations on states of sandboxes (restore, fork, undo, compare and export), and their history.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { chosenControllers, newSandbox } from "./sandbox.ts";
import { name } from "./sandbox-fields.ts";

const revision = z.int().min(0);
const exclusiveMessage = "give a snapshot or a revision, not both";

/** Optional body of `POST /v1/sandboxes/{id}/snapshots`. */
export const createSnapshot = z.strictObject({
  name: name.optional(),
  note: z.string().max(limits.snapshotNoteCharacters).default(""),
  /** A revision in the sandbox's history. Absent for the current one. */
  revision: revision.optional(),
});

export type CreateSnapshot = z.input<typeof createSnapshot>;

export const snapshot = z.object({
  id: z.string(),
  name: z.string(),
  note: z.string(),
  /** The sandbox, which may be gone. */
  sandbox: z.object({ id: z.string(), name: z.string() }),
  /** The revision of the sandbox at the snapshot. */
  revision: z.int(),
  nodes: z.int(),
  objects: z.int(),
  /** The size of its compressed file. */
  bytes: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type Snapshot = z.infer<typeof snapshot>;

/** Response of `GET /v1/snapshots` and `GET /v1/sandboxes/{id}/snapshots`: the newest first, without expired ones. */
export const snapshotList = z.object({
  snapshots: z.array(snapshot),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type SnapshotList = z.infer<typeof snapshotList>;

/** Body of `POST /v1/sandboxes/{id}/restore`: a snapshot or a revision. */
export const restoreSandbox = z
  .strictObject({ snapshot: z.string().optional(), revision: revision.optional() })
  .refine((source) => (source.snapshot === undefined) !== (source.revision === undefined), {
    error: exclusiveMessage,
    path: ["snapshot"],
  });

/** Response of `POST /v1/sandboxes/{id}/restore`: the new revision. */
export const restored = z.object({ revision: z.int() });

/** Body of `POST /v1/sandboxes/{id}/fork`: the current state, unless a snapshot or revision is named. The response is a sandbox. */
export const forkSandbox = z
  .strictObject({
    ...newSandbox.shape,
    /** The controllers of the fork. Absent: those of the state. */
    controllers: chosenControllers.optional(),
    snapshot: z.string().optional(),
    revision: revision.optional(),
  })
  .refine((source) => source.snapshot === undefined || source.revision === undefined, {
    error: exclusiveMessage,
    path: ["snapshot"],
  });

/** Optional body of `POST /v1/sandboxes/{id}/undo`. */
export const undoSandbox = z.strictObject({
  /** True to report the changes without reverting them. */
  dryRun: z.boolean().default(false),
});

/** Response of `POST /v1/sandboxes/{id}/undo`: the reverted request, with all later changes. */
export const undone = z.object({
  user: z.string(),
  verb: z.string(),
  auditId: z.string(),
  /** The number of its own changes and the later ones. */
  changes: z.int(),
  /** Some of the objects that are restored. */
  objects: z.array(
    z.object({
      change: z.enum(["created", "changed", "deleted"]),
      resource: z.string(),
      namespace: z.string(),
      name: z.string(),
    }),
  ),
  /** The revision whose state is restored. */
  restoredTo: z.int(),
  /** The new revision of the sandbox. Absent in a dry run. */
  revision: z.int().optional(),
});

/** Query of `GET /v1/sandboxes/{id}/diff`: each side is a revision of the sandbox, `now`, or the id of a snapshot or a sandbox. */
export const diffQuery = z.strictObject({
  from: z.string().max(limits.sandboxNameCharacters),
  to: z.string().max(limits.sandboxNameCharacters).default("now"),
});

/** Response of `GET /v1/sandboxes/{id}/diff`: the differences in the order of kinds, namespaces and names. */
export const stateDiff = z.object({
  objects: z.array(
    z.object({
      change: z.enum(["added", "changed", "removed"]),
      apiVersion: z.string(),
      kind: z.string(),
      /** The namespace. Absent for cluster-scoped objects. */
      namespace: z.string().optional(),
      name: z.string(),
      /** The changed fields. `from` is absent for an added value, `to` for a removed one. */
      fields: z.array(z.object({ path: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })),
    }),
  ),
  /** True if further differences are omitted. */
  truncated: z.boolean(),
});

export type StateDiff = z.infer<typeof stateDiff>;

/** Query of `GET /v1/sandboxes/{id}/export`. If absent, `Accept` decides; the default is YAML. */
export const exportQuery = z.strictObject({ format: z.enum(["yaml", "state"]).optional() });

/** The content type of a state file. */
export const stateMediaType = "application/vnd.sandbar.state";

const word = z.string().max(limits.idCharacters);

/** Query of `GET /v1/sandboxes/{id}/changes`: a page of changes, the newest first, of all objects or of the named ones. */
export const changesQuery = z.strictObject({
  resource: word.optional().describe("As `kubectl api-resources` names it with its group: `deployments.apps`."),
  namespace: word.optional(),
  name: z.string().max(limits.changedNameCharacters).optional(),
  limit: z.coerce.number().int().min(1).max(limits.changesPage).default(limits.changesPage),
  before: z.coerce.number().int().min(1).optional().describe("The `next` of the page before; absent: the newest."),
});

export type ChangesQuery = z.output<typeof changesQuery>;

const fieldChange = z.object({
  path: z.string(),
  /** The previous value. Absent for an added value, or one that is too long. */
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

export const recordedChange = z.object({
  /** The revision, which `diff`, `fork` and `restore` accept too. */
  revision: z.int(),
  change: z.enum(["created", "changed", "deleted"]),
  resource: z.string(),
  kind: z.string(),
  /** The namespace. Absent for cluster-scoped objects. */
  namespace: z.string().optional(),
  name: z.string(),
  /** The author: a user, or a controller's account. */
  user: z.string(),
  /** The operation, such as `patch`, or a controller's reconcile, such as `replicaset:default/web-1`. */
  origin: z.string(),
  /** The audit id of a user's request. */
  auditId: z.string().optional(),
  /** The user who impersonated the author. */
  impersonator: z.string().optional(),
  subresource: z.string().optional(),
  /** The revision of the change to which a controller reacted. */
  reactsTo: z.int().optional(),
  /** The time, or its upper bound if `notBefore` is present. Absent if no later write contains a time. */
  at: z.iso.datetime().optional(),
  /** The lower bound of a change without a time of its own, such as a deletion. */
  notBefore: z.iso.datetime().optional(),
  /** The fields of an update. */
  fields: z.array(fieldChange),
  /** True if further changed fields are omitted. */
  truncated: z.boolean(),
});

export type RecordedChange = z.infer<typeof recordedChange>;

/** Response of `GET /v1/sandboxes/{id}/changes`, without events and leases. */
export const changeList = z.object({
  changes: z.array(recordedChange),
  /** Absent if the history does not go further back. */
  next: z.int().optional(),
});

export type ChangeList = z.infer<typeof changeList>;
