// Random requests: nearly valid objects, unusual names, paths, parameters and headers, and the objects that they need.
import fc from "fast-check";
import { apps, configMap, core, deployment, pod, type TestServer } from "./server.ts";

/** Creates the objects that some of the requests use. */
export async function prepare({ ask, cluster }: TestServer): Promise<void> {
  await ask("POST", `${apps}/deployments`, { body: deployment("web", 1) });
  await ask("POST", `${core}/pods`, { body: pod("p") });
  cluster.runUntilQuiet();
}

/** Returns the arguments of a request from `anyRequest`. */
export function requestArguments({
  method,
  path,
  query,
  contentType,
  accept,
  body,
}: Fuzzed): Parameters<TestServer["ask"]> {
  const headers = { ...(contentType ? { "content-type": contentType } : {}), ...(accept ? { accept } : {}) };
  const hasBody = method !== "GET" && method !== "HEAD";
  return [method, `${path}?${query}`, hasBody ? { body, headers } : { headers }];
}

interface Fuzzed {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string;
  readonly accept: string;
  readonly body: string;
}

interface Target {
  readonly root: string;
  /** The name of an existing object. */
  readonly name: string;
  readonly object: unknown;
}

const meta = (name: string) => ({ metadata: { name } });
const targets: readonly Target[] = [
  { root: `${core}/configmaps`, name: "kube-root-ca.crt", object: configMap("a", { k: "v" }) },
  { root: `${core}/pods`, name: "p", object: pod("q", { app: "web" }) },
  { root: `${core}/secrets`, name: "absent", object: { ...meta("s"), stringData: { k: "v" } } },
  {
    root: `${core}/services`,
    name: "kubernetes",
    object: { ...meta("s"), spec: { ports: [{ port: 80 }], selector: { app: "web" } } },
  },
  {
    root: `${core}/endpoints`,
    name: "kubernetes",
    object: { ...meta("e"), subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
  },
  {
    root: `${core}/events`,
    name: "absent",
    object: { ...meta("e"), involvedObject: { namespace: "default", name: "p" }, reason: "Why" },
  },
  { root: `${core}/serviceaccounts`, name: "default", object: meta("a") },
  { root: `${core}/unheard`, name: "x", object: meta("x") },
  { root: `${apps}/deployments`, name: "web", object: deployment("api", 2) },
  {
    root: `${apps}/replicasets`,
    name: "absent",
    object: { ...deployment("rs"), kind: "ReplicaSet", spec: { ...deployment("rs").spec } },
  },
  {
    root: "/api/v1/nodes",
    name: "node-1",
    object: { ...meta("node-9"), spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
  },
  { root: "/api/v1/namespaces", name: "default", object: meta("alpha") },
  { root: "/api/v1/pods", name: "p", object: pod("q") },
  {
    root: "/apis/events.k8s.io/v1/namespaces/default/events",
    name: "absent",
    object: {
      ...meta("v"),
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "a.dev/b",
      reportingInstance: "i",
      action: "A",
      reason: "R",
      type: "Normal",
      regarding: { namespace: "default" },
    },
  },
  {
    root: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    name: "absent",
    object: { ...meta("l"), spec: { holderIdentity: "me" } },
  },
  {
    root: "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
    name: "absent",
    object: { ...meta("x"), addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }] },
  },
  { root: "/api/v1/namespaces/absent/pods", name: "p", object: pod("p") },
];
const oddNames = ["/UPPER", "/a.b", "/%2e%2e", "/a%2Fb", "/%00", "/%ff", `/${"x".repeat(300)}`];
const subresources = [
  "",
  "",
  "",
  "/status",
  "/scale",
  "/binding",
  "/eviction",
  "/log",
  "/finalize",
  "/unheard",
  "/status/more",
];
const parameters = [
  "",
  "watch=1",
  "limit=1",
  "limit=-1",
  "limit=x",
  "continue=x",
  "continue=e30",
  "resourceVersion=1",
  "resourceVersion=x",
  "resourceVersion=99999999999999999999",
  "resourceVersionMatch=Exact",
  "labelSelector=a",
  "labelSelector=((",
  "labelSelector=a%20in%20()",
  "fieldSelector=a",
  "fieldSelector=metadata.name=a",
  "fieldSelector===",
  "fieldSelector=reason=x",
  "dryRun=All",
  "dryRun=",
  "dryRun=x",
  "fieldValidation=Strict",
  "fieldValidation=x",
  "gracePeriodSeconds=-5",
  "gracePeriodSeconds=x",
  "propagationPolicy=Orphan",
  "propagationPolicy=x",
  "orphanDependents=maybe",
  "pretty=1",
  "includeObject=x",
  "fieldManager=%00",
  "force=1",
  "timeoutSeconds=x",
  "sendInitialEvents=true",
  "verbose",
];
const contentTypes = [
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "text/plain",
  "",
  ";",
  "application/json; charset=utf-8",
];
const accepts = [
  "",
  "*/*",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=Unheard;v=v1;g=x",
  ";;",
  "a/b/c",
  "application/json;q=x",
];

const wild = fc.jsonValue({ maxDepth: 4 });
const fields = [
  "metadata",
  "metadata.name",
  "metadata.generateName",
  "metadata.labels",
  "metadata.annotations",
  "metadata.finalizers",
  "metadata.ownerReferences",
  "metadata.resourceVersion",
  "metadata.uid",
  "metadata.deletionTimestamp",
  "metadata.managedFields",
  "spec",
  "spec.replicas",
  "spec.selector",
  "spec.selector.matchLabels",
  "spec.template",
  "spec.template.spec",
  "spec.template.spec.containers",
  "spec.containers",
  "spec.volumes",
  "spec.ports",
  "spec.clusterIP",
  "spec.taints",
  "spec.strategy",
  "spec.strategy.rollingUpdate",
  "status",
  "status.conditions",
  "data",
  "kind",
  "apiVersion",
  "target",
  "subsets",
  "involvedObject",
  "preconditions",
  "regarding",
  "endpoints",
];

/** Returns nearly valid objects. */
function broken(object: unknown): fc.Arbitrary<string> {
  return fc.array(fc.tuple(fc.constantFrom(...fields), wild), { maxLength: 2 }).map((changes) => {
    const copy = structuredClone(object) as Record<string, unknown>;
    for (const [path, value] of changes) put(copy, path.split("."), value);
    return JSON.stringify(copy);
  });
}

const operation = fc.record(
  {
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "x"),
    path: fc.constantFrom(...fields.map((field) => `/${field.replaceAll(".", "/")}`), "", "x", "/~2"),
    from: fc.constantFrom("/spec", "/x"),
    value: wild,
  },
  { requiredKeys: [] },
);
const junk = fc.oneof(
  wild.map((value) => JSON.stringify(value)),
  fc.string(),
  fc.constantFrom(
    "{",
    "[",
    "null",
    '{"a":1,"a":2}',
    "[".repeat(5000),
    "a: &x [*x]",
    "- ",
    "k8s\u0000",
    "k8s\u0000\n\u0003abc",
  ),
);

function bodyFor(object: unknown): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 7, arbitrary: broken(object) },
    { weight: 2, arbitrary: fc.array(operation, { maxLength: 4 }).map((list) => JSON.stringify(list)) },
    { weight: 1, arbitrary: junk },
  );
}

const methods = ["GET", "GET", "POST", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Requests with any number of mistakes, for a cluster with the objects of `prepare`. */
export const anyRequest = fc
  .tuple(fc.constantFrom(...targets), fc.constantFrom(...methods))
  .chain(([target, method]) => {
    const inPath = method === "POST" ? ["", "", "", `/${target.name}`] : [`/${target.name}`, `/${target.name}`, ""];
    return fc.record({
      method: fc.constant(method),
      path: fc
        .tuple(fc.constantFrom(...inPath, ...inPath, ...inPath, ...oddNames), fc.constantFrom(...subresources))
        .map(([name, subresource]) => target.root + name + (name === "" ? "" : subresource)),
      query: fc.array(fc.constantFrom(...parameters), { maxLength: 2 }).map((list) => list.join("&")),
      contentType: mostly(method === "PATCH" ? contentTypes.slice(3, 7) : contentTypes.slice(0, 1), contentTypes),
      accept: mostly(["application/json"], accepts),
      body: bodyFor(target.object),
    });
  });

function mostly(usual: readonly string[], rest: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...rest) },
  );
}

function put(target: Record<string, unknown>, [first = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[first] = value;
    return;
  }
  const inner = target[first];
  const next = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : {};
  target[first] = next;
  put(next, rest, value);
}
