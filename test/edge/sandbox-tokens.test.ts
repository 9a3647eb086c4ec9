// The control API's tokens of a sandbox: made for users, listed, revoked.
import { describe, expect, test } from "vitest";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { tokenList, userToken } from "../../shared/contract/token.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { isTokenOf } from "../../worker/edge/tokens.ts";
import { keys, newService, secret, startMs } from "./service.ts";

async function newHarness() {
  const harness = await newService();
  const sandbox = sandboxWithToken.parse(await (await harness.send("POST", "/v1/sandboxes")).json());
  const root = `/v1/sandboxes/${sandbox.id}/tokens`;
  return { ...harness, id: sandbox.id, root };
}

describe("users' tokens", () => {
  test("A10: the cluster gets user, groups, expiry and hash, and the caller gets the token, which the edge accepts", async () => {
    const { send, clusters, id, root } = await newHarness();
    const body = { user: "ada", groups: ["devs", "ops"], ttlSeconds: 600 };
    const answer = await send("POST", root, { body });
    const token = userToken.parse(await answer.json());
    const hash = await hashOf(token.token);
    expect([answer.status, token.id, token.expiresAt]).toEqual([201, hash.slice(0, 20), "2026-01-01T00:10:00.000Z"]);
    const stored = { ...body, hash, expiresAtMs: startMs + 600_000, readOnly: false, frameOrigins: [] };
    const { ttlSeconds: _, ...tokenFacts } = stored;
    expect(clusters.get(id)?.tokens).toEqual([tokenFacts]);
    expect(await isTokenOf(secret, id, token.token, startMs + 599_999)).toBe(true);
    expect(await isTokenOf(secret, id, token.token, startMs + 600_000)).toBe(false);
  });

  test("A10: the answer is a kubeconfig as YAML", async () => {
    const { send, id, root } = await newHarness();
    const answer = await send("POST", root, { body: { user: "ada" }, headers: { accept: "application/yaml" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/yaml"]);
    expect(await answer.text()).toMatch(new RegExp(`server: "[^"]+/c/${id}"[\\s\\S]*token: "sbu_${id}_`));
  });

  test("A10: tokens are listed without their text, and revoked by their ids", async () => {
    const { send, root, clusters, id } = await newHarness();
    await send("POST", root, { body: { user: "ada" } });
    await send("POST", root);
    const text = await (await send("GET", root)).text();
    expect(text).not.toMatch(/sb[auv]_/);
    const { tokens } = tokenList.parse(JSON.parse(text));
    expect(tokens.map(({ user, readOnly }) => [user, readOnly])).toEqual([
      ["ada", false],
      ["sandbar:viewer", true],
    ]);
    expect((await send("DELETE", `${root}/${tokens[0]?.id}`)).status).toBe(204);
    expect((await send("DELETE", `${root}/${tokens[0]?.id}`)).status).toBe(404);
    expect(clusters.get(id)?.tokens.map(({ user }) => user)).toEqual(["sandbar:viewer"]);
  });

  test("A1: another tenant can neither list, create nor revoke them", async () => {
    const { send, root, clusters, id } = await newHarness();
    await send("POST", root, { body: { user: "ada" } });
    const tokenId = (await hashOf("x")).slice(0, 20);
    for (const [method, path] of [
      ["GET", root],
      ["POST", root],
      ["DELETE", `${root}/${tokenId}`],
    ] as const) {
      expect((await send(method, path, { key: keys.bob })).status).toBe(404);
    }
    expect(clusters.get(id)?.tokens.length).toBe(1);
  });

  test("A10: a sandbox has a bounded number of tokens", async () => {
    const { send, root } = await newHarness();
    const codes: number[] = [];
    for (let round = 0; round < 4; round++) codes.push((await send("POST", root, { body: { user: "ada" } })).status);
    expect(codes).toEqual([201, 201, 201, 409]);
  });

  test("A3: a deleted sandbox answers 410", async () => {
    const { send, root, clusters, id } = await newHarness();
    const cluster = clusters.get(id);
    if (cluster) cluster.addToken = async () => "gone";
    for (const body of [{ user: "ada" }, {}]) expect((await send("POST", root, { body })).status).toBe(410);
  });

  test("A4: the URL of a view without frame origins has no frame parameter", async () => {
    const { send, root } = await newHarness();
    const url = async (body: object) => (await (await send("POST", root, { body })).json<{ url: string }>()).url;
    expect(await url({})).not.toContain("frame");
    expect(await url({ frameOrigins: ["https://a.b"] })).toMatch(/\?frame=[^#]+#sbv_/);
  });

  test("A10: the administrator's token is not listed", async () => {
    const { send, root, clusters, id } = await newHarness();
    clusters.get(id)?.tokens.push({
      hash: "f".repeat(64),
      user: "kubernetes-admin",
      groups: ["system:masters"],
      expiresAtMs: undefined,
      readOnly: false,
      frameOrigins: [],
    });
    expect(tokenList.parse(await (await send("GET", root)).json()).tokens).toEqual([]);
  });

  test.each([
    ["a user with blanks", { user: "a b" }, "user"],
    ["a user without a name", { user: "" }, "user"],
    ["groups without a user", { groups: ["a"] }, "groups"],
    ["frame origins of a user", { user: "a", frameOrigins: ["https://a.b"] }, "frameOrigins"],
    ["no time", { user: "a", ttlSeconds: 0 }, "ttlSeconds"],
  ])("A10: 400 names the field %s", async (_, body, field) => {
    const { send, root } = await newHarness();
    const answer = await send("POST", root, { body });
    expect(await answer.json()).toMatchObject({ error: { field } });
    expect(answer.status).toBe(400);
  });
});

describe("authentication settings of a sandbox", () => {
  const issuer = { issuerUrl: "https://issuer.example.org", audiences: ["kubernetes"] };

  test("A8: the cluster gets anonymous access and issuers", async () => {
    const { send, clusters } = await newService();
    const body = { anonymousAccess: true, oidcIssuers: [issuer] };
    const { id } = sandboxWithToken.parse(await (await send("POST", "/v1/sandboxes", { body })).json());
    expect(clusters.get(id)?.initializeOptions?.settings).toMatchObject({
      anonymousAccess: true,
      oidcIssuers: [{ ...issuer, usernameClaim: "sub", groupsPrefix: "", requiredClaims: {} }],
    });
  });

  test.each([
    ["an issuer without https", [{ ...issuer, issuerUrl: "http://a.b" }]],
    ["the cluster itself", [{ ...issuer, issuerUrl: "https://kubernetes.default.svc.cluster.local" }]],
    ["no audience", [{ ...issuer, audiences: [] }]],
    ["a duplicate issuer", [issuer, issuer]],
  ])("A10: 400 for %s", async (_, oidcIssuers) => {
    const { send } = await newService();
    const answer = await send("POST", "/v1/sandboxes", { body: { oidcIssuers } });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(await answer.json())).toContain('"field":"oidcIssuers');
  });
});
