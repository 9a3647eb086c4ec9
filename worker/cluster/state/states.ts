// What the edge asks of a cluster about its states: to save one, to be set to one, and to undo.
import { isStorageFull } from "../../../shared/base/disk/storage-full.ts";
import type { ChangeList, ChangesQuery } from "../../../shared/contract/snapshot.ts";
import type {
  ClusterStateRpc,
  RestoredState,
  SavedState,
  StateRefusal,
  UndoneState,
} from "../../../shared/contract/cluster-state.ts";
import { UnusableObjectError } from "../../../shared/k8s/bounds/unusable-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { type StateCertificates, StateFileError } from "../../../shared/state/format.ts";
import type { Sql } from "../../store/sql.ts";
import type { Cluster } from "../cluster.ts";
import { readSettings } from "../settings/settings.ts";
import { changesOf } from "./changes.ts";
import { goneError, replacedError } from "./ended.ts";
import { savingState } from "./save.ts";
import { undoing } from "./undo.ts";

/** The parts of an open cluster that states need. */
export type OpenCluster = Pick<Cluster, "registry" | "runtime" | "timeline">;

export interface StatesHost<Open extends OpenCluster> {
  readonly sql: Sql;
  /** Undefined where there is no cluster any more. */
  current(): Open | undefined;
  certificates(): StateCertificates;
  /** Lets others have a turn. */
  pause(): Promise<void>;
  /** Sets the cluster to the state in a file and opens it anew, or throws and changes nothing. Returns its revision from now on. */
  replace(open: Open, file: Uint8Array): number;
}

/** An undo begins again so often where a user has written meanwhile. */
const attempts = 3;

export class States<Open extends OpenCluster> implements ClusterStateRpc {
  readonly #host: StatesHost<Open>;

  constructor(host: StatesHost<Open>) {
    this.#host = host;
  }

  saveState({ revision }: { readonly revision?: number }): Promise<SavedState> {
    return this.#with(async (open) => {
      if (revision !== undefined && revision > open.registry.store.revision) return unknownRevision(revision, open);
      return { ok: true, file: await this.#save(open, revision) };
    });
  }

  restoreState(from: { readonly file: Uint8Array } | { readonly revision: number }): Promise<RestoredState> {
    return this.#with(async (open) => {
      if ("file" in from) return this.#replaced(open, from.file);
      if (from.revision > open.registry.store.revision) return unknownRevision(from.revision, open);
      return this.#replaced(open, await this.#save(open, from.revision));
    });
  }

  #replaced(open: Open, file: Uint8Array): RestoredState {
    const revision = this.#host.replace(open, file);
    return { ok: true, revision, version: readSettings(this.#host.sql).version };
  }

  undo({ dryRun }: { readonly dryRun: boolean }): Promise<UndoneState> {
    return this.#with(async (open) => {
      const { store } = open.registry;
      for (let attempt = 0; attempt < attempts; attempt++) {
        const before = undoing(store);
        if (!before) return { ok: false, code: "nothing_to_undo", message: "there is no request of a user to undo" };
        if (dryRun) return { ok: true, ...before };
        const file = await this.#save(open, before.restoredTo);
        // What controllers have written meanwhile goes, too.
        const now = undoing(store);
        if (now?.auditId !== before.auditId || now.restoredTo !== before.restoredTo) continue;
        return { ok: true, ...now, revision: this.#host.replace(open, file) };
      }
      return { ok: false, code: "busy", message: "users went on writing: undo again when they have paused" };
    });
  }

  async listChanges(query: ChangesQuery): Promise<ChangeList | undefined> {
    const open = this.#host.current();
    return open && changesOf(open.registry.store, query);
  }

  /** The cluster must stay the same one until it is written. */
  async #save(open: Open, revision: number | undefined): Promise<Uint8Array<ArrayBuffer>> {
    // What containers have done by now is recorded first: the copy has no history to follow it in.
    while (!open.timeline.advance()) await this.#host.pause();
    const steps = savingState({
      sql: this.#host.sql,
      cluster: open,
      certificates: this.#host.certificates(),
      revision,
    });
    try {
      for (;;) {
        const { done, value } = steps.next();
        if (done) return value;
        await this.#host.pause();
        const now = this.#host.current();
        if (now !== open) throw now ? replacedError() : goneError();
      }
    } finally {
      steps.return(new Uint8Array());
    }
  }

  /** Expected failures are refusals. */
  async #with<Done>(body: (open: Open) => Promise<Done | StateRefusal>): Promise<Done | StateRefusal> {
    const open = this.#host.current();
    try {
      if (!open) throw goneError();
      return await body(open);
    } catch (error) {
      return refusalOf(error);
    }
  }
}

function unknownRevision(revision: number, { registry }: OpenCluster): StateRefusal {
  const message = `there is no revision ${revision} yet: the newest is ${registry.store.revision}`;
  return { ok: false, code: "revision_unknown", message };
}

/** Throws what is none. */
export function refusalOf(error: unknown): StateRefusal {
  if (error instanceof StateFileError) return { ok: false, code: error.fault, message: error.message };
  if (isStorageFull(error)) return { ok: false, code: "storage_full", message: "there is no room to store it" };
  if (!(error instanceof ApiError) || error instanceof UnusableObjectError) throw error;
  return { ok: false, code: codes[error.reason] ?? "internal", message: error.message };
}

const codes: Readonly<Record<string, string>> = {
  Gone: "expired",
  Expired: "revision_gone",
  TooManyRequests: "limit_exceeded",
  InsufficientStorage: "storage_full",
};
