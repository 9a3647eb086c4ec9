// Authentication: bootstrap tokens, issuers' tokens, client certificates, anonymous requests; and token reviews.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { Buffer } from "node:buffer";
import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { TokenReviewStatus } from "../../shared/k8s/api/authentication-v1.ts";
import { oidcIssuer } from "../../shared/contract/issuer.ts";
import { authenticatorOf } from "../../shared/contract/jwt-authenticator.ts";
import type { OutboundAnswer, OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { newIssuers } from "../../worker/api/authentication/issuers.ts";
import { authenticate } from "../../worker/api/filters/authentication.ts";
import type { ApiServer } from "../../worker/api/api-server.ts";
import { core, newServer, refusal, refused, type TestServer, type TestServerOptions } from "./server.ts";

const startMs = Date.UTC(2026, 0, 1);
const unauthorized = refused(401, "Unauthorized", "Unauthorized");

async function review({ ask }: TestServer, token: string, audiences?: string[]): Promise<TokenReviewStatus> {
  const { body } = await ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
    body: { kind: "TokenReview", apiVersion: "authentication.k8s.io/v1", spec: { token, audiences } },
  });
  return body.status as unknown as TokenReviewStatus;
}

/** Returns the user of a request. */
async function sender({ service: server }: TestServer, headers: Record<string, string>) {
  const { user } = await authenticate(server, new Request("https://test/api", { headers }));
  return user;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("bootstrap tokens", () => {
  const token = "abcdef.0123456789abcdef";
  const stringData = {
    "token-id": "abcdef",
    "token-secret": "0123456789abcdef",
    "usage-bootstrap-authentication": "true",
    "auth-extra-groups": "system:bootstrappers:workers",
    expiration: "2026-01-01T01:00:00Z",
  };
  const secret = (changes: Record<string, string> = {}, type = "bootstrap.kubernetes.io/token") => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "bootstrap-token-abcdef" },
    type,
    stringData: { ...stringData, ...changes },
  });
  const withSecret = async (body: object, namespace = "kube-system") => {
    const server = newServer({ controllers: [] });
    const created = await server.ask("POST", `/api/v1/namespaces/${namespace}/secrets`, { body });
    expect(created.code).toBe(201);
    return server;
  };

  test("authenticate their id, in the groups of their secret", async () => {
    const server = await withSecret(secret());
    const user = { username: "system:bootstrap:abcdef" };
    const groups = ["system:bootstrappers", "system:bootstrappers:workers", "system:authenticated"];
    expect(await review(server, token)).toMatchObject({ authenticated: true, user: { ...user, groups } });
    expect((await server.ask("GET", `${core}/pods`, { token })).text).toContain(
      'User \\"system:bootstrap:abcdef\\" cannot list resource',
    );
    // It is valid for the API only.
    expect(await review(server, token, ["vault"])).toEqual({ user: {}, error: "invalid bearer token" });
  });

  test.each([
    ["another secret", secret({ "token-secret": "0123456789abcdee" })],
    ["another id in the data", secret({ "token-id": "abcdee" })],
    ["another type", secret({}, "Opaque")],
    ["another use", secret({ "usage-bootstrap-authentication": "false" })],
    ["a group of another kind", secret({ "auth-extra-groups": "system:masters" })],
    ["a past expiry", secret({ expiration: "2025-12-31T23:00:00Z" })],
    ["an invalid expiry", secret({ expiration: "tomorrow" })],
  ])("%s is 401", async (_, body) => {
    const server = await withSecret(body);
    expect(refusal(await server.ask("GET", "/api", { token }))).toEqual(unauthorized);
  });

  test("are valid in kube-system only, and expire by the machine's clock", async () => {
    expect((await (await withSecret(secret(), "default")).ask("GET", "/api", { token })).code).toBe(401);
    const server = await withSecret(secret());
    expect((await server.ask("GET", "/api", { token })).code).toBe(200);
    server.cluster.clock.step(3_600_000);
    expect((await server.ask("GET", "/api", { token })).code).toBe(401);
  });
});

describe("anonymous requests", () => {
  const open: TestServerOptions = { controllers: [], service: () => ({ letsAnonymous: true }) };

  test("are 401 unless the sandbox allows them", async () => {
    const { ask } = newServer({ controllers: [] });
    expect(refusal(await ask("GET", "/healthz", { token: null }))).toEqual(unauthorized);
  });

  test("read the public paths if they are allowed, and are rejected for others as upstream does", async () => {
    const { ask } = newServer(open);
    for (const path of ["/healthz", "/livez", "/readyz", "/version"]) {
      expect([path, (await ask("GET", path, { token: null })).code]).toEqual([path, 200]);
    }
    expect(refusal(await ask("GET", "/", { token: null }))).toEqual(
      refused(403, "Forbidden", 'forbidden: User "system:anonymous" cannot get path "/"'),
    );
    expect(refusal(await ask("GET", `${core}/pods`, { token: null }))).toEqual(
      refused(
        403,
        "Forbidden",
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
      ),
    );
  });

  test("are not assumed for invalid bearer tokens, but for other schemes", async () => {
    const server = newServer(open);
    expect((await server.ask("GET", "/healthz", { token: "wrong" })).code).toBe(401);
    const anonymousUser = { name: "system:anonymous", groups: ["system:unauthenticated"] };
    const none: Record<string, string>[] = [{}, { authorization: "Basic YTpi" }, { "x-remote-user": "root" }];
    for (const headers of none) {
      expect(await sender(server, headers)).toEqual(anonymousUser);
    }
    await expect(sender(server, { "sandbar-client-certificate": "AAAA" })).rejects.toMatchObject({ code: 401 });
  });
});

describe("tokens of OIDC issuers", () => {
  const issuerUrl = "https://issuer.example.org/realm";
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const claims = { iss: issuerUrl, aud: "kubernetes", sub: "ada", exp: startMs / 1000 + 600, team: ["blue"] };
  const config = { issuerUrl, audiences: ["kubernetes"], groupsClaim: "team", groupsPrefix: "oidc:" };

  function jwt(payload: object, { key = pair.privateKey, kid = "one" } = {}): string {
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const text = `${encode({ alg: "ES256", kid })}.${encode(payload)}`;
    return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
  }

  function issuer(changes: object = {}) {
    const requestedUrls: string[] = [];
    const time = { nowMs: startMs };
    const keys = [{ ...createPublicKey(pair.privateKey).export({ format: "jwk" }), kid: "one", use: "sig" }];
    const documents: Record<string, object> = {
      [`${issuerUrl}/.well-known/openid-configuration`]: { issuer: issuerUrl, jwks_uri: "https://keys.example.org/" },
      "https://keys.example.org/": { keys },
    };
    const ask = ({ to: { url }, method }: OutboundCall): Promise<OutboundAnswer> => {
      requestedUrls.push(`${method} ${url}`);
      const document = documents[url];
      return Promise.resolve(
        document ? { ok: true, status: 200, body: JSON.stringify(document) } : { ok: false, message: "no such host" },
      );
    };
    const parsed = oidcIssuer.parse({ ...config, ...changes });
    const issuers = newIssuers([authenticatorOf(parsed)], ask, () => time.nowMs, new WorkMeter());
    const server = newServer({ controllers: [], service: () => ({ issuers }) });
    const ofToken = async (token: string) => (await review(server, token)).error;
    return {
      server,
      asked: requestedUrls,
      time,
      keys,
      documents,
      ofToken,
      who: (token: string) => sender(server, bearer(token)),
    };
  }

  test("contain the user, with the issuer's prefix, and its groups", async () => {
    const { who, server } = issuer();
    expect(await who(jwt({ ...claims, jti: "7" }))).toEqual({
      name: `${issuerUrl}#ada`,
      groups: ["oidc:blue", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": ["JTI=7"] },
    });
    expect(await review(server, jwt(claims))).toMatchObject({
      authenticated: true,
      user: { username: `${issuerUrl}#ada` },
      audiences: ["https://kubernetes.default.svc.cluster.local"],
    });
    expect(await review(server, jwt(claims), ["vault"])).toEqual({ user: {}, error: "invalid bearer token" });
  });

  test.each([
    ["a configured prefix", { usernamePrefix: "x:" }, {}, "x:ada"],
    ["none", { usernamePrefix: "-" }, {}, "ada"],
    ["a verified email address", { usernameClaim: "email" }, { email: "a@b.c", email_verified: true }, "a@b.c"],
    ["an email address without verification", { usernameClaim: "email" }, { email: "a@b.c" }, "a@b.c"],
  ])("name the user: %s", async (_, changes, more, name) => {
    expect(await issuer(changes).who(jwt({ ...claims, ...more }))).toMatchObject({ name });
  });

  test.each([
    ["another audience", {}, { aud: ["else"] }, 'verify token: oidc: expected audience "kubernetes" got ["else"]'],
    [
      "none of several audiences",
      { audiences: ["b", "a"] },
      {},
      'verify token: oidc: expected audience in ["a" "b"] got ["kubernetes"]',
    ],
    [
      "an expired token",
      {},
      { exp: startMs / 1000 - 1 },
      "verify token: oidc: token is expired (Token Expiry: 2025-12-31 23:59:59 +0000 UTC)",
    ],
    [
      "no expiry",
      {},
      { exp: undefined },
      "verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:00 +0000 UTC)",
    ],
    [
      "a token of the future",
      {},
      { nbf: startMs / 1000 + 301 },
      "verify token: oidc: current time 2026-01-01 00:00:00 +0000 UTC before the nbf (not before) time: 2026-01-01 00:05:01 +0000 UTC",
    ],
    ["no name", { usernameClaim: "who" }, {}, 'parse username claims "who": claim not present'],
    [
      "an invalid subject",
      {},
      { sub: 7 },
      "verify token: oidc: failed to unmarshal claims: json: cannot unmarshal number into Go struct field idToken.sub of type string",
    ],
    [
      "an invalid name",
      { usernameClaim: "who" },
      { who: 7 },
      'parse username claims "who": json: cannot unmarshal number into Go value of type string',
    ],
    [
      "an unverified email address",
      { usernameClaim: "email" },
      { email: "a", email_verified: false },
      "email not verified",
    ],
    [
      "invalid groups",
      {},
      { team: [1] },
      'parse groups claim "team": json: cannot unmarshal array into Go value of type string',
    ],
    ["a missing claim", { requiredClaims: { hd: "x" } }, {}, "required claim hd not present in ID token"],
    [
      "a claim with another value",
      { requiredClaims: { hd: "x" } },
      { hd: "y" },
      "required claim hd value does not match. Got = y, want = x",
    ],
  ])("are rejected, with the reason in a review: %s", async (_, changes, more, message) => {
    const { ofToken, who } = issuer(changes);
    const token = jwt({ ...claims, ...more });
    await expect(who(token)).rejects.toMatchObject({ code: 401, message: "Unauthorized" });
    expect(await ofToken(token)).toBe(`[invalid bearer token, oidc: ${message}]`);
  });

  test("from an unknown issuer are not recognised, and cause no request", async () => {
    const { ofToken, asked: requestedUrls } = issuer();
    expect(await ofToken(jwt({ ...claims, iss: "https://else.example.org" }))).toBe("invalid bearer token");
    for (const token of ["a.b.c", "e30.bnVsbA.x", "e30.W10.x", `${jwt(claims)}.x`]) {
      expect(await ofToken(token)).toBe("invalid bearer token");
    }
    expect(requestedUrls).toEqual([]);
  });

  test("signed by another key are invalid for any header", async () => {
    const { ofToken, time } = issuer();
    const why =
      "[invalid bearer token, oidc: verify token: failed to verify signature: failed to verify id token signature]";
    expect(await ofToken(jwt(claims, { key: otherKey.privateKey }))).toBe(why);
    expect(await ofToken(jwt(claims, { key: otherKey.privateKey, kid: "two" }))).toBe(why);
    const [head, , signature] = jwt(claims).split(".");
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "root" })).toString("base64url");
    expect(await ofToken(`${head}.${forged}.${signature}`)).toBe(why);
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    time.nowMs += 60_000;
    expect(await ofToken(`${none}.${jwt(claims).split(".")[1]}.`)).toBe(why);
  });

  test("cause one request for keys, and another for an unknown key, but not for each token", async () => {
    const { who, asked: requestedUrls, time, keys, ofToken } = issuer();
    await Promise.all([who(jwt(claims)), who(jwt(claims))]);
    await who(jwt(claims));
    expect(requestedUrls).toEqual([
      `GET ${issuerUrl}/.well-known/openid-configuration`,
      "GET https://keys.example.org/",
    ]);
    const rotated = jwt(claims, { key: otherKey.privateKey, kid: "two" });
    for (let attempt = 0; attempt < 5; attempt++) await ofToken(rotated);
    expect(requestedUrls.length).toBe(2);
    keys[0] = { ...createPublicKey(otherKey.privateKey).export({ format: "jwk" }), kid: "two", use: "sig" };
    time.nowMs += 10_000;
    expect(await who(rotated)).toMatchObject({ name: `${issuerUrl}#ada` });
    expect(requestedUrls.length).toBe(4);
    // Keys that the issuer has withdrawn are invalid.
    await expect(who(jwt(claims))).rejects.toMatchObject({ code: 401 });
  });

  test("from an unreachable or different issuer authenticate nobody", async () => {
    const gone = issuer();
    delete gone.documents["https://keys.example.org/"];
    expect(await gone.ofToken(jwt(claims))).toContain("oidc: authenticator not initialized: no such host");
    const false_ = issuer();
    false_.documents[`${issuerUrl}/.well-known/openid-configuration`] = { issuer: "https://x", jwks_uri: "https://y" };
    expect(await false_.ofToken(jwt(claims))).toContain(`expected "${issuerUrl}" got "https://x"`);
    const plain = issuer();
    plain.documents[`${issuerUrl}/.well-known/openid-configuration`] = { issuer: issuerUrl, jwks_uri: "http://y" };
    expect(await plain.ofToken(jwt(claims))).toContain("jwks_uri is no https address");
  });

  test.each(["http://a.b", "https://user@a.b", "https://a.b?x", "https://a.b#x", "https://", "ftp://a.b"])(
    "need an https URL as issuer, not %s",
    (url) => {
      expect(oidcIssuer.safeParse({ ...config, issuerUrl: url }).success).toBe(false);
    },
  );
});

describe("client certificates", () => {
  test("authenticate their user, in the group of all users", async () => {
    const holderOf: NonNullable<ApiServer["holderOf"]> = (text) =>
      text === "good" ? { name: "ada", groups: ["devs"] } : undefined;
    const server = newServer({ controllers: [], service: () => ({ holderOf }) });
    const header = "sandbar-client-certificate";
    expect(await sender(server, { [header]: "good" })).toEqual({
      name: "ada",
      groups: ["devs", "system:authenticated"],
    });
    await expect(sender(server, { [header]: "bad" })).rejects.toMatchObject({ code: 401 });
    // As upstream, the token is used if the certificate is invalid.
    expect(await sender(server, { [header]: "bad", ...bearer("stranger-token") })).toMatchObject({ name: "jane" });
    expect(await sender(server, { [header]: "good", ...bearer("stranger-token") })).toMatchObject({ name: "ada" });
  });
});
