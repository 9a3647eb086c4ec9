// Limits as people read them.
import type { PlanLimits } from "../../../shared/contract/hosted/plan.ts";
import { bytesText, countText, secondsText } from "../../parts/numbers.ts";

export type LimitName = keyof PlanLimits;

/** Those of an organisation, in the order in which they are shown; `ofSandbox`: those of each sandbox. */
export const ofTenant = [
  "liveSandboxes",
  "creationsPerHour",
  "snapshotBytes",
  "templates",
  "webhooks",
] as const satisfies readonly LimitName[];

export const ofSandbox = [
  "nodes",
  "ttlSeconds",
  "objects",
  "bytes",
  "watches",
  "reads",
  "sessions",
  "tunnels",
  "requestsPerSecond",
  "requestsInFlight",
  "webhookCalls",
] as const satisfies readonly LimitName[];

export const limitNames: Readonly<Record<LimitName, string>> = {
  liveSandboxes: "Sandboxes at once",
  creationsPerHour: "Sandboxes made within an hour",
  snapshotBytes: "Stored snapshots",
  templates: "Versions of templates",
  webhooks: "Webhooks",
  nodes: "Nodes",
  ttlSeconds: "Longest life",
  objects: "Objects",
  bytes: "Stored objects",
  watches: "Watches at once",
  reads: "Lists being read at once",
  sessions: "exec, attach, port-forward and followed logs at once",
  tunnels: "Tunnels at once",
  requestsPerSecond: "Requests a second",
  requestsInFlight: "Requests that wait for an answer at once",
  webhookCalls: "Calls of admission webhooks at once",
};

export function limitText(name: LimitName, value: number | null | undefined): string {
  if (value === null) return "as much as the service bears";
  if (value === undefined) return "the service's own";
  if (name === "bytes" || name === "snapshotBytes") return bytesText(value);
  return name === "ttlSeconds" ? secondsText(value) : countText(value);
}
