// The control API's sandboxes: `/v1/sandboxes` and what is below, as the edge checks it and the console sends it.
import { featureGateProblem } from "../k8s/settings/feature-gates.ts";
import { podCidrProblem, serviceCidrProblem } from "../k8s/settings/cluster-network.ts";
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

const labelPart =
  "must consist of letters, digits, '-', '_', '.' (a key also of '/'), and begin and end with a letter or digit";
const labelKey = z
  .string()
  .max(limits.labelCharacters)
  .regex(/^[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?$/, labelPart);
const labelValue = z
  .string()
  .max(limits.labelCharacters)
  .regex(/^(?:[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?)?$/, labelPart);

/** What a tenant says of a sandbox, to find it again by. */
export const labels = z
  .record(labelKey, labelValue)
  .refine((given) => Object.keys(given).length <= limits.labels, `must have at most ${limits.labels} entries`);

export type Labels = z.output<typeof labels>;

const labelChanges = z
  .record(labelKey, labelValue.nullable())
  .refine((given) => Object.keys(given).length <= 2 * limits.labels, `must have at most ${2 * limits.labels} entries`);

/** Changes of labels as a JSON merge patch has them. */
export type LabelChanges = z.output<typeof labelChanges>;

/** How fast simulated kubelets do what takes a real one time: as it does, at once, or so many times faster. */
export const kubeletSpeed = z.union([z.enum(["real", "zero"]), z.number().min(0.1).max(1000)], {
  error: "must be real, zero, or a factor from 0.1 to 1000",
});

export type KubeletSpeed = z.output<typeof kubeletSpeed>;

/** All, only those of the API server itself, or these beside them. */
export const chosenControllers = z.union(
  [z.enum(["on", "off"]), z.array(z.string().max(limits.sandboxNameCharacters)).max(limits.chosenControllers)],
  { error: "must be on, off, or a list of names" },
);

export type ChosenControllers = z.output<typeof chosenControllers>;

/**
 * Which images exist. `strict`: Docker's official ones with their tags, and those of other organisations unless their name is a typing error;
 * `any`: whatever is well formed; a list: beside those of `strict` whatever begins with one of these names (`docker.io/my-company`).
 */
export const images = z.union(
  [
    z.enum(["strict", "any"]),
    z
      .array(
        z
          .string()
          .max(limits.imagePrefixCharacters)
          .regex(/^[a-z0-9][a-z0-9._:/-]*$/),
      )
      .max(limits.imagePrefixes),
  ],
  { error: "must be strict, any, or a list of the beginnings of names" },
);

export type Images = z.output<typeof images>;

/**
 * What becomes of a program, a script or a library that a pod's specification names, that its image may have and that the simulator lacks:
 * it is assumed to succeed, or it fails.
 */
export const unknown = z.enum(["succeed", "fail"]);

export type Unknown = z.output<typeof unknown>;

/** An IPv4 range, for which `problemOf` finds nothing wrong. */
function cidr(problemOf: (text: string) => string | undefined) {
  return z
    .string()
    .max(limits.cidrCharacters)
    .superRefine((text, context) => {
      const message = problemOf(text);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    });
}

/** As `--feature-gates`: what is not named is as it is by default. */
const featureGates = z
  .record(z.string().max(limits.featureGateCharacters), z.boolean())
  .superRefine((given, context) => {
    const entries = Object.entries(given);
    if (entries.length > limits.featureGates) {
      context.addIssue({ code: "custom", message: `must have at most ${limits.featureGates} entries` });
      return;
    }
    for (const [name, value] of entries) {
      const message = featureGateProblem(name, value);
      if (message !== undefined) context.addIssue({ code: "custom", message, path: [name] });
    }
  });

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
  /** A template that it begins with, `name` or `name@version`: as a snapshot. */
  template: z
    .string()
    .max(limits.sandboxNameCharacters + 11)
    .optional(),
  /** Another cluster's objects in YAML or JSON, as `kubectl get -o yaml` prints them, with statuses and owners. */
  import: z.string().optional(),
  labels: labels.default({}),
  /** Absent: the service's own. */
  kubeletSpeed: kubeletSpeed.optional(),
  /** By kube-controller-manager's names, `kube-scheduler` and `kubelet`; absent: on. Whoever leaves some out plays them himself. */
  controllers: chosenControllers.optional(),
  images: images.default("strict"),
  unknown: unknown.optional(),
  /**
   * Whether kube-system has CoreDNS and the pods of a control plane, kube-proxy, a network and a metrics server. Absent: yes; none without
   * nodes or controllers; CoreDNS alone with more than 20 nodes, with another cluster's objects, or with some controllers left out.
   */
  systemPods: z.boolean().optional(),
  /** The range of Services' addresses, an IPv4 CIDR from /12 to /28; absent: 10.96.0.0/12. */
  serviceCidr: cidr(serviceCidrProblem).optional(),
  /** The range of pods' addresses, an IPv4 CIDR of which each node takes a /24; absent: 10.244.0.0/16. */
  podCidr: cidr(podCidrProblem).optional(),
  /** By name, as kube-apiserver's `--feature-gates`: those that a sandbox can do without, and any other one as it is by default. */
  featureGates: featureGates.optional(),
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
  labels,
  /** With so many it began. */
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

/** A workload that does not run, or not whole. */
export const notReady = z.object({ kind: z.string(), namespace: z.string(), name: z.string(), reason: z.string() });

export type NotReady = z.infer<typeof notReady>;

/** Answer of `POST /v1/sandboxes` (201) and `GET /v1/sandboxes/{id}`; as `application/yaml` it is the kubeconfig instead. */
export const sandboxWithToken = sandbox.extend({
  /** The cluster's admin token. */
  token: z.string(),
  /** PEM of the authority that signed the server's certificate. Absent: a public one. */
  ca: z.string().optional(),
  /** Of a sandbox that began with `import`: what could not come, or not as it was. */
  notImported: z.array(notImported).optional(),
  /** Of a sandbox of a template that has users: a token of each. */
  users: z.array(z.object({ user: z.string(), groups: z.array(z.string()), token: z.string() })).optional(),
  /** Where `wait` asked for it: what did not run in time, and why; empty where all does. */
  notReady: z.array(notReady).optional(),
});

export type SandboxWithToken = z.infer<typeof sandboxWithToken>;

/** A sandbox that is looked at or changed: with its token for whoever may connect (`sandboxes:connect`). */
export const shownSandbox = sandboxWithToken.partial({ token: true });

export type ShownSandbox = z.infer<typeof shownSandbox>;

/** Query of `POST /v1/sandboxes`. */
export const createQuery = z.strictObject({
  wait: z
    .literal("ready")
    .optional()
    .describe("The answer comes when all workloads are available, or after `waitSeconds`."),
  waitSeconds: z.coerce.number().int().min(1).max(limits.waitSecondsMax).default(limits.waitSeconds),
  name: name.optional().describe("Where the body is YAML or a file; else it stands in the body, as the next two."),
  ttlSeconds: z.coerce.number().int().min(limits.sandboxTtlSecondsMin).max(limits.sandboxTtlSecondsMax).optional(),
  nodes: z.coerce.number().int().min(0).max(limits.sandboxNodes).optional(),
});

export type CreateQuery = z.input<typeof createQuery>;

/** Body of `PATCH /v1/sandboxes/{id}`: what is to be different. */
export const patchSandbox = z
  .strictObject({
    name: name.optional(),
    /** Merged with those that the sandbox has; null removes one. */
    labels: labelChanges.optional(),
    /** From now on; in place of `expiresAt`. */
    ttlSeconds: z.int().min(limits.sandboxTtlSecondsMin).max(limits.sandboxTtlSecondsMax).optional(),
    expiresAt: z.iso.datetime().optional(),
  })
  .refine((given) => given.ttlSeconds === undefined || given.expiresAt === undefined, {
    error: "give ttlSeconds or expiresAt, not both",
    path: ["expiresAt"],
  });

export type PatchSandbox = z.input<typeof patchSandbox>;

/** Body of `POST /v1/sandboxes/{id}/rotate`; the body itself may be left out. */
export const rotateOptions = z.strictObject({
  /** Every other token of the sandbox is revoked too: those made for users and viewers, and those of visitors of pages. */
  all: z.boolean().default(false),
});

export type RotateToken = z.input<typeof rotateOptions>;

/** Body of `POST /v1/sandboxes/{id}/reset`; the body itself may be left out. */
export const resetOptions = z.strictObject({
  /** The administrator's token is replaced too, as by `POST /v1/sandboxes/{id}/rotate`. */
  rotateToken: z.boolean().default(false),
});

export type ResetSandbox = z.input<typeof resetOptions>;

/** Answer of it: the revision that the sandbox has now, and its token where it was replaced. */
export const resetAnswer = z.object({ revision: z.int(), token: z.string().optional() });

export type ResetAnswer = z.infer<typeof resetAnswer>;

/** Query of lists: pages. */
export const listQuery = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.sandboxPageMax)
    .default(limits.sandboxPage)
    .describe("Entries of a page, at most."),
  cursor: z.string().optional().describe("The `nextCursor` of the page before; absent: the first page."),
});

const labelFilter = z
  .string()
  .max(2 * limits.labelCharacters + 1)
  .regex(/^[A-Za-z0-9][-\w./]*(?:=[-\w.]*)?$/, "must be a label and its value, such as suite=smoke, or a label alone");

const labelFilters = z.preprocess(
  (given) => (typeof given === "string" ? [given] : given),
  z.array(labelFilter).min(1).max(limits.labels),
);

/** Query of `GET /v1/sandboxes`: what is not asked for is left out. */
export const sandboxListQuery = z.strictObject({
  ...listQuery.shape,
  id: z
    .string()
    .max(limits.idCharacters)
    .optional()
    .describe("The one of this id, where it is there: whoever is not sure asks so, and gets an empty list."),
  name: name.optional(),
  label: labelFilters
    .optional()
    .describe("`key=value`, or `key` with any value; where it stands several times, all must hold."),
});

/** The number of sandboxes that one request deletes. */
export const sandboxesPerDeletion = 40;

/** Query of `DELETE /v1/sandboxes`. Without a label the request is refused, so that no mistake deletes everything. */
export const sandboxDeletionQuery = z.strictObject({
  label: labelFilters.describe("`key=value`, or `key` with any value; where it stands several times, all must hold."),
});

/** Answer of `DELETE /v1/sandboxes`. */
export const sandboxDeletion = z.object({
  /** The ids of the sandboxes that this request deleted. */
  deleted: z.array(z.string()),
  /** More sandboxes have the labels: send the request again. */
  hasMore: z.boolean(),
});

export type SandboxDeletion = z.infer<typeof sandboxDeletion>;

/** Answer of `GET /v1/sandboxes`: newest first, without those that expired. */
export const sandboxList = z.object({
  sandboxes: z.array(sandbox),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type SandboxList = z.infer<typeof sandboxList>;
