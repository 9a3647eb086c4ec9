// The control API's templates: `/v1/templates`. A template has a name and versions, which never change; a sandbox of one begins as it says.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { nodeSpecs } from "./node-spec.ts";
import { createSandbox, name } from "./sandbox.ts";

const text = z.string().max(limits.templateTextCharacters);
const kubernetesName = z
  .string()
  .max(limits.userNameCharacters)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, "must be a name of Kubernetes");

/** Who gets a token of a sandbox of it, and what RBAC lets him do. */
export const templateUser = z.strictObject({
  user: z.string().min(1).max(limits.userNameCharacters),
  groups: z.array(z.string().max(limits.userNameCharacters)).max(limits.tokenGroups).default([]),
  /** A ClusterRole; absent: he may do nothing that his groups may not. */
  role: kubernetesName.optional(),
  /** The role holds there alone; absent: everywhere. */
  namespace: kubernetesName.optional(),
});

export type TemplateUser = z.output<typeof templateUser>;

const workload = z.strictObject({
  kind: z.enum(["Deployment", "StatefulSet", "DaemonSet"]).default("Deployment"),
  namespace: kubernetesName.default("default"),
  name: kubernetesName,
});

/** A path of the Kubernetes API: `/apis/apps/v1/namespaces/shop/deployments/web`. */
const path = z
  .string()
  .max(limits.templateTextCharacters)
  .regex(/^\/apis?\/[-\w./]+$/, "must be a path of the Kubernetes API");

/** What is wrong from the beginning: done to what runs, once it runs. */
export const incident = z.discriminatedUnion("type", [
  /** A new revision whose image cannot be pulled. */
  z.strictObject({
    type: z.literal("bad_image"),
    ...workload.shape,
    image: text.default("registry.example.com/does-not-exist:1"),
  }),
  /** A new revision whose first container ends as soon as it starts. */
  z.strictObject({ type: z.literal("crash_loop"), ...workload.shape }),
  z.strictObject({
    type: z.literal("scaled"),
    ...workload.shape,
    kind: z.enum(["Deployment", "StatefulSet"]).default("Deployment"),
    replicas: z.int().min(0).max(1000),
  }),
  /** Nothing is placed there any more. */
  z.strictObject({ type: z.literal("cordoned_node"), node: kubernetesName }),
  z.strictObject({ type: z.literal("deleted"), path }),
  /** Any change, as a JSON merge patch. */
  z.strictObject({ type: z.literal("patch"), path, patch: z.record(z.string(), z.unknown()) }),
]);

export type Incident = z.output<typeof incident>;

/** What of a sandbox's settings a version says. */
export const templateSettings = createSandbox.pick({
  kubeletSpeed: true,
  controllers: true,
  images: true,
  unknown: true,
  systemPods: true,
  admissionPlugins: true,
  serviceCidr: true,
  podCidr: true,
  featureGates: true,
  anonymousAccess: true,
  oidcIssuers: true,
  jwtAuthenticators: true,
  controllerDelayMs: true,
});

/** What a version consists of. */
export const templateParts = z.strictObject({
  /** How many, or each with its labels, taints and capacity. */
  nodes: z
    .union([z.int().min(0).max(limits.sandboxNodes), nodeSpecs], { error: "must be a number, or a list of nodes" })
    .default(limits.sandboxNodesDefault),
  manifests: z.string().max(limits.templateCharacters).default(""),
  users: z.array(templateUser).max(limits.templateUsers).default([]),
  incidents: z.array(incident).max(limits.templateIncidents).default([]),
  ...templateSettings.shape,
});

export type TemplateParts = z.output<typeof templateParts>;

/** Body of `POST /v1/templates`: of its parts, or of a sandbox as it is, or of a snapshot. */
export const createTemplate = z
  .strictObject({
    name,
    description: text.default(""),
    ...templateParts.shape,
    /** The id of a sandbox: everything but users comes from there. */
    sandbox: z.string().optional(),
    /** The id of a snapshot: the same. */
    snapshot: z.string().optional(),
  })
  .refine((given) => given.sandbox === undefined || given.snapshot === undefined, {
    error: "give a sandbox or a snapshot, not both",
    path: ["snapshot"],
  });

export type CreateTemplate = z.input<typeof createTemplate>;

export const template = z.object({
  name: z.string(),
  version: z.int(),
  /** By which a sandbox is made of this very version: `name@version`. */
  ref: z.string(),
  description: z.string(),
  /** Everybody has it; it cannot be changed or deleted. */
  builtIn: z.boolean(),
  nodes: z.int(),
  users: z.array(z.string()),
  incidents: z.int(),
  /** Of its state, which is a file; 0 for those that are built in. */
  objects: z.int(),
  bytes: z.int(),
  /** Absent for those that are built in. */
  createdAt: z.iso.datetime().optional(),
});

export type Template = z.infer<typeof template>;

/** Answer of `GET /v1/templates/{template}`. */
export const templateWithParts = template.extend({ parts: z.looseObject({}) });

export type TemplateWithParts = z.infer<typeof templateWithParts>;

/** Query of `GET /v1/templates`. */
export const templateQuery = z.strictObject({
  name: name.optional().describe("All versions of the template of that name; absent: the newest of each."),
});

/** Answer of it: those of the tenant by their names, then those that are built in. */
export const templateList = z.object({ templates: z.array(template) });

export type TemplateList = z.infer<typeof templateList>;
