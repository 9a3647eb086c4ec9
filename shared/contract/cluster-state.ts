// The RPC interface of a cluster's Durable Object about its states: files in the format of `shared/state`.
import type { KubernetesVersion } from "../k8s/settings/release.ts";
import type { ManifestProblem } from "./error.ts";
import type { ChangeList, ChangesQuery } from "./snapshot.ts";

/** A refusal without any change. `code` is one of the control API. */
export interface StateRefusal {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  /** The problems, if manifests were refused. */
  readonly problems?: readonly ManifestProblem[];
}

export type SavedState = StateRefusal | { readonly ok: true; readonly file: Uint8Array<ArrayBuffer> };

/** `version`: the Kubernetes version of the state, which the cluster has from now on. */
export type RestoredState =
  | StateRefusal
  | { readonly ok: true; readonly revision: number; readonly version: KubernetesVersion };

export interface UndoneObject {
  readonly change: "created" | "changed" | "deleted";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The changes that an undo reverts: the newest request of a user that wrote something, and all later writes. */
export interface Undoing {
  /** The user and the request. */
  readonly user: string;
  readonly verb: string;
  readonly auditId: string;
  /** The number of its own changes and all later ones. */
  readonly changes: number;
  /** Some of the objects that are restored, in the order of their first changes. */
  readonly objects: readonly UndoneObject[];
  /** The revision that is restored: the one before the request's first change. */
  readonly restoredTo: number;
}

/** The result. `revision` is the sandbox's new revision; it is absent in a dry run. */
export type UndoneState = StateRefusal | (Undoing & { readonly ok: true; readonly revision?: number });

export interface ClusterStateRpc {
  /** Saves the current state, or the state at a revision that the history still contains. */
  saveState(options: { readonly revision?: number }): Promise<SavedState>;
  /** Restores a state in place. A failure leaves the cluster unchanged. */
  restoreState(from: { readonly file: Uint8Array } | { readonly revision: number }): Promise<RestoredState>;
  /** Reverts the last request of a user and all later writes. */
  undo(options: { readonly dryRun: boolean }): Promise<UndoneState>;
  /** Returns undefined if the cluster does not exist. */
  listChanges(query: ChangesQuery): Promise<ChangeList | undefined>;
}
