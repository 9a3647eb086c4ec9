// The control API's sandboxes: `/v1/sandboxes` and what is below, as the edge checks it and the console sends it.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { oidcIssuers } from "./issuer.ts";
import { jwtAuthenticators } from "./jwt-authenticator.ts";

const dnsLabel = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

export const name = z
  .string()
  .max(limits.sandboxNameCharacters)
  .regex(dnsLabel, "must consist of lower case letters, digits and '-', and begin and end with a letter or digit");

/** Admission plugins that an API server knows and leaves off, and that a sandbox may have. */
export const optionalPlugins = [
  "NodeRestriction",
  "AlwaysPullImages",
  "OwnerReferencesPermissionEnforcement",
  "DenyServiceExternalIPs",
] as const;

export type OptionalPlugin = (typeof optionalPlugins)[number];

/** Body of `POST /v1/sandboxes`; every field, and the body itself, may be left out. */
export const createSandbox = z.strictObject({
  name: name.optional(),
  ttlSeconds: z
    .int()
    .min(limits.sandboxTtlSecondsMin)
    .max(limits.sandboxTtlSecondsMax)
    .default(limits.sandboxTtlSeconds),
  nodes: z.int().min(0).max(limits.sandboxNodes).default(limits.sandboxNodesDefault),
  /** YAML documents that the cluster starts with. */
  manifests: z.string().default(""),
  /** The id of a snapshot that it begins with: everything but name and life comes from there. */
  snapshot: z.string().optional(),
  /** Another cluster's objects in YAML or JSON, as `kubectl get -o yaml` prints them, with statuses and owners. */
  import: z.string().optional(),
  /** To be switched on beside those that are on by default. */
  admissionPlugins: z.array(z.enum(optionalPlugins)).max(optionalPlugins.length).default([]),
  /** Requests without credentials are let in, as `system:anonymous`. */
  anonymousAccess: z.boolean().default(false),
  /** Whose tokens the sandbox accepts beside its own. */
  oidcIssuers: oidcIssuers.default([]),
  /** The same in the form of a structured authentication configuration: with expressions and rules. */
  jwtAuthenticators: jwtAuthenticators.default([]),
  /**
   * Controllers act on what users write once no write has come for so many milliseconds, and at the latest five times as many after the
   * first; with 0 before the write is answered.
   */
  controllerDelayMs: z.int().min(0).max(limits.controllerDelayMsMax).default(limits.controllerDelayMs),
});

export type CreateSandbox = z.input<typeof createSandbox>;

/** The same once it is checked: with its defaults. */
export type SandboxOptions = z.output<typeof createSandbox>;

export const sandbox = z.object({
  id: z.string(),
  name: z.string(),
  nodes: z.int(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The address for kubectl: always https where a certificate is at hand. */
  server: z.url(),
});

export type Sandbox = z.infer<typeof sandbox>;

/** Something of another cluster's that is not in the sandbox, or not as it was. */
export const notImported = z.object({
  kind: z.string(),
  /** "" where it is in none. */
  namespace: z.string(),
  name: z.string(),
  reason: z.string(),
});

export type NotImported = z.infer<typeof notImported>;

/** Answer of `POST /v1/sandboxes` (201) and `GET /v1/sandboxes/{id}`; as `application/yaml` it is the kubeconfig instead. */
export const sandboxWithToken = sandbox.extend({
  /** The cluster's admin token. */
  token: z.string(),
  /** Of a sandbox that began with `import`: what could not come, or not as it was. */
  notImported: z.array(notImported).optional(),
});

export type SandboxWithToken = z.infer<typeof sandboxWithToken>;

/** Query of `GET /v1/sandboxes`. */
export const listQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(limits.sandboxPageMax).default(limits.sandboxPage),
  cursor: z.string().optional(),
});

/** Answer of `GET /v1/sandboxes`: newest first, without those that expired. */
export const sandboxList = z.object({
  sandboxes: z.array(sandbox),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type SandboxList = z.infer<typeof sandboxList>;
