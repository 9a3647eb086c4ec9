// What one sandbox may hold and do: given when it is made, kept with it, enforced by its own object.
import { z } from "zod";
import { limits } from "../base/limits.ts";

const count = z.int().min(0);

const shape = z.strictObject({
  /** Objects of all kinds that are stored. */
  objects: count,
  /** Nodes that there are, whoever adds them. */
  nodes: count,
  /** Characters of the stored objects as JSON; past changes do not count. */
  bytes: count,
  /** Watches that are open at once, those of aggregated APIs through tunnels among them. */
  watches: count,
  /** Lists, and first events of watches, that are being read at once: each holds a page. */
  reads: count,
  /** exec, attach, port-forward and followed logs that are open at once. */
  sessions: count,
  /** Tunnels that are open at once. */
  tunnels: count,
  /** Requests that may begin in a second; the requests of one second may come at once. */
  requestsPerSecond: z.int().min(1),
  /** Requests that wait for their answer at once. */
  requestsInFlight: z.int().min(1),
  /** Calls of webhooks and converters that are under way at once. */
  webhookCalls: count,
});

export type SandboxLimits = z.output<typeof shape>;

/** What is given in place of the service's own. */
export const givenLimits = shape.partial();

export type GivenLimits = z.output<typeof givenLimits>;

/** Whatever is not given is the service's own: so a cluster that was made before a limit was known has that limit too. */
export function limitsWith(given: GivenLimits): SandboxLimits {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...limits.sandbox, ...Object.fromEntries(said) };
}
