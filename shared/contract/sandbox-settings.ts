// The settings of a sandbox's Durable Object, and those that it stores. Both are derived from the body of `POST /v1/sandboxes`. A new field
// there is a setting, unless it is omitted here because only the edge or the cluster's creation uses it.
import * as z from "zod";
import { firstVersion } from "../k8s/settings/release.ts";
import { creationFields, images, kubernetesVersion } from "./sandbox.ts";
import { sandboxFieldMask } from "./sandbox-fields.ts";
import { givenLimits } from "./sandbox-limits.ts";

/** The settings in the body of `POST /v1/sandboxes`. Other fields of the body are dropped. */
export const createdSettings = z.object(
  creationFields.omit({
    ...sandboxFieldMask,
    ttlSeconds: true,
    nodes: true,
    manifests: true,
    snapshot: true,
    template: true,
    import: true,
  }).shape,
);

/** The stored settings. Unknown fields are dropped and missing ones have defaults, because another version may have written the row. */
export const sandboxSettings = z.object({
  ...createdSettings.shape,
  /** The default of sandboxes created before this setting existed, which accept every well-formed image. */
  images: images.default("any"),
  /** The default of sandboxes that were created before this setting existed. */
  version: kubernetesVersion.default(firstVersion),
  /** The expiry in milliseconds since 1970. */
  expiresAtMs: z.number(),
  /** The limits. Absent for the service's current defaults. */
  limits: givenLimits.optional(),
  /** The tenant's Durable Object that receives the usage, and the sandbox's id there. */
  reportsTo: z.object({ tenant: z.string(), sandbox: z.string() }).optional(),
  /** The reason of a suspension; empty or absent if not suspended. */
  suspended: z.string().optional(),
  /** The reason of a teacher's pause; empty or absent if not paused. */
  paused: z.string().optional(),
});

export type SandboxSettings = z.output<typeof sandboxSettings>;
