// Service account tokens: requests, binding, and authentication.
import { describe, expect, test } from "vitest";
import { core, newServer, pod, refusal, refused, type TestServer } from "./server.ts";

const issuer = "https://kubernetes.default.svc.cluster.local";
const authentication = "/apis/authentication.k8s.io/v1";

interface TokenRequest {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly audiences: readonly string[]; readonly expirationSeconds: number };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

interface TokenReview {
  readonly status: {
    readonly authenticated?: boolean;
    readonly error?: string;
    readonly audiences?: readonly string[];
    readonly user: { readonly username?: string; readonly groups?: readonly string[]; readonly extra?: object };
  };
}

function tokenFor({ ask }: TestServer, spec: object = {}, account = "default") {
  return ask<TokenRequest>("POST", `${core}/serviceaccounts/${account}/token`, {
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec },
  });
}

async function review({ ask }: TestServer, token: string, audiences?: readonly string[]) {
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences } };
  return (await ask<TokenReview>("POST", `${authentication}/tokenreviews`, { body })).body.status;
}

function claimsOf(token: string) {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
}

describe("a token request", () => {
  test("returns a signed token of the account", async () => {
    const server = newServer();
    const { code, body } = await tokenFor(server);
    expect(code).toBe(201);
    expect(body.spec).toEqual({ audiences: [issuer], expirationSeconds: 3600, boundObjectRef: null });
    const now = Math.floor(server.cluster.clock.nowMs() / 1000);
    expect(Date.parse(body.status.expirationTimestamp) / 1000).toBe(now + 3600);
    expect(claimsOf(body.status.token)).toEqual({
      aud: [issuer],
      exp: now + 3600,
      iat: now,
      iss: issuer,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      "kubernetes.io": { namespace: "default", serviceaccount: { name: "default", uid: body.metadata.uid } },
      nbf: now,
      sub: "system:serviceaccount:default:default",
    });
  });

  test("is rejected as upstream rejects it", async () => {
    const server = newServer();
    const invalid = "TokenRequest.authentication.k8s.io";
    expect(refusal((await tokenFor(server, { expirationSeconds: 60 })) as never)).toEqual(
      refused(
        422,
        "Invalid",
        `${invalid} "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes`,
      ),
    );
    expect(refusal((await tokenFor(server, {}, "none")) as never)).toEqual(
      refused(404, "NotFound", 'serviceaccounts "none" not found'),
    );
    const boundTo = (kind: string, apiVersion = "v1") => ({ boundObjectRef: { kind, apiVersion, name: "x" } });
    expect(refusal((await tokenFor(server, boundTo("ConfigMap"))) as never)).toEqual(
      refused(400, "BadRequest", "cannot bind token to object of type /v1, Kind=ConfigMap"),
    );
    expect(refusal((await tokenFor(server, boundTo("Pod"))) as never)).toEqual(
      refused(404, "NotFound", 'pods "x" not found'),
    );
    expect(refusal((await tokenFor(server, { boundObjectRef: { kind: "Pod", apiVersion: "v1" } })) as never)).toEqual(
      refused(400, "BadRequest", "Name parameter required."),
    );
  });

  test("is reviewed with its audiences in the requested order", async () => {
    const server = newServer();
    const { token } = (await tokenFor(server, { audiences: ["a", "b"] })).body.status;
    expect((await review(server, token, ["b", "c", "a"])).audiences).toEqual(["b", "a"]);
  });

  test("for a pod has its node, is valid for a year for the kubelet, and ends with the pod", async () => {
    const server = newServer();
    await server.ask("POST", `${core}/pods`, { body: pod("p") });
    server.cluster.runUntilQuiet();
    const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "p" };
    const { body } = await tokenFor(server, { boundObjectRef, expirationSeconds: 3607 });
    const claims = claimsOf(body.status.token);
    const kubernetesClaims = claims["kubernetes.io"] as {
      node: { name: string };
      pod: { name: string };
      warnafter: number;
    };
    expect([kubernetesClaims.pod.name, kubernetesClaims.node.name]).toEqual(["p", expect.stringMatching(/./)]);
    expect([kubernetesClaims.warnafter, claims.exp]).toEqual([
      Number(claims.iat) + 3607,
      Number(claims.iat) + 365 * 24 * 3600,
    ]);
    const { user } = await review(server, body.status.token);
    expect(Object.keys(user.extra ?? {})).toEqual(
      ["credential-id", "node-name", "node-uid", "pod-name", "pod-uid"].map(
        (name) => `authentication.kubernetes.io/${name}`,
      ),
    );
    await server.ask("DELETE", `${core}/pods/p?gracePeriodSeconds=0`);
    server.cluster.runUntilQuiet();
    expect(await review(server, body.status.token)).toEqual({
      user: {},
      error: "[invalid bearer token, service account token has been invalidated]",
    });
  });
});

describe("a service account's token", () => {
  test("authenticates the account, which may use discovery only", async () => {
    const server = newServer();
    const { token } = (await tokenFor(server)).body.status;
    const me = await server.ask<{ status: { userInfo: object } }>("POST", `${authentication}/selfsubjectreviews`, {
      token,
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    });
    expect(me.body.status.userInfo).toMatchObject({
      username: "system:serviceaccount:default:default",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    expect((await server.ask("GET", "/apis", { token })).code).toBe(200);
    expect((await server.ask("GET", "/openid/v1/jwks", { token })).code).toBe(200);
    expect((await server.ask("GET", "/metrics", { token })).code).toBe(403);
    expect(refusal(await server.ask("GET", `${core}/pods`, { token })).message).toBe(
      'pods is forbidden: User "system:serviceaccount:default:default" cannot list resource "pods" in API group "" in the namespace "default"',
    );
  });

  test("is invalid when it is changed, of another cluster or audience, expired, or its account is deleted", async () => {
    const server = newServer();
    const { token } = (await tokenFor(server)).body.status;
    const [header, claims, signature = ""] = token.split(".");
    const stretched = Buffer.from(JSON.stringify({ ...claimsOf(token), exp: 9e9 })).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const foreign = (await tokenFor(newServer({ seed: 2 }))).body.status.token;
    for (const bad of [
      `${header}.${stretched}.${signature}`,
      `${none}.${claims}.`,
      `${none}.${claims}.${signature}`,
      foreign,
    ]) {
      expect((await server.ask("GET", "/api", { token: bad })).code).toBe(401);
      const error = "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]";
      expect(await review(server, bad)).toEqual({ user: {}, error });
    }
    expect((await server.ask("GET", "/api", { token: "a.b.c" })).code).toBe(401);
    expect(await review(server, "a.b.c")).toEqual({ user: {}, error: "invalid bearer token" });
    const vault = (await tokenFor(server, { audiences: ["vault"] })).body.status.token;
    expect((await server.ask("GET", "/api", { token: vault })).code).toBe(401);
    expect((await review(server, vault)).error).toBe(
      `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${issuer}"]]`,
    );
    expect(await review(server, vault, ["vault", "other"])).toMatchObject({
      authenticated: true,
      audiences: ["vault"],
    });
    server.cluster.step(3600_000);
    expect((await server.ask("GET", "/api", { token })).code).toBe(200);
    server.cluster.step(61_000);
    expect((await server.ask("GET", "/api", { token })).code).toBe(401);
    expect((await review(server, token)).error).toBe("[invalid bearer token, service account token has expired]");
    const fresh = (await tokenFor(server)).body.status.token;
    await server.ask("DELETE", `${core}/serviceaccounts/default`);
    expect((await server.ask("GET", "/api", { token: fresh })).code).toBe(401);
  });

  test("is signed by the cluster's key, also after the cluster is opened again", async () => {
    const server = newServer();
    const { token } = (await tokenFor(server)).body.status;
    expect(server.cluster.key.verify(token)).toMatchObject({ iss: issuer });
    expect(server.cluster.key.jwk()).toEqual(server.cluster.key.jwk());
  });
});

describe("a token in a secret", () => {
  const legacySecret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: { name: "token", annotations: { "kubernetes.io/service-account.name": "default" } },
  };
  const read = async ({ ask }: TestServer) => (await ask("GET", `${core}/secrets/token`)).body;

  async function withToken(): Promise<{ server: TestServer; token: string }> {
    const server = newServer();
    await server.ask("POST", `${core}/secrets`, { body: legacySecret });
    return { server, token: atob((await read(server)).data["token"] ?? "") };
  }

  test("authenticates the account, and its use is recorded once a day", async () => {
    const { server, token } = await withToken();
    expect((await server.ask("GET", "/api", { token })).code).toBe(200);
    expect(await review(server, token)).toMatchObject({
      authenticated: true,
      audiences: [issuer],
      user: {
        username: "system:serviceaccount:default:default",
        groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
      },
    });
    const noted = (await read(server)).metadata;
    expect(noted.labels).toEqual({ "kubernetes.io/legacy-token-last-used": "2026-01-01" });
    await server.ask("GET", "/api", { token });
    expect((await read(server)).metadata.resourceVersion).toBe(noted.resourceVersion);
  });

  test("is invalid for other audiences, and when it is marked, replaced, or deleted", async () => {
    const { server, token } = await withToken();
    expect((await review(server, token, ["vault"])).error).toBe(
      `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["vault"]]`,
    );
    const patch = (body: object) =>
      server.ask("PATCH", `${core}/secrets/token`, {
        body,
        headers: { "content-type": "application/merge-patch+json" },
      });
    const mark = "kubernetes.io/legacy-token-invalid-since";
    await patch({ metadata: { labels: { [mark]: "2026-01-01" } } });
    expect((await review(server, token)).error).toBe(
      `[invalid bearer token, the token in secret default/token for service account default/default has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${mark}' label from the secret to temporarily allow use of this token]`,
    );
    await patch({ metadata: { labels: { [mark]: null } }, data: { token: btoa("other") } });
    expect((await review(server, token)).error).toBe("[invalid bearer token, Token does not match server's copy]");
    await server.ask("DELETE", `${core}/secrets/token`);
    expect((await review(server, token)).error).toBe("[invalid bearer token, Token has been invalidated]");
    expect((await server.ask("GET", "/api", { token })).code).toBe(401);
  });
});
