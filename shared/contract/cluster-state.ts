// What the edge asks of a cluster's object about its states: files as `shared/state` writes them.
import type { ManifestProblem } from "./error.ts";
import type { ChangeList, ChangesQuery } from "./snapshot.ts";

/** Nothing was changed; `code` is one of the control API. */
export interface StateRefusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  /** Where manifests were refused. */
  readonly problems?: readonly ManifestProblem[];
}

export type SavedState = StateRefusal | { readonly ok: true; readonly file: Uint8Array<ArrayBuffer> };

export type RestoredState = StateRefusal | { readonly ok: true; readonly revision: number };

export interface UndoneObject {
  readonly change: "created" | "changed" | "deleted";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What an undo takes back: the newest request of a user that wrote something, and all that was written since. */
export interface Undoing {
  /** Whose request it was, and what it was. */
  readonly user: string;
  readonly verb: string;
  readonly auditId: string;
  /** Its own changes and all that came after them. */
  readonly changes: number;
  /** Some of the objects that go back to what they were, in the order of their first changes. */
  readonly objects: readonly UndoneObject[];
  /** The state that the sandbox goes back to: the revision before the request's first change. */
  readonly restoredTo: number;
}

/** `revision` is what the sandbox has then; it is absent in a dry run. */
export type UndoneState = StateRefusal | (Undoing & { readonly ok: true; readonly revision?: number });

export interface ClusterStateRpc {
  /** Of now, or of a revision that history still holds. */
  saveState(options: { readonly revision?: number }): Promise<SavedState>;
  /** In place: who fails leaves everything as it was. */
  restoreState(from: { readonly file: Uint8Array } | { readonly revision: number }): Promise<RestoredState>;
  /** Takes back the last request of a user, and all that followed. */
  undo(options: { readonly dryRun: boolean }): Promise<UndoneState>;
  /** Undefined where there is no cluster any more. */
  listChanges(query: ChangesQuery): Promise<ChangeList | undefined>;
}
