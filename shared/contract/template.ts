// The control API's templates: `/v1/templates`. A template has a name and immutable versions, from which sandboxes are created.
import * as z from "zod";
import { limits } from "../base/limits.ts";
import { nodeSpecs } from "./node-spec.ts";
import { creationFields } from "./sandbox.ts";
import { name } from "./sandbox-fields.ts";
import { nextCursor } from "./hosted/list.ts";

const text = z.string().max(limits.templateTextCharacters);
const kubernetesName = z
  .string()
  .max(limits.userNameCharacters)
  .regex(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/, "must be a name of Kubernetes");

/** A user of the template's sandboxes, who receives a token and RBAC permissions. */
export const templateUser = z.strictObject({
  user: z.string().min(1).max(limits.userNameCharacters),
  groups: z.array(z.string().max(limits.userNameCharacters)).max(limits.tokenGroups).default([]),
  /** A ClusterRole. Absent for only the permissions of the groups. */
  role: kubernetesName.optional(),
  /** The namespace of the role. Absent for a cluster-wide binding. */
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

/** A fault of the template, which is injected after the workloads run. */
export const incident = z.discriminatedUnion("type", [
  /** A new revision whose image cannot be pulled. */
  z.strictObject({
    type: z.literal("bad_image"),
    ...workload.shape,
    image: text.default("registry.example.com/does-not-exist:1"),
  }),
  /** A new revision whose first container exits immediately. */
  z.strictObject({ type: z.literal("crash_loop"), ...workload.shape }),
  z.strictObject({
    type: z.literal("scaled"),
    ...workload.shape,
    kind: z.enum(["Deployment", "StatefulSet"]).default("Deployment"),
    replicas: z.int().min(0).max(1000),
  }),
  /** A node that accepts no more pods. */
  z.strictObject({ type: z.literal("cordoned_node"), node: kubernetesName }),
  z.strictObject({ type: z.literal("deleted"), path }),
  /** Any change as a JSON merge patch. */
  z.strictObject({ type: z.literal("patch"), path, patch: z.record(z.string(), z.unknown()) }),
]);

export type Incident = z.output<typeof incident>;

/** The sandbox settings that a version defines. */
export const templateSettings = creationFields.pick({
  version: true,
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

/** The content of a version. */
export const templateParts = z.strictObject({
  /** The number of nodes, or a list with labels, taints and capacity. */
  nodes: z
    .union([z.int().min(0).max(limits.sandboxNodes), nodeSpecs], { error: "must be a number, or a list of nodes" })
    .default(limits.sandboxNodesDefault),
  manifests: z.string().max(limits.templateCharacters).default(""),
  users: z.array(templateUser).max(limits.templateUsers).default([]),
  incidents: z.array(incident).max(limits.templateIncidents).default([]),
  ...templateSettings.shape,
});

export type TemplateParts = z.output<typeof templateParts>;

/** Body of `POST /v1/templates`: the content, or the current state of a sandbox, or a snapshot. */
export const createTemplate = z
  .strictObject({
    name,
    description: text.default(""),
    ...templateParts.shape,
    /** The id of a sandbox, which defines everything except users. */
    sandbox: z.string().optional(),
    /** The id of a snapshot, which defines everything except users. */
    snapshot: z.string().optional(),
  })
  .refine((source) => source.sandbox === undefined || source.snapshot === undefined, {
    error: "give a sandbox or a snapshot, not both",
    path: ["snapshot"],
  });

export type CreateTemplate = z.input<typeof createTemplate>;

export const template = z.object({
  name: z.string(),
  version: z.int(),
  /** The reference to this version: `name@version`. */
  ref: z.string(),
  description: z.string(),
  /** True for built-in templates, which every tenant has and nobody can change. */
  builtIn: z.boolean(),
  nodes: z.int(),
  users: z.array(z.string()),
  incidents: z.int(),
  /** The number of objects in its state; 0 for built-in templates. */
  objects: z.int(),
  /** The bytes of its state file; 0 for built-in templates. */
  bytes: z.int(),
  /** The time of creation. Absent for built-in templates. */
  createdAt: z.iso.datetime().optional(),
});

export type Template = z.infer<typeof template>;

/** Response of `GET /v1/templates/{template}`. */
export const templateWithParts = template.extend({ parts: z.looseObject({}) });

export type TemplateWithParts = z.infer<typeof templateWithParts>;

/** Query of `GET /v1/templates`. */
export const templateQuery = z.strictObject({
  name: name.optional().describe("All versions of the template of that name; absent: the newest of each."),
});

/** Response of `GET /v1/templates`: the tenant's templates by name, then the built-in ones. */
export const templateList = z.object({ templates: z.array(template), nextCursor });

export type TemplateList = z.infer<typeof templateList>;
