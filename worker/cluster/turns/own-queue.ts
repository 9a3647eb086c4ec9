// The queue of an object for its turns, as the platform and the open cluster tell of its tenant, its work and its time.
import type { TurnOrder } from "../../api/api-server.ts";
import type { Registry } from "../../registry/registry.ts";
import type { FairShares } from "./fair-shares.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Work, which is counted in microseconds, of a millisecond. */
const workPerMs = 1_000;

/** The parts of an open cluster from which its tenant and its work are read. */
interface CountedCluster {
  readonly registry: Pick<Registry, "store">;
  readonly reportsTo?: { readonly tenant: string } | undefined;
}

/** A sandbox that is not counted for a tenant is one of its own. */
export function turnQueueOf(
  { id }: Pick<DurableObjectState, "id">,
  shares: FairShares,
  open: () => CountedCluster | undefined,
): TurnQueue {
  const sandbox = id.toString();
  return new TurnQueue({
    shares,
    nowMs: Date.now,
    share: () => ({ tenant: open()?.reportsTo?.tenant ?? sandbox, sandbox }),
    workedMs: () => (open()?.registry.store.meter.spent ?? 0) / workPerMs,
    pause: (ms) => scheduler.wait(ms),
  });
}

/** Resolves when the runtime has looked for other work, and other sandboxes have had theirs. */
export async function pausedIn(turns: TurnOrder): Promise<void> {
  await (turns.next() ?? scheduler.wait(0));
}
