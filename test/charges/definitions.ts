// Requests that create policies, definitions and large built-in objects, and writes that webhooks answer.
import type { Group, Request } from "./control-plane.ts";

const core = "/api/v1/namespaces/default";
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const post = (name: string, path: string, body: object): Request => ({
  name,
  method: "POST",
  path: `${path}?dryRun=All`,
  body,
});

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const matchConstraints = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
};

function policy(name: string, variables: readonly string[], validations: readonly string[]): Request {
  const spec = {
    matchConstraints,
    variables: variables.map((expression, at) => ({ name: `v${at}`, expression })),
    validations: validations.map((expression) => ({ expression })),
  };
  const apiVersion = "admissionregistration.k8s.io/v1";
  return post(`policy of ${name}`, policies, {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec,
  });
}

const sum = (count: number) =>
  upTo(count)
    .map((at) => `size(object.metadata.name) > ${at}`)
    .join(" && ");
const chained = (count: number) =>
  upTo(count).map((at) => (at === 0 ? "object.metadata.name.size()" : `variables.v${at - 1} + ${at}`));

const createdPolicies: readonly Request[] = [
  ...[1, 30, 200, 1_000].map((count) => policy(`${count} terms`, [], [sum(count)])),
  ...[10, 100, 400].map((count) =>
    policy(
      `${count} validations`,
      [],
      upTo(count).map((at) => `object.metadata.name != 'a${at}'`),
    ),
  ),
  ...[10, 100, 400].map((count) => policy(`${count} variables`, chained(count), ["true"])),
  policy("nested loops", [], [`${"object.data.all(a, ".repeat(8)}true${")".repeat(8)}`]),
  policy("brackets", [], [`${"(".repeat(200)}true${")".repeat(200)}`]),
  policy(
    "a long list",
    [],
    [
      `object.metadata.name in [${upTo(2_000)
        .map((at) => `'n${at}'`)
        .join(", ")}]`,
    ],
  ),
  policy("a text", [], [`object.metadata.name != '${"x".repeat(10_000)}'`]),
  policy(
    "patterns",
    [],
    upTo(30).map((at) => `object.metadata.name.matches('^(a|b)*c{${at}}$')`),
  ),
  policy(
    "mistakes",
    [],
    upTo(100).map((at) => `object.metadata.name + ${at}`),
  ),
];

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function definition(name: string, spec: object): Request {
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  return post(`definition with ${name}`, definitions, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
}

const integers = (count: number) =>
  Object.fromEntries(upTo(count).map((at) => [`f${at}`, { type: "integer", description: "A number." }]));
const rules = (count: number, rule: (at: number) => string) =>
  upTo(count).map((at) => ({ rule: rule(at), message: "no" }));

const createdDefinitions: readonly Request[] = [
  ...[10, 300, 2_000].map((count) => definition(`${count} fields`, { type: "object", properties: integers(count) })),
  ...[10, 100, 500].map((count) =>
    definition(`${count} rules`, {
      type: "object",
      properties: integers(20),
      "x-kubernetes-validations": rules(count, (at) => `!has(self.f0) || self.f0 != ${at}`),
    }),
  ),
  ...[10, 100, 300].map((count) =>
    definition(`${count} patterns`, {
      type: "object",
      properties: Object.fromEntries(
        upTo(count).map((at) => [`f${at}`, { type: "string", pattern: `^(a|b)*c{${at % 50}}$` }]),
      ),
    }),
  ),
  ...[10, 100, 300].map((count) =>
    definition(`${count} defaults`, {
      type: "object",
      properties: Object.fromEntries(upTo(count).map((at) => [`f${at}`, { type: "string", default: "x".repeat(20) }])),
    }),
  ),
  ...[500, 1_000, 2_000].map((count) =>
    definition(`a rule of ${count} terms`, {
      type: "object",
      properties: integers(1),
      "x-kubernetes-validations": [
        {
          rule: upTo(count)
            .map((at) => `self.f0 != ${at}`)
            .join(" && "),
        },
      ],
    }),
  ),
  definition(
    "schemas in schemas",
    upTo(60).reduce<object>((inner) => ({ type: "object", properties: { a: inner } }), { type: "string" }),
  ),
];

const podSpec = (count: number) => ({
  containers: upTo(count).map((at) => ({
    name: `c${at}`,
    image: "app",
    env: upTo(10).map((e) => ({ name: `E${e}`, value: "v" })),
    resources: { requests: { cpu: "10m", memory: "1Mi" } },
    volumeMounts: [{ name: "v0", mountPath: `/m${at}` }],
  })),
  volumes: upTo(count).map((at) => ({ name: `v${at}`, emptyDir: {} })),
  tolerations: upTo(count).map((at) => ({ key: `k${at}`, operator: "Exists" })),
});
const pod = (count: number) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: podSpec(count) });
const apps = "/apis/apps/v1/namespaces/default";
const rbac = "/apis/rbac.authorization.k8s.io/v1";

const builtIn: readonly Request[] = [
  ...[1, 30, 100, 300].map((count) => post(`pod of ${count} containers`, `${core}/pods`, pod(count))),
  ...[1, 100, 300].map((count) =>
    post(`deployment of ${count} containers`, `${apps}/deployments`, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: podSpec(count) },
      },
    }),
  ),
  ...[10, 1_000, 3_000].map((count) =>
    post(`role of ${count} rules`, `${rbac}/clusterroles`, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: upTo(count).map((at) => ({ apiGroups: [""], resources: [`r${at}`], verbs: ["get", "list"] })),
    }),
  ),
  ...[10, 300, 1_000].map((count) =>
    post(`network policy of ${count} peers`, "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", {
      apiVersion: "networking.k8s.io/v1",
      kind: "NetworkPolicy",
      metadata: { name: "n" },
      spec: {
        podSelector: {},
        ingress: upTo(count).map((at) => ({
          from: [{ ipBlock: { cidr: `10.${at >> 8}.${at & 255}.0/24` } }],
          ports: [{ port: 80 }],
        })),
      },
    }),
  ),
  ...[10, 300, 1_000].map((count) =>
    post(`service of ${count} ports`, `${core}/services`, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: { ports: upTo(count).map((at) => ({ name: `p${at}`, port: at + 1 })) },
    }),
  ),
  ...[100, 1_000].map((count) =>
    post(`endpoint slice of ${count} endpoints`, "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "e" },
      addressType: "IPv4",
      endpoints: upTo(count).map((at) => ({ addresses: [`10.0.${at >> 8}.${at & 255}`] })),
      ports: [{ port: 80 }],
    }),
  ),
  ...[100, 3_000].map((count) =>
    post(`ingress of ${count} paths`, "/apis/networking.k8s.io/v1/namespaces/default/ingresses", {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: "i" },
      spec: {
        rules: [
          {
            http: {
              paths: upTo(count).map((at) => ({
                path: `/p${at}`,
                pathType: "Prefix",
                backend: { service: { name: "s", port: { number: 80 } } },
              })),
            },
          },
        ],
      },
    }),
  ),
];

/** JSON patches that a webhook answers with, by the name of the object. */
const patches: Readonly<Record<string, readonly object[]>> = {
  nothing: [],
  "one-label": [{ op: "add", path: "/metadata/labels", value: { a: "b" } }],
  "1000-keys": upTo(1_000).map((at) => ({ op: "add", path: `/data/x${at}`, value: "v" })),
  "9000-keys": upTo(9_000).map((at) => ({ op: "add", path: `/data/x${at}`, value: "v" })),
  "9000-replacements": upTo(9_000).map((at) => ({ op: "replace", path: "/data/a", value: `v${at}` })),
  "a-long-text": [{ op: "add", path: "/data/x", value: "x".repeat(900_000) }],
};

const webhooks: Group = {
  name: "webhook's answer",
  setUp: async (send) => {
    await send("POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "MutatingWebhookConfiguration",
        metadata: { name: "w" },
        webhooks: [
          {
            name: "w.example.com",
            clientConfig: { url: "https://example.com/w" },
            rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
          },
        ],
      },
    });
  },
  answer: async (call) => {
    const { request } = JSON.parse(call.body) as { request: { uid: string; name: string } };
    const patch = btoa(JSON.stringify(patches[request.name] ?? []));
    const response = { uid: request.uid, allowed: true, patchType: "JSONPatch", patch };
    const body = JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
    return { ok: true, status: 200, body, contentType: "application/json" };
  },
  requests: Object.keys(patches).map((name) =>
    post(name, `${core}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } }),
  ),
};

const nothing = async () => {};

export const newGroups: readonly Group[] = [
  { name: "creation", setUp: nothing, requests: [...createdPolicies, ...createdDefinitions] },
  { name: "built-in kind", setUp: nothing, requests: builtIn },
  webhooks,
];
