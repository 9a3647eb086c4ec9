// What the object of a sandbox is told when it is made, and what of it it keeps. Both follow from the body of `POST /v1/sandboxes`: a field
// that is added there is a setting, unless it is omitted here because the edge uses it, or because it is used up when the cluster is made.
import { z } from "zod";
import { createSandbox, images } from "./sandbox.ts";
import { givenLimits } from "./sandbox-limits.ts";

/** Unknown fields are dropped, and missing ones have their defaults: a row may have been written by another version. */
export const sandboxSettings = z.object({
  ...createSandbox.omit({
    name: true,
    ttlSeconds: true,
    nodes: true,
    manifests: true,
    snapshot: true,
    template: true,
    import: true,
    labels: true,
  }).shape,
  /** Sandboxes that were made before this was asked have all images there are names for, as before. */
  images: images.default("any"),
  /** Milliseconds since 1970. */
  expiresAtMs: z.number(),
  /** Absent: the service's own, whatever they come to be. */
  limits: givenLimits.optional(),
  /** Whose object is told what it uses, and under which id. */
  reportsTo: z.object({ tenant: z.string(), sandbox: z.string() }).optional(),
  /** Why nobody is answered and nothing runs; empty or absent: it is as it should be. */
  suspended: z.string().optional(),
});

export type SandboxSettings = z.output<typeof sandboxSettings>;
