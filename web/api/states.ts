// The client for the states of one sandbox: snapshots, forks, differences, and the history of changes.
import type { CreateShare, Share, ShareList } from "../../shared/contract/hosted/share.ts";
import type { SandboxWithToken } from "../../shared/contract/sandbox.ts";
import type { ChangeList, CreateSnapshot, Snapshot, SnapshotList, StateDiff } from "../../shared/contract/snapshot.ts";
import { type Control, posting } from "./control.ts";

/** A snapshot, or a revision of the sandbox. */
export type From = { readonly snapshot: string } | { readonly revision: number };

export interface States {
  readonly sandbox: { readonly id: string; readonly name: string };
  snapshots(): Promise<readonly Snapshot[]>;
  take(input: CreateSnapshot): Promise<Snapshot>;
  remove(snapshot: string): Promise<void>;
  restore(from: From): Promise<void>;
  /** Forks the current state, a snapshot or a revision. */
  fork(input: { readonly name?: string } & Partial<{ snapshot: string; revision: number }>): Promise<SandboxWithToken>;
  /** Compares two states. Each is `now`, a revision, or the id of a snapshot or sandbox. */
  diff(from: string, to: string): Promise<StateDiff>;
  changes(query: Readonly<Record<string, string>>): Promise<ChangeList>;
  /** Creates a link that gives everybody a fork of the current state. */
  share(input: CreateShare): Promise<Share>;
  /** Lists the links of the organisation. */
  shares(): Promise<readonly Share[]>;
  unshare(id: string): Promise<void>;
}

export function statesOf(
  { ask }: Pick<Control, "ask">,
  sandbox: { readonly id: string; readonly name: string },
): States {
  const of = `/v1/sandboxes/${encodeURIComponent(sandbox.id)}`;
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(of + path, init)).json()) as T;
  return {
    sandbox,
    snapshots: async () => {
      const all: Snapshot[] = [];
      let cursor = "";
      do {
        const page = await json<SnapshotList>(`/snapshots${cursor && `?cursor=${encodeURIComponent(cursor)}`}`);
        all.push(...page.snapshots);
        cursor = page.nextCursor ?? "";
      } while (cursor);
      return all;
    },
    take: (input) => json("/snapshots", posting(input)),
    remove: async (snapshot) =>
      void (await ask(`${of}/snapshots/${encodeURIComponent(snapshot)}`, { method: "DELETE" })),
    restore: async (from) => void (await ask(`${of}/restore`, posting(from))),
    fork: (input) => json("/fork", posting(input)),
    diff: (from, to) => json(`/diff?${new URLSearchParams({ from, to })}`),
    changes: (query) => json(`/changes?${new URLSearchParams(query)}`),
    share: (input) => json("/shares", posting(input)),
    // The response conforms to the contract of the API.
    shares: async () => ((await (await ask("/v1/shares")).json()) as ShareList).shares,
    unshare: async (id) => void (await ask(`/v1/shares/${encodeURIComponent(id)}`, { method: "DELETE" })),
  };
}
