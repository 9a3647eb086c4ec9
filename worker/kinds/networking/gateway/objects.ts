// Schemas of Gateway API objects. Users install their definitions, so each object is validated by a schema of this project.
import * as z from "zod";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";

export const gatewayGroup = "gateway.networking.k8s.io";
export const gatewayVersion = `${gatewayGroup}/v1`;
/** The versions of ReferenceGrants, newest first. */
export const grantVersions = [gatewayVersion, `${gatewayGroup}/v1beta1`] as const;
/** The class that the sandbox creates if the kind exists, and its controller. */
export const ownClass = "sandbar";
export const ownController = "sandbar.dev/gateway-controller";
/** The label of a gateway's pods and Service. */
export const gatewayLabel = `${gatewayGroup}/gateway-name`;

/** The controllers that the sandbox replaces. */
const servedControllers = new Set([
  ownController,
  "gateway.envoyproxy.io/gatewayclass-controller",
  "gateway.nginx.org/nginx-gateway-controller",
  "io.cilium/gateway-controller",
  "istio.io/gateway-controller",
  "k8s.io/cloud-provider-kind",
  "konghq.com/kic-gateway-controller",
  "projectcontour.io/gateway-controller",
  "traefik.io/gateway-controller",
]);

export function isServedController(name: string): boolean {
  return servedControllers.has(name);
}

/** The maximum lengths of lists in upstream's definitions. Longer lists, which modified definitions could allow, are not served. */
const longest = {
  listeners: 64,
  certificateRefs: 64,
  kinds: 8,
  parentRefs: 32,
  hostnames: 16,
  rules: 16,
  matches: 64,
  filters: 16,
  backendRefs: 16,
  headers: 16,
  grants: 16,
} as const;

const text = z.string();
const number = z.number();
const list = <Item extends z.ZodType>(item: Item, of: keyof typeof longest) => z.array(item).max(longest[of]);
const header = z.object({ name: text, value: text });
const headerMatch = header.extend({ type: text.default("Exact") });
const objectReference = z.object({
  group: text.default(""),
  kind: text.default("Service"),
  name: text,
  namespace: text.optional(),
  port: number.optional(),
});
const headerModifier = z.object({
  set: list(header, "headers").default([]),
  add: list(header, "headers").default([]),
  remove: list(text, "headers").default([]),
});
const pathModifier = z.object({
  type: text,
  replaceFullPath: text.optional(),
  replacePrefixMatch: text.optional(),
});
const filter = z.object({
  type: text,
  requestHeaderModifier: headerModifier.optional(),
  responseHeaderModifier: headerModifier.optional(),
  requestRedirect: z
    .object({
      scheme: text.optional(),
      hostname: text.optional(),
      path: pathModifier.optional(),
      port: number.optional(),
      statusCode: number.default(302),
    })
    .optional(),
  urlRewrite: z.object({ hostname: text.optional(), path: pathModifier.optional() }).optional(),
});
const match = z.object({
  path: z
    .object({ type: text.default("PathPrefix"), value: text.default("/") })
    .default({ type: "PathPrefix", value: "/" }),
  headers: list(headerMatch, "headers").default([]),
  queryParams: list(headerMatch, "headers").default([]),
  method: text.optional(),
});
const backend = objectReference.extend({ weight: number.default(1), filters: list(filter, "filters").default([]) });
const rule = z.object({
  matches: list(match, "matches").default([]),
  filters: list(filter, "filters").default([]),
  backendRefs: list(backend, "backendRefs").default([]),
});
const parentReference = z.object({
  group: text.default(gatewayGroup),
  kind: text.default("Gateway"),
  namespace: text.optional(),
  name: text,
  sectionName: text.optional(),
  port: number.optional(),
});
const labelSelector = z.object({
  matchLabels: z.record(text, text).optional(),
  matchExpressions: z
    .array(
      z.object({
        key: text,
        operator: z.enum(["In", "NotIn", "Exists", "DoesNotExist"]),
        values: z.array(text).optional(),
      }),
    )
    .optional(),
});
const listener = z.object({
  name: text,
  hostname: text.default(""),
  port: number,
  protocol: text,
  tls: z
    .object({
      mode: text.default("Terminate"),
      certificateRefs: list(objectReference.extend({ kind: text.default("Secret") }), "certificateRefs").default([]),
    })
    .optional(),
  allowedRoutes: z
    .object({
      namespaces: z
        .object({ from: text.default("Same"), selector: labelSelector.optional() })
        .default({ from: "Same" }),
      kinds: list(z.object({ group: text.default(gatewayGroup), kind: text }), "kinds").default([]),
    })
    .default({ namespaces: { from: "Same" }, kinds: [] }),
});

const classSpec = z.object({ controllerName: text });
const gatewaySpec = z.object({ gatewayClassName: text, listeners: list(listener, "listeners") });
const routeSpec = z.object({
  parentRefs: list(parentReference, "parentRefs").default([]),
  hostnames: list(text, "hostnames").default([]),
  rules: list(rule, "rules").default([]),
});
const grantSpec = z.object({
  from: list(z.object({ group: text, kind: text, namespace: text }), "grants"),
  to: list(z.object({ group: text, kind: text, name: text.optional() }), "grants"),
});

export type Listener = z.infer<typeof listener>;
export type GatewaySpec = z.infer<typeof gatewaySpec>;
export type RouteSpec = z.infer<typeof routeSpec>;
export type RouteRule = z.infer<typeof rule>;
export type RouteMatch = z.infer<typeof match>;
export type RouteFilter = z.infer<typeof filter>;
export type RouteBackend = z.infer<typeof backend>;
export type ParentReference = z.infer<typeof parentReference>;
export type ReferenceGrantSpec = z.infer<typeof grantSpec>;

/** An object with the fields that its schema accepts. Undefined if the object is invalid. */
export interface Read<Spec> {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Spec;
}

function reader<Spec>(schema: z.ZodType<Spec>) {
  return (object: KubeObject | undefined): Read<Spec> | undefined => {
    const parsed = object && schema.safeParse((object as { readonly spec?: unknown }).spec);
    if (!parsed?.success) return undefined;
    const { namespace = "", name = "" } = object?.metadata ?? {};
    return object && { object, namespace, name, spec: parsed.data };
  };
}

export const readClass = reader(classSpec);
export const readGateway = reader(gatewaySpec);
export const readRoute = reader(routeSpec);
export const readGrant = reader(grantSpec);
