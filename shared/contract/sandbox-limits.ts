// The limits of one sandbox: set at its creation, stored in it, and enforced by its Durable Object.
import * as z from "zod";
import { limits } from "../base/limits.ts";

const count = z.int().min(0);

const shape = z.strictObject({
  /** The number of stored objects of all kinds. */
  objects: count,
  /** The number of nodes, from any source. */
  nodes: count,
  /** The characters of the stored objects as JSON, without the change log. */
  bytes: count,
  /** The number of open watches, including those of aggregated APIs through tunnels. */
  watches: count,
  /** The number of lists and initial events of watches that are being read, each of which holds a page. */
  reads: count,
  /** The number of open exec, attach, port-forward and followed log sessions. */
  sessions: count,
  /** The number of open tunnels. */
  tunnels: count,
  /** The number of requests that can begin in a second, possibly all at once. */
  requestsPerSecond: z.int().min(1),
  /** The number of requests that are being processed. */
  requestsInFlight: z.int().min(1),
  /** The number of calls of webhooks and converters in progress. */
  webhookCalls: count,
});

export type SandboxLimits = z.output<typeof shape>;

/** The limits that replace the service's defaults. */
export const givenLimits = shape.partial();

export type GivenLimits = z.output<typeof givenLimits>;

/** Returns all limits. Missing ones are the service's defaults, so that older clusters receive new limits. */
export function limitsWith(overrides: GivenLimits): SandboxLimits {
  const definedLimits = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...limits.sandbox, ...Object.fromEntries(definedLimits) };
}
