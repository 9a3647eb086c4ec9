// A sandbox's token is rotated: by itself, with all others, and when the sandbox is reset; also by two requests at once.
import { expect, test } from "vitest";
import type { KeyWithSecret } from "../../shared/contract/key.ts";
import type { RunWithTokens } from "../../shared/contract/lesson.ts";
import { sandboxWithToken, type ShownSandbox } from "../../shared/contract/sandbox.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { adminToken, isTokenOf, sandboxOfToken } from "../../worker/edge/tokens.ts";
import { keys, newService, secret, type SendOptions, startMs } from "./service.ts";

type Bed = Awaited<ReturnType<typeof newService>>;

async function newSandbox() {
  const bed = await newService();
  const sandbox = sandboxWithToken.parse(await (await bed.send("POST", "/v1/sandboxes", { body: {} })).json());
  const cluster = bed.clusters.get(sandbox.id);
  if (!cluster) throw new Error("no cluster was made");
  const rotate = (options: SendOptions = {}) => bed.send("POST", `/v1/sandboxes/${sandbox.id}/rotate`, options);
  return { bed, sandbox, cluster, rotate };
}

async function tokenShown(bed: Bed, id: string): Promise<string | undefined> {
  return (await (await bed.send("GET", `/v1/sandboxes/${id}`)).json<ShownSandbox>()).token;
}

async function keyWith(bed: Bed, scopes: string[]): Promise<string> {
  const answer = await bed.send("POST", "/v1/keys", { body: { name: "k", scopes } });
  return (await answer.json<KeyWithSecret>()).key;
}

test("a rotation returns a new token, which the cluster accepts and all reads return", async () => {
  const { bed, sandbox, cluster, rotate } = await newSandbox();
  const first = await (await rotate()).json<ShownSandbox>();
  const second = await (await rotate()).json<ShownSandbox>();
  const tokens = [sandbox.token, first.token, second.token];
  expect(new Set(tokens).size).toBe(3);
  expect(cluster.renewed).toEqual([
    { adminTokenHash: await hashOf(first.token ?? ""), revoke: [] },
    { adminTokenHash: await hashOf(second.token ?? ""), revoke: [] },
  ]);
  expect(await tokenShown(bed, sandbox.id)).toBe(second.token);
  expect(await (await bed.send("GET", `/v1/sandboxes/${sandbox.id}/kubeconfig`)).text()).toContain(second.token);
  // All of them are genuine; which of them is good is the cluster's to say.
  for (const token of tokens) {
    expect(sandboxOfToken(token ?? "")).toBe(sandbox.id);
    expect(await isTokenOf(secret, sandbox.id, token ?? "", startMs)).toBe(true);
  }
});

test("a version has one spelling, and its tag fits no other version", async () => {
  const { sandbox } = await newSandbox();
  const first = await adminToken(secret, sandbox.id, 1);
  const tag = first.slice(-51);
  for (const forged of ["01", "2", "", "-1", "1_1", "1 ", "zzzzzzzzzzzz"]) {
    expect(await isTokenOf(secret, sandbox.id, `sba_${sandbox.id}_${forged}_${tag}`, startMs)).toBe(false);
  }
  expect(await isTokenOf(secret, sandbox.id, `sba_${sandbox.id}_${tag}`, startMs)).toBe(false);
  expect(await isTokenOf("another", sandbox.id, first, startMs)).toBe(false);
});

test("a rotation is audited, and a caller without the connect scope does not get the token", async () => {
  const { bed, sandbox, cluster, rotate } = await newSandbox();
  const writer = await keyWith(bed, ["sandboxes:write", "sandboxes:read"]);
  const asYaml = { key: writer, headers: { accept: "application/yaml" } };
  expect((await rotate(asYaml)).status).toBe(403);
  // Refused before anything was replaced.
  expect(cluster.renewed).toEqual([]);
  const answer = await rotate({ key: writer });
  expect([answer.status, await answer.json()]).toEqual([
    200,
    expect.not.objectContaining({ token: expect.anything() }),
  ]);
  const kubeconfig = await rotate({ headers: { accept: "application/yaml" } });
  expect(await kubeconfig.text()).toContain((await tokenShown(bed, sandbox.id)) ?? "no token");
  await bed.settled();
  const { entries } = await (await bed.send("GET", "/v1/audit")).json<{ entries: Record<string, string>[] }>();
  const rotations = entries.filter(({ action }) => action === "rotateToken");
  expect(rotations.map(({ target, outcome }) => [target, outcome])).toEqual([
    [sandbox.id, "done"],
    [sandbox.id, "done"],
  ]);
});

test("webhooks receive a rotation", async () => {
  const { bed, sandbox, rotate } = await newSandbox();
  const url = "https://hooks.example.com";
  await bed.send("POST", "/v1/webhooks", { body: { url, events: ["sandbox.token_rotated"] } });
  await rotate();
  await bed.settled();
  const events = bed.tenants
    .inside("ada")
    .webhooks.due(startMs)
    .map(({ type, body }) => [type, JSON.parse(body)]);
  expect(events).toMatchObject([["sandbox.token_rotated", { data: { sandbox: { id: sandbox.id } } }]]);
});

test("a rotation of all revokes users' tokens as well", async () => {
  const { bed, sandbox, cluster, rotate } = await newSandbox();
  await bed.send("POST", `/v1/sandboxes/${sandbox.id}/tokens`, { body: { user: "ada" } });
  await rotate();
  expect(cluster.tokens).toHaveLength(1);
  await rotate({ body: { all: true } });
  expect(cluster.renewed.at(-1)?.revoke).toBe("all");
  expect(cluster.tokens).toEqual([]);
});

test("two concurrent rotations both end with the token that reads return", async () => {
  const { bed, sandbox, cluster, rotate } = await newSandbox();
  const renew = cluster.renewTokens;
  const late = Promise.withResolvers<void>();
  let calls = 0;
  // What the first request tells the cluster arrives after all that the second one does.
  cluster.renewTokens = async (renewed) => {
    if (calls++ === 0) await late.promise;
    return renew(renewed);
  };
  const first = rotate();
  while (calls === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  const second = await (await rotate()).json<ShownSandbox>();
  late.resolve();
  const answered = await (await first).json<ShownSandbox>();
  const adminTokenText = (await tokenShown(bed, sandbox.id)) ?? "";
  expect([answered.token, second.token]).toEqual([adminTokenText, adminTokenText]);
  expect(cluster.renewed.at(-1)?.adminTokenHash).toBe(await hashOf(adminTokenText));
});

test("a reset rotates the token if requested, and not if the reset is refused", async () => {
  const { bed, sandbox, cluster } = await newSandbox();
  const reset = (body?: object) => bed.send("POST", `/v1/sandboxes/${sandbox.id}/reset`, { body });
  expect(await (await reset()).json()).toEqual({ revision: 99 });
  expect(cluster.renewed).toEqual([]);
  const writer = await keyWith(bed, ["sandboxes:write"]);
  const without = await bed.send("POST", `/v1/sandboxes/${sandbox.id}/reset`, {
    key: writer,
    body: { rotateToken: true },
  });
  expect(await without.json()).toEqual({ revision: 99 });
  const done = await (await reset({ rotateToken: true })).json<{ revision: number; token: string }>();
  expect([cluster.renewed.length, cluster.restored.length]).toEqual([2, 3]);
  expect(done).toEqual({ revision: 99, token: await tokenShown(bed, sandbox.id) });
  bed.database.exec("UPDATE sandboxes SET made_of = 'state'");
  expect((await reset({ rotateToken: true })).status).toBe(409);
  expect(cluster.renewed).toHaveLength(2);
});

test("a rotation replaces the tokens of a lesson's users, and reads return the new ones", async () => {
  const bed = await newService();
  const lesson = {
    name: "first",
    title: "First",
    users: [{ name: "ann", groups: [] }],
    steps: [{ title: "One", text: "x", checks: [{ name: "a", points: 1, hint: "", expression: "true" }] }],
  };
  expect((await bed.send("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
  const begun = await bed.send("POST", "/v1/lessons/first/runs", { body: { learner: "pat" } });
  const run = await begun.json<RunWithTokens>();
  const old = run.tokens[0]?.token ?? "";
  const cluster = bed.clusters.get(run.sandbox.id);
  expect((await bed.send("POST", `/v1/sandboxes/${run.sandbox.id}/rotate`)).status).toBe(200);
  expect(cluster?.renewed.at(-1)?.revoke).toEqual([await hashOf(old)]);
  const learner = run.url.split("#")[1] ?? "";
  const access = await bed.send("GET", "/v1/learn/access", { key: learner });
  const { tokens } = await access.json<Pick<RunWithTokens, "tokens">>();
  expect(tokens[0]?.token).not.toBe(old);
  expect(cluster?.tokens.map(({ hash }) => hash)).toEqual([await hashOf(tokens[0]?.token ?? "")]);
});

test("a rotation of a deleted or another tenant's sandbox is refused", async () => {
  const { bed, sandbox, rotate } = await newSandbox();
  expect((await rotate({ key: keys.bob })).status).toBe(404);
  expect((await rotate({ body: { most: true } })).status).toBe(400);
  bed.time.nowMs = Date.parse(sandbox.expiresAt);
  expect((await rotate()).status).toBe(410);
});
