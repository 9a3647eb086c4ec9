// The control API's snapshots, what is done with states of sandboxes (restored, forked, undone, compared and written out), and their history.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { createSandbox, name } from "./sandbox.ts";

const revision = z.int().min(0);
const one = "give a snapshot or a revision, not both";

/** Body of `POST /v1/sandboxes/{id}/snapshots`; every field, and the body itself, may be left out. */
export const createSnapshot = z.strictObject({
  name: name.optional(),
  note: z.string().max(limits.snapshotNoteCharacters).default(""),
  /** One that the sandbox's history still holds; absent: now. */
  revision: revision.optional(),
});

export type CreateSnapshot = z.input<typeof createSnapshot>;

export const snapshot = z.object({
  id: z.string(),
  name: z.string(),
  note: z.string(),
  /** The sandbox may be gone by now. */
  sandbox: z.object({ id: z.string(), name: z.string() }),
  /** Of the sandbox, when the state was its. */
  revision: z.int(),
  nodes: z.int(),
  objects: z.int(),
  /** Of its file, which is compressed. */
  bytes: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
});

export type Snapshot = z.infer<typeof snapshot>;

/** Answer of `GET /v1/snapshots` and `GET /v1/sandboxes/{id}/snapshots`: newest first, without those that expired. */
export const snapshotList = z.object({
  snapshots: z.array(snapshot),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type SnapshotList = z.infer<typeof snapshotList>;

/** Body of `POST /v1/sandboxes/{id}/restore`: one of both. */
export const restoreSandbox = z
  .strictObject({ snapshot: z.string().optional(), revision: revision.optional() })
  .refine((given) => (given.snapshot === undefined) !== (given.revision === undefined), {
    error: one,
    path: ["snapshot"],
  });

/** Answer of it: the revision that the sandbox has now. */
export const restored = z.object({ revision: z.int() });

/** Body of `POST /v1/sandboxes/{id}/fork`: of now, where neither snapshot nor revision is given. The answer is a sandbox's. */
export const forkSandbox = z
  .strictObject({
    ...createSandbox.pick({ name: true, ttlSeconds: true, labels: true }).shape,
    snapshot: z.string().optional(),
    revision: revision.optional(),
  })
  .refine((given) => given.snapshot === undefined || given.revision === undefined, { error: one, path: ["snapshot"] });

/** Body of `POST /v1/sandboxes/{id}/undo`; it may be left out. */
export const undoSandbox = z.strictObject({
  /** Only says what would go. */
  dryRun: z.boolean().default(false),
});

/** Answer of it: whose request went, or would go, with all that came after it. */
export const undone = z.object({
  user: z.string(),
  verb: z.string(),
  auditId: z.string(),
  /** Its own and those that came after. */
  changes: z.int(),
  /** Some of the objects that go back to what they were. */
  objects: z.array(
    z.object({
      change: z.enum(["created", "changed", "deleted"]),
      resource: z.string(),
      namespace: z.string(),
      name: z.string(),
    }),
  ),
  /** The revision whose state the sandbox has then. */
  restoredTo: z.int(),
  /** The sandbox's own revision then; absent in a dry run. */
  revision: z.int().optional(),
});

/** Query of `GET /v1/sandboxes/{id}/diff`: each a revision of the sandbox, `now`, or the id of a snapshot or a sandbox. */
export const diffQuery = z.strictObject({
  from: z.string().max(limits.sandboxNameCharacters),
  to: z.string().max(limits.sandboxNameCharacters).default("now"),
});

/** Answer of it: what came, changed and went, in the order of kinds, namespaces and names. */
export const stateDiff = z.object({
  objects: z.array(
    z.object({
      change: z.enum(["added", "changed", "removed"]),
      apiVersion: z.string(),
      kind: z.string(),
      /** Absent where it is in none. */
      namespace: z.string().optional(),
      name: z.string(),
      /** `from` is absent where nothing stood there, `to` where nothing stands there any more. */
      fields: z.array(z.object({ path: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })),
    }),
  ),
  /** Not everything that differs is here. */
  truncated: z.boolean(),
});

export type StateDiff = z.infer<typeof stateDiff>;

/** Query of `GET /v1/sandboxes/{id}/export`; absent, `Accept` decides, and where it names no state it is YAML. */
export const exportQuery = z.strictObject({ format: z.enum(["yaml", "state"]).optional() });

/** The content type of the file of a state. */
export const stateMediaType = "application/vnd.sandbar.state";

const word = z.string().max(limits.idCharacters);

/** Query of `GET /v1/sandboxes/{id}/changes`: the newest first, a page at a time; of all objects, or of those that are named. */
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
  /** Absent where nothing stood there, or it is too long to be told. */
  from: z.unknown().optional(),
  to: z.unknown().optional(),
});

export const recordedChange = z.object({
  /** It is the state that `diff`, `fork` and `restore` take, too. */
  revision: z.int(),
  change: z.enum(["created", "changed", "deleted"]),
  resource: z.string(),
  kind: z.string(),
  /** Absent where it is in none. */
  namespace: z.string().optional(),
  name: z.string(),
  /** Who wrote it: a user, or a controller by its account. */
  user: z.string(),
  /** What was asked, such as `patch`; of a controller the reconcile, such as `replicaset:default/web-1`. */
  origin: z.string(),
  /** Of a request of a user. */
  auditId: z.string().optional(),
  /** Who acted as the user. */
  impersonator: z.string().optional(),
  subresource: z.string().optional(),
  /** Of a controller: the change that it answers. */
  reactsTo: z.int().optional(),
  /** When; where `notBefore` stands beside it, at the latest. Absent where nothing written after it tells. */
  at: z.iso.datetime().optional(),
  /** Of what tells no time of its own, as a deletion: when at the earliest. */
  notBefore: z.iso.datetime().optional(),
  /** Of a change, not of what was made or deleted. */
  fields: z.array(fieldChange),
  /** More fields have changed than are told. */
  truncated: z.boolean(),
});

export type RecordedChange = z.infer<typeof recordedChange>;

/** Answer of it. Events and leases are left out. */
export const changeList = z.object({
  changes: z.array(recordedChange),
  /** Absent where history does not go further back. */
  next: z.int().optional(),
});

export type ChangeList = z.infer<typeof changeList>;
