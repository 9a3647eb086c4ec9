// How a cluster fares, for who runs the service: numbers, and nothing of what is in it.
import type { SandboxHealth } from "../../../shared/contract/hosted/admin.ts";
import { notReadyIn } from "../bootstrap/readiness.ts";
import { dueMsOf, type Open } from "../open.ts";

export function healthOf(open: Open, databaseBytes: number): SandboxHealth {
  const { store } = open.registry;
  const dueMs = dueMsOf(open);
  return {
    revision: store.revision,
    objects: store.at(store.revision).length,
    databaseBytes,
    watches: open.watches.size,
    queued: open.runtime.pending().length,
    ...(Number.isFinite(dueMs) ? { dueAt: new Date(dueMs).toISOString() } : {}),
    expiresAt: new Date(open.expiresAtMs).toISOString(),
    suspended: open.suspended !== "",
    notReady: notReadyIn(open.system).length,
  };
}
