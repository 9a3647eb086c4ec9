// Turns of requests to the Kubernetes API: tables, rules, policies, selectors, patches, server-side apply and YAML that a tenant sends.
import { must } from "../../shared/base/assert.ts";
import { handle } from "../../worker/api/handler.ts";
import { core, newServer, requestOf, type Ask, type TestServer } from "../api/server.ts";
import type { TestClusterOptions } from "../cluster.ts";
import { newGroups } from "./definitions.ts";
import type { Turn } from "./verdict.ts";

/** A request with its name in reports. */
export interface Request extends Ask {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
}

/** Requests to one cluster, after its preparation. */
export interface Group {
  readonly name: string;
  setUp(send: Send): Promise<void>;
  /** Answers of webhooks. */
  readonly answer?: TestClusterOptions["answer"];
  readonly requests: readonly Request[];
}

type Send = (method: string, path: string, ask?: Ask) => Promise<void>;

/** Numbers from 0. */
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const widgets = "/apis/example.com/v1/namespaces/default/widgets";
const dryRun = "?dryRun=All";
const nothing = async () => {};

function definition(schema: object, columns: readonly object[] = [], group = "example.com"): Ask {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    additionalPrinterColumns: columns,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
  };
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  const spec = { group, scope: "Namespaced", names, versions: [version] };
  return {
    body: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `widgets.${group}` },
      spec,
    },
  };
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function widget(name: string, spec: unknown, group = "example.com"): Ask {
  return { body: { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name }, spec } };
}

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const asTable = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };

/** Each column's path is the data; the group lists objects with long lists as a Table. */
function tableOf(name: string, paths: readonly string[], objects: number, entries: number): Group {
  const columns = paths.map((jsonPath, at) => ({ name: `c${at}`, type: "string", jsonPath }));
  const l = upTo(entries).map((at) => ({ a: String(at), b: at, c: { d: at } }));
  return {
    name: `printer columns: ${name}`,
    setUp: async (send) => {
      await send("POST", definitions, definition(anything, columns));
      for (const at of upTo(objects)) await send("POST", widgets, widget(`w${at}`, { l, m: { x: { y: at } } }));
    },
    requests: [
      { name: "list", path: widgets, ...asTable },
      { name: "get", path: `${widgets}/w0`, ...asTable },
      { name: "page", path: `${widgets}?limit=3`, ...asTable },
      { name: "all namespaces", path: "/apis/example.com/v1/widgets", ...asTable },
    ],
  };
}

const tables: readonly Group[] = [
  tableOf(
    "60 filters over 10 objects",
    upTo(60).map((at) => `.spec.l[?(@.a=="${7_000 + at}")].b`),
    40,
    8_000,
  ),
  tableOf(
    "60 filters over 2 objects",
    upTo(60).map((at) => `.spec.l[?(@.a=="${7_000 + at}")].b`),
    2,
    8_000,
  ),
  tableOf("a filter", ['.spec.l[?(@.a=="5")].b'], 40, 200),
  tableOf(
    "filters that find all",
    upTo(10).map(() => ".spec.l[?(@.b>=0)].b"),
    5,
    5_000,
  ),
  tableOf(
    "wildcards",
    upTo(20).map(() => ".spec.l[*].c.d"),
    5,
    5_000,
  ),
  tableOf(
    "recursion",
    upTo(10).map(() => "..d"),
    5,
    5_000,
  ),
  tableOf(
    "indices",
    upTo(60).map((at) => `.spec.l[${at}].c.d`),
    40,
    100,
  ),
  tableOf(
    "slices",
    upTo(20).map((at) => `.spec.l[${at}:4000].b`),
    5,
    5_000,
  ),
  tableOf("fields", [".spec.m.x.y", ".metadata.creationTimestamp"], 40, 10),
];

/** Rules of a schema, and the size of the list that they go over. */
const rules: readonly string[] = [
  "self.l.all(x, x >= 0)",
  "self.l.exists(x, x < 0) == false",
  "self.l.map(x, x + 1).size() > 0",
  "self.l.filter(x, x % 2 == 0).size() >= 0",
  "self.l.all(x, self.l.exists(y, y == x))",
  "self.l.exists_one(x, x == 5) || true",
  "self.l.sum() >= 0",
  "self.l.max() >= 0",
  "self.l.isSorted()",
  "self.l.indexOf(5) >= 0 || true",
  "size(self.l) < 100000",
  "5 in self.l || true",
  "self.s.matches('^(a+)+$')",
  "self.s.matches('a*b') == false",
  "self.s.contains('b') == false",
  "self.s.startsWith('a')",
  "self.s.split('').size() > 0",
  "self.s.replace('a', 'bb').size() > 0",
  "self.s.upperAscii().size() > 0",
  "self.s.find('a+').size() > 0",
  "self.s.findAll('a').size() > 0",
  "(self.s + self.s).size() > 0",
  "self.s == self.s + ''",
  "self.m.all(k, self.m[k].size() > 0)",
  "self.m.exists(k, k == 'none') == false",
  "self.m == self.m",
  "self.l == self.l",
  "self.l.all(x, string(x).size() > 0)",
  "self.l.all(x, quantity('1Mi').isGreaterThan(quantity('1Ki')))",
  "self.l.all(x, url('https://example.com/a').getHost() == 'example.com')",
  "self.l.all(x, cidr('10.0.0.0/8').containsIP('10.0.0.1'))",
  "self.l.all(x, timestamp('2026-01-01T00:00:00Z').getFullYear() == 2026)",
];

const ruleSchema = (rule: string, maximum: number) => ({
  type: "object",
  properties: {
    l: { type: "array", maxItems: maximum, items: { type: "integer" } },
    s: { type: "string", maxLength: 10 * maximum },
    m: { type: "object", maxProperties: maximum, additionalProperties: { type: "string", maxLength: 20 } },
  },
  "x-kubernetes-validations": [{ rule }],
});

const ruleSpec = (count: number) => ({
  l: upTo(count),
  s: "a".repeat(count),
  m: Object.fromEntries(upTo(count).map((at) => [`k${at}`, "v"])),
});

/** Schema rules, each in a definition of its own, all in one cluster. */
const ruleGroup: Group = {
  name: "rule of a schema",
  setUp: async (send) => {
    for (const [at, rule] of rules.entries()) {
      // Upstream's estimate refuses some rules for 5,000 entries; they are defined for fewer.
      for (const maximum of [5_000, 500, 50])
        await send("POST", definitions, definition(ruleSchema(rule, maximum), [], `r${at}.example.com`));
    }
  },
  requests: rules.flatMap((rule, at) =>
    [50, 500, 5_000].map((count) => ({
      name: `${rule}: ${count} entries`,
      method: "POST",
      path: `/apis/r${at}.example.com/v1/namespaces/default/widgets${dryRun}`,
      ...widget("w", ruleSpec(count), `r${at}.example.com`),
    })),
  ),
};

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

interface PolicyGiven {
  readonly name: string;
  readonly count: number;
  readonly variables: readonly string[];
  readonly validation: string;
}

const mapOf = (keys: number): Ask => ({
  body: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: Object.fromEntries(upTo(keys).map((at) => [`k${at}`, `v${at}`])),
  },
});

function policyGroup({ name, count, variables, validation }: PolicyGiven): Group {
  const matchConstraints = {
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
  };
  return {
    name: `policy: ${name}`,
    setUp: async (send) => {
      for (const at of upTo(count)) {
        const spec = {
          matchConstraints,
          variables: variables.map((expression, index) => ({ name: `v${index}`, expression })),
          validations: [{ expression: validation }],
        };
        const metadata = { name: `p${at}` };
        await send("POST", policies, {
          body: { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy", metadata, spec },
        });
        await send("POST", bindings, {
          body: {
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingAdmissionPolicyBinding",
            metadata,
            spec: { policyName: `p${at}`, validationActions: ["Deny"] },
          },
        });
      }
    },
    requests: [10, 300, 1_000].map((keys) => ({
      name: `${keys} keys`,
      method: "POST",
      path: `${core}/configmaps${dryRun}`,
      ...mapOf(keys),
    })),
  };
}

const nested = "object.data.all(k, object.data.all(j, j.size() > 0))";
const policyGroups = [
  { name: "one cheap", count: 1, variables: [], validation: "object.metadata.name != 'b'" },
  { name: "60 cheap", count: 60, variables: [], validation: "object.metadata.name != 'b'" },
  { name: "one over all keys", count: 1, variables: [], validation: "object.data.all(k, k.size() > 0)" },
  { name: "30 over all keys", count: 30, variables: [], validation: "object.data.all(k, k.size() > 0)" },
  { name: "nested", count: 1, variables: [], validation: nested },
  { name: "20 nested", count: 20, variables: [], validation: nested },
  {
    name: "60 with 20 variables",
    count: 60,
    variables: [nested, ...upTo(19).map((at) => `variables.v${at} && ${nested}`)],
    validation: "variables.v19",
  },
  {
    name: "patterns",
    count: 10,
    variables: [],
    validation: "object.data.all(k, object.data[k].matches('^(v|w)*[0-9]+$'))",
  },
  {
    name: "texts",
    count: 10,
    variables: ["object.data.map(k, object.data[k])"],
    validation: "variables.v0.join(',').size() > 0",
  },
].map(policyGroup);

const values = (count: number) =>
  upTo(count)
    .map((at) => `v${at}`)
    .join(",");
const selectorRequest = (name: string, query: string): Request => ({ name, path: `${core}/configmaps?${query}` });
const encoded = (text: string) => encodeURIComponent(text);
const selectors: Group = {
  name: "selector",
  setUp: async (send) => {
    for (const at of upTo(300)) {
      const labels = Object.fromEntries(upTo(10).map((label) => [`l${label}`, `v${at}`]));
      await send("POST", `${core}/configmaps`, {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `m${at}`, labels } },
      });
    }
  },
  requests: [
    selectorRequest("none", ""),
    ...[1, 100, 1_000, 7_000].flatMap((count) => [
      selectorRequest(`in ${count}`, `labelSelector=${encoded(`l0 in (${values(count)})`)}`),
      selectorRequest(`notin ${count}`, `labelSelector=${encoded(`l0 notin (${values(count)})`)}`),
      selectorRequest(
        `${count} terms`,
        `labelSelector=${encoded(
          upTo(count)
            .map((at) => `l${at}!=x`)
            .join(","),
        )}`,
      ),
      selectorRequest(
        `${count} labels`,
        `labelSelector=${encoded(
          upTo(count)
            .map((at) => `l${at}`)
            .join(","),
        )}`,
      ),
      selectorRequest(
        `${count} absent labels`,
        `labelSelector=${encoded(
          upTo(count)
            .map((at) => `!x${at}`)
            .join(","),
        )}`,
      ),
      selectorRequest(
        `${count} fields`,
        `fieldSelector=${encoded(
          upTo(count)
            .map((at) => `metadata.name!=x${at}`)
            .join(","),
        )}`,
      ),
    ]),
    selectorRequest("brackets", `labelSelector=${encoded("(".repeat(5_000))}`),
    selectorRequest("commas", `labelSelector=${encoded(",".repeat(10_000))}`),
    selectorRequest("greater than", `labelSelector=${encoded("l0 > 5")}`),
  ],
};

const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

function patchRequest(name: string, type: keyof typeof patchTypes, path: string, body: unknown): Request {
  const headers = { "content-type": patchTypes[type] };
  return { name: `${type}: ${name}`, method: "PATCH", path, body: JSON.stringify(body), headers };
}

const wideMap = `${core}/configmaps/wide${dryRun}`;
const deployment = `/apis/apps/v1/namespaces/default/deployments/web${dryRun}`;
const wideData = (count: number) => Object.fromEntries(upTo(count).map((at) => [`k${at}`, `w${at}`]));
const containers = (count: number) =>
  upTo(count).map((at) => ({
    name: `c${at}`,
    image: `app:${at}`,
    env: upTo(10).map((e) => ({ name: `E${e}`, value: "v" })),
  }));
const webSpec = (count: number) => ({
  selector: { matchLabels: { app: "web" } },
  template: { metadata: { labels: { app: "web" } }, spec: { containers: containers(count) } },
});

const patches: Group = {
  name: "patch",
  setUp: async (send) => {
    await send("POST", `${core}/configmaps`, {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "wide" }, data: wideData(10_000) },
    });
    await send("POST", "/apis/apps/v1/namespaces/default/deployments", {
      body: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web" },
        spec: { replicas: 0, ...webSpec(100) },
      },
    });
  },
  requests: [
    ...[1, 100, 1_000, 10_000].flatMap((count) => [
      patchRequest(
        `${count} additions`,
        "json",
        wideMap,
        upTo(count).map((at) => ({ op: "add", path: `/data/n${at}`, value: "x" })),
      ),
      patchRequest(
        `${count} replacements`,
        "json",
        wideMap,
        upTo(count).map((at) => ({ op: "replace", path: `/data/k${at}`, value: "x" })),
      ),
      patchRequest(
        `${count} removals`,
        "json",
        wideMap,
        upTo(count).map((at) => ({ op: "remove", path: `/data/k${at}` })),
      ),
      patchRequest(
        `${count} tests`,
        "json",
        wideMap,
        upTo(count).map(() => ({ op: "test", path: "/data/k1", value: "w1" })),
      ),
      patchRequest(
        `${count} tests of all`,
        "json",
        wideMap,
        upTo(count).map(() => ({ op: "test", path: "/data", value: {} })),
      ),
      patchRequest(
        `${count} copies of all`,
        "json",
        wideMap,
        upTo(count).map((at) => ({ op: "copy", from: "/data", path: `/metadata/annotations/a${at}` })),
      ),
      patchRequest(
        `${count} moves`,
        "json",
        wideMap,
        upTo(count).map((at) => ({ op: "move", from: `/data/k${at}`, path: `/data/m${at}` })),
      ),
      patchRequest(`${count} keys`, "merge", wideMap, { data: wideData(count) }),
      patchRequest(`${count} nulls`, "merge", wideMap, {
        data: Object.fromEntries(upTo(count).map((at) => [`k${at}`, null])),
      }),
      patchRequest(`${count} keys`, "strategic", wideMap, { data: wideData(count) }),
    ]),
    ...[1, 50, 100, 300].flatMap((count) => [
      patchRequest(`${count} containers`, "strategic", deployment, { spec: webSpec(count) }),
      patchRequest(`${count} deletions`, "strategic", deployment, {
        spec: { template: { spec: { containers: upTo(count).map((at) => ({ name: `c${at}`, $patch: "delete" })) } } },
      }),
      patchRequest(`${count} in order`, "strategic", deployment, {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": upTo(count).map((at) => ({ name: `c${count - at}` })),
              containers: containers(count),
            },
          },
        },
      }),
      patchRequest(
        `${count} containers`,
        "json",
        deployment,
        upTo(count).map((at) => ({
          op: "add",
          path: "/spec/template/spec/containers/0",
          value: { name: `n${at}`, image: "x" },
        })),
      ),
    ]),
  ],
};

const applied = (name: string, manager: string, object: object): Request => {
  const url = `${core}/configmaps/${name}?fieldManager=${manager}&force=true&dryRun=All`;
  return {
    ...patchRequest(manager, "apply", url, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...object }),
    name: `${name}: ${manager}`,
  };
};

const applies: Group = {
  name: "server-side apply",
  setUp: async (send) => {
    for (const at of upTo(100)) {
      await send("PATCH", `${core}/configmaps/many?fieldManager=m${at}`, {
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "many" },
          data: Object.fromEntries(upTo(100).map((key) => [`m${at}-${key}`, "v"])),
        }),
        headers: { "content-type": patchTypes.apply },
      });
    }
    for (const at of upTo(20)) {
      await send("PATCH", `${core}/configmaps/shared?fieldManager=m${at}&force=true`, {
        body: JSON.stringify({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "shared" },
          data: wideData(1_000),
        }),
        headers: { "content-type": patchTypes.apply },
      });
    }
  },
  requests: [
    ...["many", "shared", "fresh"].flatMap((name) =>
      [1, 100, 1_000, 10_000].flatMap((count) => [
        applied(name, `new${count}`, { data: wideData(count) }),
        applied(name, `m1`, { data: wideData(count) }),
      ]),
    ),
    { name: "read with managed fields", path: `${core}/configmaps/many` },
    { name: "read as Table", path: `${core}/configmaps`, ...asTable },
  ],
};

const yamlBodies: Readonly<Record<string, string>> = {
  "a manifest": "data: {a: b}",
  "many keys": `data:\n${upTo(10_000)
    .map((at) => `  k${at}: v`)
    .join("\n")}`,
  "a long text": `data:\n  a: |\n${"    line\n".repeat(20_000)}`,
  "a folded text": `data:\n  a: >\n${"    line\n".repeat(20_000)}`,
  "a quoted text": `data:\n  a: "${"\\n\\u00e9".repeat(20_000)}"`,
  "anchors that double": `x0: &x0 [a, a]\n${upTo(20)
    .map((at) => `x${at + 1}: &x${at + 1} [*x${at}, *x${at}]`)
    .join("\n")}`,
  "many anchors": `data:\n${upTo(5_000)
    .map((at) => `  k${at}: &a${at} v`)
    .join("\n")}`,
  "many aliases": `x: &x v\ndata:\n${upTo(10_000)
    .map((at) => `  k${at}: *x`)
    .join("\n")}`,
  "merge keys": `x: &x {a: b}\ndata:\n${upTo(2_000)
    .map(() => "  <<: *x")
    .join("\n")}`,
  "flow lists": `x: ${"[".repeat(900)}${"]".repeat(900)}`,
  "flow maps": `x: ${"{a: ".repeat(900)}1${"}".repeat(900)}`,
  "open brackets": "[".repeat(100_000),
  "blocks in blocks": upTo(300)
    .map((at) => `${" ".repeat(at)}a:`)
    .join("\n"),
  "lists in lists": `x:\n${"- ".repeat(900)}a`,
  comments: "# comment\n".repeat(20_000),
  "blank lines": "\n".repeat(100_000),
  blanks: `data: {a: ${" ".repeat(200_000)}b}`,
  tags: `data:\n${upTo(3_000)
    .map((at) => `  k${at}: !!str 5`)
    .join("\n")}`,
  numbers: `x: [${upTo(20_000).join(", ")}]`,
  "a key again": `data:\n${"  a: b\n".repeat(10_000)}`,
  documents: "---\n".repeat(20_000),
  quotes: `data: {a: ${"'".repeat(100_000)}}`,
  "a long key": `data:\n  ${"k".repeat(100_000)}: v`,
  "complex keys": upTo(2_000)
    .map((at) => `? k${at}\n: v`)
    .join("\n"),
  binary: `x: !!binary ${"QUJD".repeat(50_000)}`,
};

const yaml: Group = {
  name: "YAML",
  setUp: nothing,
  requests: Object.entries(yamlBodies).map(([name, body]) => ({
    name,
    method: "POST",
    path: `${core}/configmaps${dryRun}`,
    body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${body}\n`,
    headers: { "content-type": "application/yaml" },
  })),
};

const jsonBodies: Readonly<Record<string, string>> = {
  "many keys": JSON.stringify({ data: wideData(15_000) }),
  "a long text": JSON.stringify({ data: { a: "x".repeat(900_000) } }),
  "a text to escape": JSON.stringify({ data: { a: '"\n'.repeat(200_000) } }),
  "labels that are none": JSON.stringify({
    metadata: { name: "a", labels: Object.fromEntries(upTo(10_000).map((at) => [`k ${at}`, "v v"])) },
  }),
  "many labels": JSON.stringify({
    metadata: { name: "a", labels: Object.fromEntries(upTo(5_000).map((at) => [`k${at}`, "v"])) },
  }),
  "many finalizers": JSON.stringify({
    metadata: { name: "a", finalizers: upTo(5_000).map((at) => `example.com/f${at}`) },
  }),
  "many owners": JSON.stringify({
    metadata: {
      name: "a",
      ownerReferences: upTo(5_000).map((at) => ({ apiVersion: "v1", kind: "Pod", name: `p${at}`, uid: `u${at}` })),
    },
  }),
  "unknown fields": JSON.stringify({
    metadata: { name: "a" },
    ...Object.fromEntries(upTo(10_000).map((at) => [`x${at}`, at])),
  }),
  "lists in lists": `{"x":${"[".repeat(900)}${"]".repeat(900)}}`,
  "open lists": "[".repeat(1_000_000),
};

const json: Group = {
  name: "JSON",
  setUp: nothing,
  requests: Object.entries(jsonBodies).map(([name, body]) => ({
    name,
    method: "POST",
    path: `${core}/configmaps${dryRun}`,
    body: body
      .replace(/^\{/, '{"apiVersion":"v1","kind":"ConfigMap",')
      .replace(/^(\{(?!.*"metadata").*)\}$/s, '$1,"metadata":{"name":"a"}}'),
    headers: { "content-type": "application/json" },
  })),
};

const groups: readonly Group[] = [
  ...tables,
  ruleGroup,
  ...policyGroups,
  selectors,
  patches,
  applies,
  yaml,
  json,
  ...newGroups,
];

export function controlPlaneTurns(): Turn[] {
  /** Only one cluster is held at a time. */
  let current: Group | undefined;
  let server: Promise<TestServer> | undefined;
  return groups.flatMap((group) => {
    return group.requests.map(({ name, method = "GET", path, ...ask }): Turn => {
      let request: globalThis.Request | undefined;
      return {
        name: `${group.name}: ${name}`,
        prepare: async () => {
          if (current !== group) server = readyServer(group);
          current = group;
          await server;
          request = requestOf(method, path, ask);
        },
        run: async () => {
          const { service, cluster } = must(await server, "a cluster");
          const { meter } = cluster.registry.store;
          const before = meter.spent;
          const response = await handle(service, must(request, "a request"));
          await response.arrayBuffer();
          return meter.spent - before;
        },
      };
    });
  });
}

async function readyServer(group: Group): Promise<TestServer> {
  const server = newServer({
    nodes: 0,
    base: "layered",
    ...(group.answer ? { answer: group.answer } : {}),
    service: () => ({ pause: () => new Promise((done) => setImmediate(done)) }),
  });
  await group.setUp(async (method, path, ask) => {
    await server.ask(method, path, ask);
    server.cluster.runUntilQuiet(1_000);
  });
  return server;
}
