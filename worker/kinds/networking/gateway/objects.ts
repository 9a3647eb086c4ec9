// Objects of the Gateway API, as far as the sandbox serves them: their definitions come from users, so each is read by a schema of our own.
import { z } from "zod";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";

export const gatewayGroup = "gateway.networking.k8s.io";
export const gatewayVersion = `${gatewayGroup}/v1`;
/** In which grants are found, the newer first. */
export const grantVersions = [gatewayVersion, `${gatewayGroup}/v1beta1`] as const;
/** The class that the sandbox makes where there is the kind, and its controller. */
export const ownClass = "sandbar";
export const ownController = "sandbar.dev/gateway-controller";
/** Of a gateway's pods and its Service. */
export const gatewayLabel = `${gatewayGroup}/gateway-name`;

/** Controllers in whose place the sandbox stands. */
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

const text = z.string();
const number = z.number();
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
  set: z.array(header).default([]),
  add: z.array(header).default([]),
  remove: z.array(text).default([]),
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
  headers: z.array(headerMatch).default([]),
  queryParams: z.array(headerMatch).default([]),
  method: text.optional(),
});
const backend = objectReference.extend({ weight: number.default(1), filters: z.array(filter).default([]) });
const rule = z.object({
  matches: z.array(match).default([]),
  filters: z.array(filter).default([]),
  backendRefs: z.array(backend).default([]),
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
      certificateRefs: z.array(objectReference.extend({ kind: text.default("Secret") })).default([]),
    })
    .optional(),
  allowedRoutes: z
    .object({
      namespaces: z
        .object({ from: text.default("Same"), selector: labelSelector.optional() })
        .default({ from: "Same" }),
      kinds: z.array(z.object({ group: text.default(gatewayGroup), kind: text })).default([]),
    })
    .default({ namespaces: { from: "Same" }, kinds: [] }),
});

const classSpec = z.object({ controllerName: text });
const gatewaySpec = z.object({ gatewayClassName: text, listeners: z.array(listener) });
const routeSpec = z.object({
  parentRefs: z.array(parentReference).default([]),
  hostnames: z.array(text).default([]),
  rules: z.array(rule).default([]),
});
const grantSpec = z.object({
  from: z.array(z.object({ group: text, kind: text, namespace: text })),
  to: z.array(z.object({ group: text, kind: text, name: text.optional() })),
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

/** One with what its schema lets through; undefined is an object that says something else. */
export interface Read<Spec> {
  readonly object: KubeObject;
  readonly namespace: string;
  readonly name: string;
  readonly spec: Spec;
}

function reader<Spec>(schema: z.ZodType<Spec>) {
  return (object: KubeObject | undefined): Read<Spec> | undefined => {
    const found = object && schema.safeParse((object as { readonly spec?: unknown }).spec);
    if (!found?.success) return undefined;
    const { namespace = "", name = "" } = object?.metadata ?? {};
    return object && { object, namespace, name, spec: found.data };
  };
}

export const readClass = reader(classSpec);
export const readGateway = reader(gatewaySpec);
export const readRoute = reader(routeSpec);
export const readGrant = reader(grantSpec);
