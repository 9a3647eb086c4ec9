// Limits as people read them.
import type { PlanLimits } from "../../../shared/contract/hosted/plan.ts";
import { bytesText, countText, secondsText } from "../../parts/numbers.ts";
import { texts as all } from "../../messages/usage.ts";

const texts = all.limitNames;

export type LimitName = keyof PlanLimits;

/** The limits of an organisation, in the order in which they are shown; `ofPeople`: those of its owners and of each person; `ofSandbox`: those of each sandbox. */
export const ofTenant = [
  "liveSandboxes",
  "creationsPerHour",
  "snapshotBytes",
  "templates",
  "webhooks",
] as const satisfies readonly LimitName[];

export const ofPeople = [
  "organisations",
  "liveSandboxesPerPerson",
  "creationsPerHourPerPerson",
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
  liveSandboxes: texts.sandboxesAtOnce,
  creationsPerHour: texts.sandboxesPerHour,
  snapshotBytes: texts.storedSnapshots,
  templates: texts.templateVersions,
  webhooks: texts.webhooks,
  organisations: texts.organisations,
  liveSandboxesPerPerson: texts.sandboxesOfPerson,
  creationsPerHourPerPerson: texts.creationsOfPerson,
  nodes: texts.nodes,
  ttlSeconds: texts.lifetime,
  objects: texts.objects,
  bytes: texts.storedObjects,
  watches: texts.watchesAtOnce,
  reads: texts.listsBeingRead,
  sessions: texts.sessionsAtOnce,
  tunnels: texts.tunnelsAtOnce,
  requestsPerSecond: texts.requestsPerSecond,
  requestsInFlight: texts.pendingRequests,
  webhookCalls: texts.admissionCalls,
};

export function limitText(name: LimitName, value: number | null | undefined): string {
  if (value === null) return texts.unlimited;
  if (value === undefined) return texts.serviceDefault;
  if (name === "bytes" || name === "snapshotBytes") return bytesText(value);
  return name === "ttlSeconds" ? secondsText(value) : countText(value);
}
