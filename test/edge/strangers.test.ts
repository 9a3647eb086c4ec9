// Sends many requests of strangers to two sandboxes, through the edge and the whole API: wrong, stolen, expired, truncated and revoked
// tokens, odd paths, forged headers and impersonation. All are refused, and nothing changes.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { seededRandom } from "../../shared/base/random.ts";
import { handle } from "../../worker/api/handler.ts";
import { identitiesOf } from "../../worker/cluster/identities.ts";
import { addToken, adminToken as storedAdmin, removeToken, storeToken } from "../../worker/cluster/tokens.ts";
import { sandboxAddress } from "../../worker/edge/address.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { unboundedHoldings } from "./unlimited-holdings.ts";
import { proxyToSandbox } from "../../worker/edge/sandbox-proxy.ts";
import { newSandboxId } from "../../worker/edge/sandbox-id.ts";
import { adminToken, newUserToken, newViewToken } from "../../worker/edge/tokens.ts";
import { core, newServer, type TestServer } from "../api/server.ts";
import { nodeSql } from "../sqlite.ts";
import { newService, secret } from "./service.ts";

const runs = Number(process.env["SANDBAR_STRANGER_RUNS"] ?? 10_000);
const seed = Number(process.env["SANDBAR_FUZZ_SEED"] ?? 20_260_501);

const random = seededRandom(seed);
const below = (bound: number) => Math.floor(random.next() * bound);
function pick<T>(list: readonly T[]): T {
  // No list here is empty.
  return list[below(list.length)] as T;
}

interface Sandbox {
  readonly id: string;
  readonly server: TestServer;
  /** Tokens that are good, of the administrator, a user, a viewer, an account and a node that joins. */
  readonly good: readonly string[];
  /** Tokens that were good once. */
  readonly past: readonly string[];
  /** Tokens of users without write permissions, or without any. */
  readonly powerless: readonly string[];
}

const hash = (token: string) => createHash("sha256").update(token).digest("hex");
const minuteMs = 60_000;

async function newSandbox(anonymousAccess: boolean): Promise<Sandbox> {
  const id = await newSandboxId(secret, { anonymousAccess });
  const sql = nodeSql();
  const issuer = { issuerUrl: "https://issuer.example.org", audiences: ["a"], usernameClaim: "sub", groupsPrefix: "" };
  const ask = () => Promise.resolve({ ok: false, message: "no such host" } as const);
  const server = newServer({
    sql,
    service: ({ clock, registry }) => {
      const oidcIssuers = [{ ...issuer, requiredClaims: {} }];
      return identitiesOf(
        { anonymousAccess, oidcIssuers, jwtAuthenticators: [] },
        sql,
        clock,
        ask,
        registry.store.meter,
      );
    },
  });
  const nowMs = server.cluster.clock.nowMs();
  const admin = await adminToken(secret, id);
  storeToken(sql, storedAdmin(hash(admin)));
  const give = (token: string, user: string, expiresAtMs: number, readOnly = false) => {
    addToken(sql, { hash: hash(token), user, groups: [], expiresAtMs, readOnly, frameOrigins: [] }, nowMs - minuteMs);
    return token;
  };
  const user = give(await newUserToken(secret, id, nowMs + minuteMs), "jane", nowMs + minuteMs);
  const view = give(await newViewToken(secret, id, nowMs + minuteMs), "sandbar:viewer", nowMs + minuteMs, true);
  const past = [
    give(await newUserToken(secret, id, nowMs - 1), "kubernetes-admin", nowMs - 1),
    give(await newViewToken(secret, id, nowMs - 1), "sandbar:viewer", nowMs - 1, true),
    give(await newUserToken(secret, id, nowMs + minuteMs), "kubernetes-admin", nowMs + minuteMs),
  ];
  removeToken(sql, hash(past[2] ?? "").slice(0, 20));
  const asAdmin = { token: admin };
  const { body } = await server.ask("POST", `${core}/serviceaccounts/default/token`, {
    ...asAdmin,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  const account = String(body.status["token"]);
  const [, claims = ""] = account.split(".");
  // The account's claims, as the cluster wrote them.
  const tokenClaims = JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp: number };
  past.push(
    server.cluster.key.sign({ ...tokenClaims, exp: nowMs / 1000 - 61 }),
    server.cluster.key.sign({ ...tokenClaims, aud: ["x"] }),
  );
  const bootstrap = await server.ask("POST", "/api/v1/namespaces/kube-system/secrets", {
    ...asAdmin,
    body: {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `bootstrap-token-${anonymousAccess ? "bbbbbb" : "aaaaaa"}` },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": anonymousAccess ? "bbbbbb" : "aaaaaa",
        "token-secret": "0123456789abcdef",
        "usage-bootstrap-authentication": "true",
      },
    },
  });
  expect(bootstrap.code).toBe(201);
  const joining = `${anonymousAccess ? "bbbbbb" : "aaaaaa"}.0123456789abcdef`;
  for (const token of [admin, user, view, account, joining]) {
    expect([token, (await server.ask("GET", "/version", { token })).code]).toEqual([token, 200]);
  }
  server.cluster.runUntilQuiet();
  return { id, server, good: [admin, user, view, account, joining], past, powerless: [user, view, account, joining] };
}

const nonsense = [
  "",
  "x",
  "sba_",
  "sbu_",
  "sbv_",
  "sbk_aaaaaaaaaaaaaaaaaaaaaaaa",
  "..",
  "a.b.c",
  "x".repeat(5000),
  "null",
  "%00",
];
const unsigned = `${btoa('{"alg":"none"}')}.${btoa('{"sub":"system:admin","iss":"https://issuer.example.org","aud":"a","exp":9999999999}')}.x`;

/** Never one that is good for `target`. */
function badToken(target: Sandbox, otherSandbox: Sandbox): string {
  const ownToken = pick(target.good);
  switch (below(7)) {
    case 0:
      return pick(nonsense);
    case 1:
      return pick(target.past);
    case 2:
      return ownToken.slice(0, below(ownToken.length));
    case 3:
      return `${ownToken}${pick(["a", "_", ".", "=", "_a_b"])}`;
    case 4: {
      const at = below(ownToken.length);
      return ownToken.slice(0, at) + (ownToken[at] === "7" ? "6" : "7") + ownToken.slice(at + 1);
    }
    case 5:
      return pick([unsigned, unsigned.replaceAll("=", ""), `${ownToken.replace(target.id, otherSandbox.id)}x`]);
    default:
      return pick(otherSandbox.good);
  }
}

const pieces = [
  "api",
  "v1",
  "namespaces",
  "default",
  "secrets",
  "configmaps",
  "pods",
  "x",
  "kube-root-ca.crt",
  "apis",
  "apps",
  "nodes",
  "exec",
  "proxy",
  "..",
  "%2e%2e",
  ".",
  "%2F",
  "..%2f",
  "..%5c",
  "%5c",
  "%00",
  "%ff",
  "",
  ";",
  "c",
  "%63",
  "status",
  "watch",
  "clusterrolebindings",
];
const goodPaths = [
  "/api/v1/secrets",
  `${core}/secrets/x`,
  `${core}/configmaps`,
  "/api/v1/nodes",
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
  `${core}/pods?watch=1`,
  "/metrics",
  `${core}/configmaps/kube-root-ca.crt`,
];

/** Draws a path below the target. With stolen credentials of the other sandbox, no path leads to that sandbox. */
function pathFor(target: Sandbox, otherSandbox: Sandbox, isStolen: boolean): string {
  const inside =
    random.next() < 0.5 ? pick(goodPaths) : `/${Array.from({ length: 1 + below(7) }, () => pick(pieces)).join("/")}`;
  if (isStolen) return `/c/${target.id}${inside.replaceAll(/\.|%2e/g, "")}`;
  const twist = pick([
    "",
    "",
    "",
    "",
    `/../${otherSandbox.id}`,
    `/%2e%2e/${otherSandbox.id}`,
    `/..%2f${otherSandbox.id}`,
    `/c/${otherSandbox.id}`,
    "/",
    "//evil.example",
    ";",
  ]);
  return `/c/${target.id}${twist}${inside}`;
}

const binding = JSON.stringify({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "mine" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:unauthenticated" }],
});
const map = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "mine" } });

const tricks: readonly (() => Record<string, string>)[] = [
  () => ({ "sandbar-watch": pick(["pull", "join"]), "sandbar-watch-since": "1" }),
  () => ({ "sandbar-client-certificate": "MIIB", "client-cert": ":MIIB:", "ssl-client-cert": "MIIB" }),
  () => ({ "x-remote-user": "system:admin", "x-remote-group": "system:masters", "x-remote-extra-a": "b" }),
  () => ({ "x-http-method-override": "GET", "x-original-url": "/healthz", "x-forwarded-host": "localhost" }),
  () => ({ "x-forwarded-for": "127.0.0.1", "cf-connecting-ip": "127.0.0.1", "sandbar-server": "https://evil" }),
  () => ({ cookie: "token=x", "proxy-authorization": "Bearer x" }),
  () => ({}),
];
const otherUsers = [
  "kubernetes-admin",
  "system:admin",
  "system:node:node-1",
  "system:serviceaccount:kube-system:default",
  "system:anonymous",
  "jane",
  "system:kube-scheduler",
];

function acting(): Record<string, string> {
  return {
    "impersonate-user": pick(otherUsers),
    ...(random.next() < 0.5
      ? { "impersonate-group": pick(["system:masters", "system:nodes", "", "a, system:masters"]) }
      : {}),
    ...(random.next() < 0.2 ? { "impersonate-uid": "1" } : {}),
    ...(random.next() < 0.2
      ? { [`impersonate-extra-${pick(["a", "a%2fb", "%zz", "a.io%2fb"])}`]: pick(["x", ""]) }
      : {}),
  };
}

/** How a token is shown: nearly always as it should be. */
function showing(token: string): Record<string, string> {
  const encoded = `base64url.bearer.authorization.k8s.io.${btoa(token).replaceAll("=", "")}`;
  switch (below(8)) {
    case 0:
      return { authorization: `bearer ${token}` };
    case 1:
      return {
        upgrade: "websocket",
        "sec-websocket-protocol": pick([`x, ${encoded}`, encoded, `x, ${encoded}, ${encoded}`]),
      };
    case 2:
      return { authorization: pick([`Bearer  ${token}`, `Basic ${btoa(`admin:${token}`)}`, `Token ${token}`, token]) };
    default:
      return { authorization: `Bearer ${token}` };
  }
}

/** Draws a request without a valid token, or with a valid token and a forbidden action. */
function strangersRequest(target: Sandbox, otherSandbox: Sandbox): Request {
  const isPowerless = random.next() < 0.2;
  const method = pick(["GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
  const token = badToken(target, otherSandbox);
  const shownHeaders = isPowerless
    ? { authorization: `Bearer ${pick(target.powerless)}`, ...acting() }
    : random.next() < 0.1
      ? {}
      : showing(token);
  const headers = { ...pick(tricks)(), ...(random.next() < 0.3 ? acting() : {}), ...shownHeaders };
  const hasBody = method !== "GET" && method !== "HEAD";
  const path = pathFor(target, otherSandbox, otherSandbox.good.includes(token));
  const url =
    random.next() < 0.1 ? `http://${target.id}.host${path.slice(3 + target.id.length)}` : `http://host${path}`;
  return new Request(url, {
    method,
    headers: { ...headers, ...(hasBody ? { "content-type": "application/json" } : {}) },
    ...(hasBody ? { body: pick([binding, map, "{}", "{"]) } : {}),
  });
}

/** Adds `duplex`, which Node.js requires for a stream as body; its types lack it. */
function withDuplex(init: RequestInit): RequestInit {
  const { body, ...rest } = init;
  return body ? ({ ...rest, body, duplex: "half" } as RequestInit) : rest;
}

test("A1: random requests without credentials are 400, 401, 403 or 404, and change nothing", {
  timeout: 120_000 + runs * 10,
}, async () => {
  const [closed, open] = [await newSandbox(false), await newSandbox(true)];
  const unthrottled = { failed: async () => undefined };
  const control = { ...(await newService()).service, throttle: unthrottled };
  const sandboxes = new Map([closed, open].map((sandbox) => [sandbox.id, sandbox]));
  const before = [closed, open].map(({ server }) => server.cluster.registry.store.revision);
  const proxy = {
    secret,
    // Else most would be told to come later.
    throttle: unthrottled,
    server: "https://service",
    holdings: unboundedHoldings(),
    nowMs: () => closed.server.cluster.clock.nowMs(),
    cluster: (id: string) => ({
      fetch: async (url: string, init: RequestInit = {}) => {
        const sandbox = sandboxes.get(id);
        if (!sandbox) throw new Error(`an object for ${id}`);
        return handle(sandbox.server.service, new Request(url, withDuplex(init)));
      },
    }),
  };
  const statusCounts = new Map<number, number>();
  for (let run = 0; run < runs; run++) {
    const [target, otherSandbox] = random.next() < 0.5 ? [closed, open] : [open, closed];
    const request = strangersRequest(target, otherSandbox);
    const summary = `run ${run}: ${request.method} ${request.url} ${JSON.stringify([...request.headers])}`;
    const address = sandboxAddress(request);
    const answer = await (address
      ? proxyToSandbox(request, address, proxy)
      : controlApiApp.fetch(request, {
          controlApi: control,
          report: (error: unknown) => expect.fail(`${summary} ${String(error)}`),
        }));
    statusCounts.set(answer.status, (statusCounts.get(answer.status) ?? 0) + 1);
    if (![400, 401, 403, 404].includes(answer.status))
      expect.fail(`${summary}: ${answer.status} ${await answer.text()}`);
  }
  expect([closed, open].map(({ server }) => server.cluster.registry.store.revision)).toEqual(before);
  expect([...closed.server.bugs, ...open.server.bugs]).toEqual([]);
  // Otherwise they would not have come as far as they should.
  for (const code of [401, 403, 404]) expect([code, statusCounts.get(code) ?? 0]).not.toEqual([code, 0]);
});
