// Waits until the workloads of a sandbox are available, for a bounded time.
import type { NotReady, SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { expiredError } from "./sandboxes.ts";
import type { ControlApiServer } from "./server.ts";

/** Waits for a new sandbox, and returns it with the workloads that are not available. */
export async function whenReady(
  controlApi: ControlApiServer,
  tenantId: string,
  sandbox: SandboxWithToken,
  seconds: number,
): Promise<SandboxWithToken> {
  const notReady = await untilReady(controlApi, sandbox.id, seconds);
  if (notReady.length > 0 || sandbox.phase !== "Pending") return { ...sandbox, notReady };
  await controlApi.tenant(tenantId).markMade(sandbox.id, { isReady: true, isPaused: false });
  return { ...sandbox, phase: "Running", notReady };
}

/** Returns the workloads that are not available at the end of the wait; empty if all are. */
export async function untilReady(controlApi: ControlApiServer, id: string, seconds: number): Promise<NotReady[]> {
  const endMs = controlApi.nowMs() + seconds * 1000;
  for (;;) {
    // The cluster answers at the change after which none is left.
    const left = await controlApi.cluster(id).notReady(endMs - controlApi.nowMs());
    if (!left) throw expiredError();
    if (left.length === 0 || controlApi.nowMs() >= endMs) return [...left];
  }
}
