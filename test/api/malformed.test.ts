// Many requests, each a valid one with a random defect: protobuf frames, JSON bodies, patches, selectors and paths. The response is always
// an error or a success, and it arrives.
import { expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { encodeEnvelope, encodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import { type Ask, apps, configMap, core, deployment, newServer, pod } from "./server.ts";

/** The number of requests of all tests in this file; another test file has 1500 more of another kind. */
const total = Number(process.env["SANDBAR_MALFORMED_RUNS"] ?? 48_500);
const seed = Number(process.env["SANDBAR_FUZZ_SEED"] ?? 20_260_401);
const timeout = 120_000 + total * 10;

interface Sample {
  readonly root: string;
  readonly type: string;
  readonly object: { readonly apiVersion?: string; readonly kind?: string; readonly metadata?: object };
}

const of = (apiVersion: string, kind: string, rest: object) => ({ apiVersion, kind, metadata: { name: "x" }, ...rest });
const samples: readonly Sample[] = [
  { root: `${core}/configmaps`, type: "core.v1.ConfigMap", object: configMap("x", { k: "v", more: "ü" }) },
  { root: `${core}/pods`, type: "core.v1.Pod", object: pod("x", { app: "web" }) },
  { root: `${apps}/deployments`, type: "apps.v1.Deployment", object: deployment("x", 0) },
  {
    root: `${core}/services`,
    type: "core.v1.Service",
    object: of("v1", "Service", { spec: { ports: [{ port: 80, targetPort: "http" }], selector: { app: "web" } } }),
  },
  {
    root: `${core}/secrets`,
    type: "core.v1.Secret",
    object: of("v1", "Secret", { type: "Opaque", data: { k: "AAEC" } }),
  },
  {
    root: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    type: "rbac.v1.ClusterRole",
    object: of("rbac.authorization.k8s.io/v1", "ClusterRole", {
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
    }),
  },
  {
    root: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    type: "coordination.v1.Lease",
    object: of("coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } }),
  },
  {
    root: "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
    type: "networking.v1.NetworkPolicy",
    object: of("networking.k8s.io/v1", "NetworkPolicy", {
      spec: {
        podSelector: { matchLabels: { a: "b" } },
        ingress: [{ ports: [{ port: 80 }] }],
        policyTypes: ["Ingress"],
      },
    }),
  },
  {
    root: "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    type: "autoscaling.v2.HorizontalPodAutoscaler",
    object: of("autoscaling/v2", "HorizontalPodAutoscaler", {
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" } },
    }),
  },
];

/** Each test has its own seed, so that it can run alone. */
let random = seededRandom(seed);
const below = (bound: number) => Math.floor(random.next() * bound);
function pick<T>(list: readonly T[]): T {
  // No list here is empty.
  return list[below(list.length)] as T;
}

const protobuf = "application/vnd.kubernetes.protobuf";
const frames = samples.map(({ root, type, object }) => {
  const { apiVersion = "", kind = "" } = object;
  return { root, bytes: encodeEnvelope({ apiVersion, kind, raw: encodeProtobuf(`io.k8s.api.${type}`, object) }) };
});

/** Returns bytes with changes, cuts, duplicates and insertions, mostly at lengths and tags. */
function brokenBytes(bytes: Uint8Array): Uint8Array {
  let broken = Uint8Array.from(bytes);
  for (let change = 0; change <= below(3); change++) {
    const at = random.next() < 0.1 ? below(4) : 4 + below(Math.max(broken.length - 4, 1));
    switch (below(6)) {
      case 0:
        broken = broken.slice(0, at);
        break;
      case 1:
        broken = Uint8Array.from([...broken.subarray(0, at), ...broken.subarray(below(at + 1))]);
        break;
      case 2:
        broken = Uint8Array.from([...broken.subarray(0, at), 0xff, 0xff, 0xff, 0xff, 0x7f, ...broken.subarray(at)]);
        break;
      case 3:
        broken[at] = (broken[at] ?? 0) ^ (1 << below(8));
        break;
      default:
        broken[at] = below(256);
    }
  }
  return broken;
}

const junk = [
  "",
  "null",
  "[]",
  "{}",
  "0",
  "-1",
  "1e999",
  "1.5",
  "true",
  '""',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  "{",
  "}",
  ",",
  ":",
];
const keys = [
  "metadata",
  "spec",
  "name",
  "namespace",
  "labels",
  "kind",
  "apiVersion",
  "__proto__",
  "constructor",
  "$patch",
  "status",
];

/** Returns JSON text with a replaced value, key or substring. */
function brokenText(text: string): string {
  let broken = text;
  for (let change = 0; change <= below(3); change++) {
    const values = [...broken.matchAll(/"[^"]*"(?!:)|-?\d+|true|false|\{\}|\[\]/g)];
    const names = [...broken.matchAll(/"[^"]*"(?=:)/g)];
    const [where, by] =
      random.next() < 0.6
        ? [values, () => pick(junk)]
        : random.next() < 0.7
          ? [names, () => JSON.stringify(pick(keys))]
          : [[...broken.matchAll(/./gs)], () => pick([...junk, "\u0000", "\uffff", "[[[[[[[["])];
    if (where.length === 0) return pick(junk);
    const match = pick<RegExpMatchArray>(where);
    const at = match.index ?? 0;
    broken = broken.slice(0, at) + by() + broken.slice(at + match[0].length);
  }
  return broken;
}

const patches: readonly (readonly [type: string, body: string])[] = [
  [
    "application/json-patch+json",
    '[{"op":"replace","path":"/metadata/labels","value":{"a":"b"}},{"op":"test","path":"/kind","value":"x"}]',
  ],
  [
    "application/json-patch+json",
    '[{"op":"move","from":"/spec","path":"/status"},{"op":"add","path":"/metadata/finalizers/-","value":"a"}]',
  ],
  ["application/merge-patch+json", '{"metadata":{"labels":{"a":null},"annotations":{"k":"v"}},"spec":{"replicas":2}}'],
  [
    "application/strategic-merge-patch+json",
    '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"main"}],"containers":[{"$patch":"delete","name":"main"}]}},"$retainKeys":["strategy"]}}',
  ],
  ["application/apply-patch+yaml", '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"k":"v"}}'],
];

const selectors = [
  "a=b",
  "a in (b,c),!d",
  "a!=b",
  "x.io/y notin (z)",
  "metadata.name=x",
  "status.phase!=Running,spec.nodeName=",
];
const marks = [
  "",
  "=",
  "==",
  "!",
  "(",
  ")",
  ",",
  " in ",
  "\\",
  "\u0000",
  "ü",
  "%",
  "a".repeat(300),
  ".",
  "/",
  "&",
  "#",
];
const segments = [
  "api",
  "apis",
  "v1",
  "apps",
  "namespaces",
  "default",
  "pods",
  "x",
  "log",
  "status",
  "watch",
  "..",
  "%2e%2e",
  "%2F",
  "%00",
  "%ff",
  "%",
  "",
  "proxy",
  "scale",
  "ü",
  "x".repeat(300),
  "..%2f",
  ";",
  "__proto__",
];
const names = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "timeoutSeconds",
  "pretty",
  "propagationPolicy",
  "gracePeriodSeconds",
  "container",
  "tailLines",
  "sinceTime",
];

function brokenSelector(): string {
  const text = pick(selectors);
  const at = below(text.length + 1);
  return text.slice(0, at) + pick(marks) + text.slice(at + below(3));
}

interface Made {
  readonly method: string;
  readonly path: string;
  readonly ask: Ask;
}

const makers: Readonly<Record<string, () => Made>> = {
  frame: () => {
    const { root, bytes } = pick(frames);
    const headers = { "content-type": protobuf, accept: pick([protobuf, "application/json"]) };
    const [method, name] = random.next() < 0.8 ? ["POST", ""] : [pick(["PUT", "DELETE"]), "/x"];
    return { method, path: root + name, ask: { body: brokenBytes(bytes), headers } };
  },
  body: () => {
    const { root, object } = pick(samples);
    const headers = { "content-type": pick(["application/json", "application/json", "application/yaml"]) };
    const [method, name] = random.next() < 0.7 ? ["POST", ""] : ["PUT", "/x"];
    return { method, path: root + name, ask: { body: brokenText(JSON.stringify(object)), headers } };
  },
  patch: () => {
    const [type, body] = pick(patches);
    const headers = { "content-type": type };
    const query = random.next() < 0.5 ? "?fieldManager=m&force=true" : "";
    return { method: "PATCH", path: `${pick(samples).root}/x${query}`, ask: { body: brokenText(body), headers } };
  },
  selector: () => {
    const query = Array.from({ length: 1 + below(2) }, () => {
      return `${pick(names)}=${encodeURIComponent(brokenSelector())}`;
    }).join("&");
    const method = pick(["GET", "GET", "GET", "DELETE"]);
    return { method, path: `${pick(samples).root}?${query}`, ask: {} };
  },
  path: () => {
    const start = random.next() < 0.5 ? pick(samples).root : "";
    const path = `${start}/${Array.from({ length: 1 + below(start ? 4 : 8) }, () => pick(segments)).join("/")}`;
    const query = random.next() < 0.3 ? `?${pick(names)}=${encodeURIComponent(pick(marks))}` : "";
    return { method: pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]), path: path + query, ask: {} };
  },
};

test.each([
  ["frame", 0.4, [201, 400]],
  ["body", 0.2, [201, 400, 422]],
  ["patch", 0.15, [200, 400, 422]],
  ["selector", 0.15, [200, 400]],
  ["path", 0.1, [200, 404, 405]],
] as const)(
  "R6: a broken %s never causes a 5xx, a bug or a hang",
  { timeout },
  async (kind: string, share: number, expected: readonly number[]) => {
    random = seededRandom(seed);
    const { ask, bugs } = newServer({ controllers: [] });
    const make = makers[kind];
    if (!make) throw new Error(kind);
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } };
    await ask("POST", `${core}/serviceaccounts`, { body: account });
    if (kind === "patch") for (const { root, object } of samples) await ask("POST", root, { body: object });
    const countsByCode = new Map<number, number>();
    for (let run = 0; run < total * share; run++) {
      const malformedRequest: Made = make();
      const { method, path, ask: sent } = malformedRequest;
      const { code, text } = await ask(method, path, sent);
      countsByCode.set(code, (countsByCode.get(code) ?? 0) + 1);
      if (code >= 500 || code < 200 || bugs.length > 0) {
        expect.fail(`run ${run}: ${method} ${path} ${describe(sent.body)}: ${code} ${text} ${String(bugs[0])}`);
      }
      // Randomly created objects do not affect later requests.
      if (code === 201 && run % 50 === 0) await ask("DELETE", path);
    }
    // Otherwise the requests would not have reached their targets.
    for (const code of expected) expect([code, countsByCode.get(code) ?? 0]).not.toEqual([code, 0]);
  },
);

function describe(body: unknown): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString("base64") : String(body).slice(0, 2000);
}
