// The queue of an object for its turns, as the platform and the open cluster tell of its tenant, its work and its time.
import type { TurnOrder } from "../../api/api-server.ts";
import type { Open } from "../open.ts";
import type { FairShares } from "./fair-shares.ts";
import { TurnQueue } from "./turn-queue.ts";

/** Milliseconds of a unit of `Effort`. */
const unitMs = 0.003;

/** A sandbox that is not counted for a tenant is one of its own. */
export function turnQueueOf(
  { id }: Pick<DurableObjectState, "id">,
  shares: FairShares,
  open: () => Pick<Open, "registry" | "reportsTo"> | undefined,
): TurnQueue {
  const sandbox = id.toString();
  return new TurnQueue({
    shares,
    nowMs: Date.now,
    share: () => ({ tenant: open()?.reportsTo?.tenant ?? sandbox, sandbox }),
    workedMs: () => (open()?.registry.store.effort.units ?? 0) * unitMs,
    pause: (ms) => scheduler.wait(ms),
  });
}

/** Resolves when the runtime has looked for other work, and other sandboxes have had theirs. */
export async function pausedIn(turns: TurnOrder): Promise<void> {
  await (turns.next() ?? scheduler.wait(0));
}
