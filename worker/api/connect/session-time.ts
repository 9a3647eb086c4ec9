// The time of a session in real time: the client waits by its own clock, whatever the cluster's clock does.
import type { SessionStep, SessionStepped } from "../../../shared/contract/cluster-object.ts";
import type { ApiServer } from "../api-server.ts";

type Clocks = Pick<ApiServer, "registry" | "nowMs" | "realMsOf">;

/** The maximum time, in milliseconds, after which the edge polls again. */
const longestWaitMs = 3_600_000;

/** Returns the milliseconds of real time until a time of the cluster's clock. */
export function waitMsUntil({ registry, nowMs, realMsOf }: Clocks, clusterMs: number): number {
  const aheadMs = realMsOf ? realMsOf(clusterMs) - nowMs() : clusterMs - registry.clock.nowMs();
  return Math.min(Math.max(0, Math.ceil(aheadMs)), longestWaitMs);
}

/** Returns the current time of a session. While the cluster's clock is paused, a session continues in real time from its start. */
export function sessionNowMs(server: Clocks, { startMs, startRealMs, typed }: SessionStep): number {
  const nowMs = Math.max(server.registry.clock.nowMs(), ...typed.map(({ atMs }) => atMs));
  if (startRealMs === undefined || !isPaused(server)) return nowMs;
  return Math.max(nowMs, startMs + server.nowMs() - startRealMs);
}

/** Sets `nextMs` so that the edge waits as long as the cluster's clock takes. */
export function inRealTime(server: Clocks, stepped: SessionStepped): SessionStepped {
  const { nowMs, nextMs } = stepped;
  if (nextMs === undefined || isPaused(server)) return stepped;
  return { ...stepped, nextMs: nowMs + waitMsUntil(server, nextMs) };
}

/** Limits the times of a session's changes to the cluster's clock, so that the next reader sees them. */
export function datedNow<Change extends { readonly atMs: number }>(
  server: Clocks,
  changes: readonly Change[],
): Change[] {
  const nowMs = server.registry.clock.nowMs();
  return changes.map((change) => (isPaused(server) && change.atMs > nowMs ? { ...change, atMs: nowMs } : change));
}

function isPaused({ registry, realMsOf }: Clocks): boolean {
  return realMsOf?.(registry.clock.nowMs() + 1) === Number.POSITIVE_INFINITY;
}
