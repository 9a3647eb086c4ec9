// What the control API takes and answers: the types of the contract's schemas. Whoever installs the package gets them written out.
import type { z } from "zod";
import type { auditEventList } from "../shared/contract/audit.ts";
import type { errorBody } from "../shared/contract/error.ts";
import type * as sandboxes from "../shared/contract/sandbox.ts";
import type * as snapshots from "../shared/contract/snapshot.ts";
import type * as tokens from "../shared/contract/token.ts";

export type CreateSandbox = z.input<typeof sandboxes.createSandbox>;
export type PatchSandbox = z.input<typeof sandboxes.patchSandbox>;
export type Sandbox = z.output<typeof sandboxes.sandbox>;
export type SandboxWithToken = z.output<typeof sandboxes.sandboxWithToken>;
export type SandboxList = z.output<typeof sandboxes.sandboxList>;
export type AuditEventList = z.output<typeof auditEventList>;
export type CreateToken = z.input<typeof tokens.createToken>;
export type TokenList = z.output<typeof tokens.tokenList>;
export type UserToken = z.output<typeof tokens.userToken>;
export type ViewToken = z.output<typeof tokens.viewToken>;
export type CreateSnapshot = z.input<typeof snapshots.createSnapshot>;
export type Snapshot = z.output<typeof snapshots.snapshot>;
export type SnapshotList = z.output<typeof snapshots.snapshotList>;
export type RestoreSandbox = z.input<typeof snapshots.restoreSandbox>;
export type Restored = z.output<typeof snapshots.restored>;
export type ForkSandbox = z.input<typeof snapshots.forkSandbox>;
export type UndoSandbox = z.input<typeof snapshots.undoSandbox>;
export type Undone = z.output<typeof snapshots.undone>;
export type StateDiff = z.output<typeof snapshots.stateDiff>;
export type ErrorBody = z.output<typeof errorBody>;
