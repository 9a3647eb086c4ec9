// The control API's sandboxes: `/v1/sandboxes` and the paths below it, as the edge validates them and the console sends them.
import { featureGateProblem, type GivenGates } from "../k8s/settings/feature-gates.ts";
import { type KubernetesVersion, newestVersion, supportedVersions } from "../k8s/settings/release.ts";
import { podCidrProblem, serviceCidrProblem } from "../k8s/settings/cluster-network.ts";
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { imageDefinition, imageListProblems } from "./cluster/image/image.ts";
import { oidcIssuers } from "./issuer.ts";
import { jwtAuthenticators } from "./jwt-authenticator.ts";
import { description, name, sandboxFieldMask, schemasFor } from "./sandbox-fields.ts";
import { sandboxPhases } from "./hosted/sandbox-phase.ts";

/** The admission plugins that are off by default and that a sandbox can enable. */
export const optionalPlugins = [
  "NodeRestriction",
  "AlwaysPullImages",
  "OwnerReferencesPermissionEnforcement",
  "DenyServiceExternalIPs",
] as const;

export type OptionalPlugin = (typeof optionalPlugins)[number];

/** The speed of simulated kubelets: that of real ones, instant, or a factor. */
export const kubeletSpeed = z.union([z.enum(["real", "zero"]), z.number().min(0.1).max(1000)], {
  error: "must be real, zero, or a factor from 0.1 to 1000",
});

/** The enabled controllers: all, only those of the API server, or these in addition. */
export const chosenControllers = z.union(
  [z.enum(["on", "off"]), z.array(z.string().max(limits.sandboxNameCharacters)).max(limits.chosenControllers)],
  { error: "must be on, off, or a list of names" },
);

export type ChosenControllers = z.output<typeof chosenControllers>;

/**
 * The images that exist. `any`: every well-formed name. `strict`: Docker's official images with their tags, and those of other
 * organizations unless their name looks like a typing error. A list: `strict`, the images that it defines, and every name with one of its
 * prefixes (`docker.io/my-company`).
 */
export const images = z.union(
  [
    z.enum(["strict", "any"]),
    z
      .array(
        z.union(
          [
            z
              .string()
              .max(limits.imagePrefixCharacters)
              .regex(/^[a-z0-9][a-z0-9._:/-]*$/),
            imageDefinition,
          ],
          { error: "must be the beginning of a name, or an image" },
        ),
      )
      .max(limits.imagePrefixes)
      .superRefine((list, context) => {
        for (const { path, message } of imageListProblems(list))
          context.addIssue({ code: "custom", path: [...path], message });
      }),
  ],
  { error: "must be strict, any, or a list of the beginnings of names and of images" },
);

export type Images = z.output<typeof images>;

/** The outcome of a program, script or library that an image may contain and the simulator lacks: success or failure. */
export const unknown = z.enum(["succeed", "fail"]);

export type Unknown = z.output<typeof unknown>;

/** An IPv4 range that `problemOf` accepts. */
function cidr(problemOf: (text: string) => string | undefined) {
  return z
    .string()
    .max(limits.cidrCharacters)
    .superRefine((text, context) => {
      const message = problemOf(text);
      if (message !== undefined) context.addIssue({ code: "custom", message });
    });
}

/** The feature gates as in `--feature-gates`; missing ones have their defaults. */
const featureGates = z
  .record(z.string().max(limits.featureGateCharacters), z.boolean())
  .refine(
    (gates) => Object.keys(gates).length <= limits.featureGates,
    `must have at most ${limits.featureGates} entries`,
  );

/** Checks the gates of the newest release. The object of a sandbox checks those of an older one, because it has the table. */
export function checkGates(
  { version, featureGates: gates = {} }: { version?: KubernetesVersion; featureGates?: GivenGates },
  context: z.RefinementCtx,
): void {
  if (version !== undefined && version !== newestVersion) return;
  if (Object.keys(gates).length > limits.featureGates) return;
  for (const [name, value] of Object.entries(gates)) {
    const message = featureGateProblem(name, value);
    if (message !== undefined) context.addIssue({ code: "custom", message, path: ["featureGates", name] });
  }
}

/** The minor version of Kubernetes. */
export const kubernetesVersion = z.enum(supportedVersions, { error: `must be one of ${supportedVersions.join(", ")}` });

/** The fields of `createSandbox`. */
export const creationFields = z.strictObject({
  ...schemasFor("create"),
  ttlSeconds: z
    .int()
    .min(limits.sandboxTtlSecondsMin)
    .max(limits.sandboxTtlSecondsMax)
    .default(limits.sandboxTtlSeconds),
  nodes: z.int().min(0).max(limits.sandboxNodes).default(limits.sandboxNodesDefault),
  /** The minor version of Kubernetes. */
  version: kubernetesVersion.default(newestVersion),
  /** The YAML documents that are applied at the start. */
  manifests: z.string().default(""),
  /** The id of a snapshot to restore: everything except name and lifetime comes from it. */
  snapshot: z.string().optional(),
  /** The template to restore, `name` or `name@version`, like a snapshot. */
  template: z
    .string()
    .max(limits.sandboxNameCharacters + 11)
    .optional(),
  /** The objects of another cluster in YAML or JSON, as `kubectl get -o yaml` prints them, with statuses and owners. */
  import: z.string().optional(),
  /** The speed of kubelets. Absent for the service's default. */
  kubeletSpeed: kubeletSpeed.optional(),
  /**
   * The controllers by kube-controller-manager's names, `kube-scheduler` and `kubelet`; absent for on. The client replaces disabled ones
   * itself.
   */
  controllers: chosenControllers.optional(),
  images: images.default("strict"),
  unknown: unknown.optional(),
  /**
   * True if kube-system has CoreDNS and the pods of a control plane, kube-proxy, a network and a metrics server. Absent means true, but
   * none without nodes or controllers, and only CoreDNS with more than 20 nodes, with an import, or with disabled controllers.
   */
  systemPods: z.boolean().optional(),
  /** The range of Services' addresses, an IPv4 CIDR from /12 to /28. Default: 10.96.0.0/12. */
  serviceCidr: cidr(serviceCidrProblem).optional(),
  /** The range of pods' addresses, an IPv4 CIDR of which each node receives a /24. Default: 10.244.0.0/16. */
  podCidr: cidr(podCidrProblem).optional(),
  /** The feature gates by name as in kube-apiserver's `--feature-gates`: optional ones, and any other with its default. */
  featureGates: featureGates.optional(),
  /** The admission plugins to enable in addition to the default ones. */
  admissionPlugins: z.array(z.enum(optionalPlugins)).max(optionalPlugins.length).default([]),
  /** True to accept requests without credentials as `system:anonymous`. */
  anonymousAccess: z.boolean().default(false),
  /** The issuers whose tokens the sandbox accepts in addition to its own. */
  oidcIssuers: oidcIssuers.default([]),
  /** The issuers as a structured authentication configuration, with expressions and rules. */
  jwtAuthenticators: jwtAuthenticators.default([]),
  /**
   * The delay of controllers after the last write in milliseconds, at most five times as long after the first write. With 0, they run
   * before the write is answered.
   */
  controllerDelayMs: z.int().min(0).max(limits.controllerDelayMsMax).default(limits.controllerDelayMs),
  /**
   * The seed of generated names, uids, addresses, audit ids and all chance. The same seed and the same requests give the same history.
   * Keys, certificates and tokens never follow from it. Absent: chance.
   */
  seed: z.int().min(0).max(limits.seedMax).optional(),
});

/** Body of `POST /v1/sandboxes`. The body and every field are optional. */
export const createSandbox = creationFields.superRefine(checkGates);

export type CreateSandbox = z.input<typeof createSandbox>;

/** The validated options with defaults. */
export type SandboxOptions = z.output<typeof createSandbox>;

/** The options of every new sandbox, also of one whose content comes from a state: a fork, a snapshot or a template. */
export const newSandbox = creationFields.pick({ ...sandboxFieldMask, ttlSeconds: true });

export type NewSandbox = z.output<typeof newSandbox>;

export const sandbox = z.object({
  id: z.string(),
  ...schemasFor("response"),
  phase: z
    .enum(sandboxPhases)
    .describe("Pending until all workloads have been available, then Running; Paused while the clock is paused."),
  /** The number of simulated nodes, as it was set last. */
  nodes: z.int(),
  /** The Kubernetes version of the control plane. Nodes follow it after an upgrade. */
  version: kubernetesVersion,
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The URL for kubectl, with https if a certificate is available. */
  server: z.url(),
});

export type Sandbox = z.infer<typeof sandbox>;

/** An object of another cluster that was not imported, or was changed. */
export const notImported = z.object({
  kind: z.string(),
  /** The namespace, or "" for cluster-scoped objects. */
  namespace: z.string(),
  name: z.string(),
  reason: z.string(),
});

export type NotImported = z.infer<typeof notImported>;

/** A workload that is not fully available. */
export const notReady = z.object({ kind: z.string(), namespace: z.string(), name: z.string(), reason: z.string() });

export type NotReady = z.infer<typeof notReady>;

/** Response of `POST /v1/sandboxes` (201) and `GET /v1/sandboxes/{id}`; as `application/yaml` it is the kubeconfig. */
export const sandboxWithToken = sandbox.extend({
  /** The cluster's admin token. */
  token: z.string(),
  /** The PEM of the authority that signed the server's certificate. Absent for a public one. */
  ca: z.string().optional(),
  /** The objects of an `import` that were not imported, or were changed. */
  notImported: z.array(notImported).optional(),
  /** The number of such objects. Present if `notImported` lists only the first ones. */
  notImportedCount: z.int().optional(),
  /** The tokens of a template's users. */
  users: z.array(z.object({ user: z.string(), groups: z.array(z.string()), token: z.string() })).optional(),
  /** The workloads that were not available in time, if `wait` was requested. */
  notReady: z.array(notReady).optional(),
});

export type SandboxWithToken = z.infer<typeof sandboxWithToken>;

/** A sandbox that is read or changed. The token is present if the caller has the scope `sandboxes:connect`. */
export const shownSandbox = sandboxWithToken.partial({ token: true });

export type ShownSandbox = z.infer<typeof shownSandbox>;

/** Query of `POST /v1/sandboxes`. */
export const createQuery = z.strictObject({
  wait: z
    .literal("ready")
    .optional()
    .describe("The answer comes when all workloads are available, or after `waitSeconds`."),
  waitSeconds: z.coerce.number().int().min(1).max(limits.waitSecondsMax).default(limits.waitSeconds),
  name: name.optional().describe("Where the body is YAML or a file; else it stands in the body, as the next three."),
  description: description.optional(),
  ttlSeconds: z.coerce.number().int().min(limits.sandboxTtlSecondsMin).max(limits.sandboxTtlSecondsMax).optional(),
  nodes: z.coerce.number().int().min(0).max(limits.sandboxNodes).optional(),
  settings: z
    .string()
    .max(limits.importSettingsCharacters)
    .optional()
    .describe("Where the body is YAML: the fields that the query lacks, as JSON, but no further content."),
  version: kubernetesVersion.optional(),
});

/** The fields in the parameter `settings` of `createQuery`. */
export const importSettings = creationFields
  .omit({ import: true, manifests: true, snapshot: true, template: true })
  .partial()
  .superRefine(checkGates);

/** Body of `PATCH /v1/sandboxes/{id}`: the fields to change. */
export const patchSandbox = z
  .strictObject({
    ...schemasFor("change"),
    /** The lifetime from now on, instead of `expiresAt`. */
    ttlSeconds: z.int().min(limits.sandboxTtlSecondsMin).max(limits.sandboxTtlSecondsMax).optional(),
    expiresAt: z.iso.datetime().optional(),
    /** The number of simulated nodes: new ones join, and those with the highest numbers are deleted with their pods. */
    nodes: z.int().min(0).max(limits.sandboxNodes).optional(),
    /** The next minor version of Kubernetes: the control plane is upgraded, then each node. */
    version: kubernetesVersion.optional(),
  })
  .refine((changes) => changes.ttlSeconds === undefined || changes.expiresAt === undefined, {
    error: "give ttlSeconds or expiresAt, not both",
    path: ["expiresAt"],
  });

export type PatchSandbox = z.input<typeof patchSandbox>;

/** Optional body of `POST /v1/sandboxes/{id}/rotate`. */
export const rotateOptions = z.strictObject({
  /** True to revoke every other token too: those of users, viewers, and visitors of pages. */
  all: z.boolean().default(false),
});

export type RotateToken = z.input<typeof rotateOptions>;

/** Optional body of `POST /v1/sandboxes/{id}/reset`. */
export const resetOptions = z.strictObject({
  /** True to replace the administrator's token too, as `POST /v1/sandboxes/{id}/rotate` does. */
  rotateToken: z.boolean().default(false),
});

/** Response of `POST /v1/sandboxes/{id}/reset`: the new revision, and the token if it was replaced. */
export const resetAnswer = z.object({ revision: z.int(), token: z.string().optional() });

/** Query of paged lists. */
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
  (value) => (typeof value === "string" ? [value] : value),
  z.array(labelFilter).min(1).max(limits.labels),
);

/** Query of `GET /v1/sandboxes`, which filters the list. */
export const sandboxListQuery = z.strictObject({
  ...listQuery.shape,
  id: z
    .string()
    .max(limits.idCharacters)
    .optional()
    .describe("The one of this id, where it is there: whoever is not sure asks so, and gets an empty list."),
  name: name.optional(),
  sort: z
    .enum(["createdAt", "-createdAt"])
    .default("-createdAt")
    .describe("`-createdAt`: the newest first; `createdAt`: the oldest first."),
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

/** Response of `DELETE /v1/sandboxes`. */
export const sandboxDeletion = z.object({
  /** The ids of the sandboxes that this request deleted. */
  deleted: z.array(z.string()),
  /** True if more sandboxes match: send the request again. */
  hasMore: z.boolean(),
});

export type SandboxDeletion = z.infer<typeof sandboxDeletion>;

/** A sandbox in a list, with where it comes from. */
export const listedSandbox = sandbox.extend({
  /** The name of the person or key that created it. Empty for learners and visitors, and if that person or key is gone. */
  owner: z.string(),
  /** The lesson for whose learner it was created. `class` is the title of the class, or empty. */
  lesson: z.object({ name: z.string(), learner: z.string(), class: z.string() }).optional(),
});

export type ListedSandbox = z.infer<typeof listedSandbox>;

/** Response of `GET /v1/sandboxes`: the newest first, without expired ones. */
export const sandboxList = z.object({
  sandboxes: z.array(listedSandbox),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type SandboxList = z.infer<typeof sandboxList>;
