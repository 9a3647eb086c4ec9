// Replacement of the service's secret: two values work together, stored data are moved, and then the earlier value is dropped.
import { describe, expect, test } from "vitest";
import { signedHeaders } from "../../worker/tenant/signature.ts";
import type { Secret } from "../../shared/base/secret.ts";
import { secretOf, secretValues } from "../../shared/base/secret.ts";
import { publishableKey } from "../../shared/contract/hosted/publishable-key.ts";
import type { RunWithTokens } from "../../shared/contract/lesson.ts";
import { type SandboxWithToken, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { moveAll } from "../../scripts/deploy/rotate-secret.ts";
import { verifySandboxId } from "../../worker/edge/verified-credentials.ts";
import { read, sign } from "../../worker/edge/control-api/embed/signed.ts";
import { findPublishableKey } from "../../worker/edge/control-api/embed/publishable-keys.ts";
import { rememberedMoves } from "../../worker/edge/service/cached-moves.ts";
import { newExpiringCache } from "../../worker/edge/expiring-cache.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { isTokenOf } from "../../worker/edge/tokens.ts";
import { ticket, readTicket } from "../../worker/edge/lti/tickets.ts";
import { publicKeys, signingKey } from "../../worker/edge/lti/tool-keys.ts";
import { signClaims } from "../../worker/lti/tool-key.ts";
import { keys, newService, secret as old, startMs } from "./service.ts";

const next = "another secret of a test, which comes after it";
const both: Secret = [next, old];

const lesson = {
  name: "first",
  title: "First",
  users: [{ name: "ann", groups: [] }],
  steps: [{ title: "One", text: "x", checks: [{ name: "a", points: 1, hint: "", expression: "true" }] }],
};

/** A service of the old value with one of everything that follows from it. */
async function newWorld() {
  const bed = await newService();
  const { send, service } = bed;
  const create = async (path: string, body: object = {}, headers: Record<string, string> = {}) =>
    (await send("POST", path, { body, headers })).json<Record<string, string> & RunWithTokens>();
  const sandbox = sandboxWithToken.parse(await create("/v1/sandboxes", { name: "a" }, { "idempotency-key": "once" }));
  const open = sandboxWithToken.parse(await create("/v1/sandboxes", { name: "b", anonymousAccess: true }));
  const { id: snapshot = "" } = await create(`/v1/sandboxes/${sandbox.id}/snapshots`);
  await create("/v1/lessons", lesson);
  const run = await create("/v1/lessons/first/runs", { learner: "pat" });
  const { url: classUrl = "" } = await create("/v1/lessons/first/classes", { title: "7b" });
  const { key: page } = publishableKey.parse(
    await create("/v1/publishable-keys", { name: "k", origins: ["https://a.example"], lessons: ["first"] }),
  );
  await publicKeys(service, "ada");
  return { bed, sandbox, open, snapshot, run, classUrl, page };
}

type World = Awaited<ReturnType<typeof newWorld>>;

async function move({ bed }: World, lines: string[] = []) {
  const ask = async (cursor: string | undefined) => {
    const answer = await bed.send("POST", "/v1/admin/secret/move", { key: keys.operator, body: { cursor } });
    expect(answer.status).toBe(200);
    return answer.json<never>();
  };
  return moveAll(ask, (line) => lines.push(line));
}

const showSandbox = async ({ bed }: World, id: string) =>
  sandboxWithToken.parse(await (await bed.send("GET", `/v1/sandboxes/${id}`)).json());

/** Returns the hashes of the tokens that the cluster of a sandbox accepts. */
function hashesIn({ bed }: World, id: string): string[] {
  const cluster = bed.clusters.get(id);
  return [
    ...(cluster?.renewed ?? []).map((renewal) => renewal.adminTokenHash),
    ...(cluster?.tokens ?? []).map((tokenFacts) => tokenFacts.hash),
  ];
}

async function runTokens({ bed, run }: World): Promise<string> {
  const answer = await bed.send("GET", `/v1/learn/access`, {
    key: (await learnerUrl(bed, run.run)).split("#")[1] ?? "",
  });
  return (await answer.json<Pick<RunWithTokens, "tokens">>()).tokens[0]?.token ?? "";
}

async function learnerUrl({ send }: World["bed"], run: string): Promise<string> {
  return (await (await send("POST", `/v1/lessons/first/runs/${run}/link`, { body: {} })).json<{ url: string }>()).url;
}

describe("two secrets", () => {
  test("accept what the earlier secret signed, and sign with the current one", async () => {
    const world = await newWorld();
    const { bed, sandbox, run, classUrl, page, snapshot } = world;
    bed.service.secret = both;
    const { token } = sandbox;
    expect(await isTokenOf(both, sandbox.id, token, startMs)).toBe(true);
    // Its cluster knows no other yet.
    expect((await showSandbox(world, sandbox.id)).token).toBe(token);
    const replayed = await bed.send("POST", "/v1/sandboxes", {
      body: { name: "a" },
      headers: { "idempotency-key": "once" },
    });
    expect((await replayed.json<SandboxWithToken>()).token).toBe(token);
    expect((await bed.send("GET", "/v1/learn/access", { key: run.url.split("#")[1] ?? "" })).status).toBe(200);
    expect(await runTokens(world)).toBe(run.tokens[0]?.token);
    const look = { class: classUrl.split("#")[1] };
    expect((await bed.send("POST", "/v1/classes/look", { key: "", body: look })).status).toBe(200);
    expect((await findPublishableKey(bed.service, page))?.key).toBe(page);
    expect((await bed.send("POST", "/v1/sandboxes", { body: { snapshot } })).status).toBe(201);
    const fresh = sandboxWithToken.parse(await (await bed.send("POST", "/v1/sandboxes", { body: {} })).json());
    expect([
      await isTokenOf(next, fresh.id, fresh.token, startMs),
      await isTokenOf(old, fresh.id, fresh.token, startMs),
    ]).toEqual([true, false]);
    expect(await hashOf(fresh.token)).toBe(bed.clusters.get(fresh.id)?.initializeOptions?.adminTokenHash);
  });

  test("open tickets, frame parameters and ciphers of both, and create them with the current one", async () => {
    const how = { nowMs: startMs, forMs: 1000 };
    const ticketClaims = { key: "k", origin: "o" };
    expect(await read(both, "ticket", await sign(old, "ticket", ticketClaims, how), startMs)).toEqual(
      expect.objectContaining(ticketClaims),
    );
    expect(await read(old, "ticket", await sign(both, "ticket", ticketClaims, how), startMs)).toBeUndefined();
    const with_ = (secret: Secret) => ({ secret, nowMs: () => startMs });
    const token = await ticket(with_(old), "registration", "ada", { id: "x" }, 1000);
    expect(await readTicket(with_(both), "registration", "ada", token)).toMatchObject({ id: "x" });
    await expect(readTicket(with_(next), "registration", "ada", token)).rejects.toThrow("too old");
  });

  test("sign deliveries for receivers with either key", () => {
    const [firstSecret, two] = ["whsec_b25l", "whsec_dHdv"];
    const signatures = (secrets: string[]) => signedHeaders(secrets, "id", 1, "body")["webhook-signature"];
    expect(signatures([firstSecret, two])).toBe(`${signatures([firstSecret])} ${signatures([two])}`);
  });

  test("are read from the bindings as one value or two distinct values, always as the same object", () => {
    expect(() => secretOf({ SANDBAR_SECRET: "" })).toThrow("SANDBAR_SECRET");
    const values = (earlier: string | undefined) =>
      secretValues(secretOf({ SANDBAR_SECRET: "a", SANDBAR_SECRET_OLD: earlier }));
    expect([values(undefined), values(""), values("a"), values("b")]).toEqual([["a"], ["a"], ["a"], ["a", "b"]]);
    const bindings = { SANDBAR_SECRET: "a", SANDBAR_SECRET_OLD: "b" };
    expect(secretOf(bindings)).toBe(secretOf(bindings));
  });
});

describe("moving to the current secret", () => {
  test("makes the earlier secret unnecessary, and its signatures are refused after it is dropped", async () => {
    const world = await newWorld();
    const { bed, sandbox, open, snapshot, run, page } = world;
    bed.service.secret = both;
    const lines: string[] = [];
    expect(await move(world, lines)).toBe(true);
    expect(bed.errors).toEqual([]);
    expect(lines.slice(0, 4)).toEqual([
      "sandboxes: 3 moved",
      "keys of LTI tools: 1 moved",
      "files of snapshots and templates: 1 moved",
      "Everything is moved: SANDBAR_SECRET_OLD can be dropped.",
    ]);
    // Until the earlier value is dropped its tokens stay good.
    expect(
      [...bed.clusters.values()].flatMap((fakeCluster) => fakeCluster.renewed).map((renewal) => renewal.revoke),
    ).toEqual(Array(3).fill("none"));
    // Again, nothing is left to do.
    const again: string[] = [];
    expect(await move(world, again)).toBe(true);
    expect(again.slice(0, 3).every((line) => line.endsWith(": 0 moved"))).toBe(true);
    bed.service.secret = next;
    for (const { id, token } of [sandbox, open]) {
      const { token: current } = await showSandbox(world, id);
      expect(current).not.toBe(token);
      expect(hashesIn(world, id)).toContain(await hashOf(current));
      expect([await isTokenOf(next, id, current, startMs), await isTokenOf(next, id, token, startMs)]).toEqual([
        true,
        false,
      ]);
      const findMoved = (sandboxId: string) => bed.service.secrets.movedSandbox(sandboxId);
      expect(await verifySandboxId(next, id, findMoved)).toEqual({ anonymousAccess: id === open.id });
      expect(await verifySandboxId(next, id.replace(/^./, id.startsWith("a") ? "b" : "a"), findMoved)).toBeUndefined();
    }
    const token = await runTokens(world);
    expect(token).not.toBe(run.tokens[0]?.token);
    expect(hashesIn(world, run.sandbox.id)).toContain(await hashOf(token));
    expect((await findPublishableKey(bed.service, page))?.key).toBe(page);
    expect((await bed.send("POST", "/v1/sandboxes", { body: { snapshot } })).status).toBe(201);
    await expect(signClaims(next, await signingKey(bed.service, "ada"), {}, startMs)).resolves.toMatch(/^ey/);
    const key = { "idempotency-key": "once" };
    const replayed = await bed.send("POST", "/v1/sandboxes", { body: { name: "a" }, headers: key });
    expect((await replayed.json<{ error: { code: string } }>()).error.code).toBe("outcome_unknown");
    expect((await bed.send("GET", "/v1/learn/access", { key: run.url.split("#")[1] ?? "" })).status).toBe(401);
  });

  test("reports a failure, and the next run moves the rest", async () => {
    const world = await newWorld();
    const { bed, sandbox } = world;
    bed.service.secret = both;
    const cluster = bed.clusters.get(sandbox.id);
    const renew = cluster?.renewTokens;
    if (cluster) cluster.renewTokens = () => Promise.reject(new Error("it is not there now"));
    const lines: string[] = [];
    expect(await move(world, lines)).toBe(false);
    expect(lines).toContain("sandboxes: 2 moved, 1 failed");
    expect(lines.at(-1)).toContain("Left: 1 sandboxes, 1 failures.");
    expect(bed.errors).toHaveLength(1);
    // The token that everybody is shown is the one that the cluster knows.
    expect((await showSandbox(world, sandbox.id)).token).toBe(sandbox.token);
    if (cluster && renew) cluster.renewTokens = renew;
    expect(await move(world)).toBe(true);
  });

  test("continues from the cursor after each batch, also after an interruption", async () => {
    const world = await newWorld();
    const { bed } = world;
    for (let at = 0; at < 25; at++) await bed.send("POST", "/v1/sandboxes", { body: {} });
    bed.service.secret = both;
    const first = await bed.send("POST", "/v1/admin/secret/move", { key: keys.operator });
    expect(await first.json()).toMatchObject({ part: "sandboxes", moved: 20, sandboxesLeft: 8, values: 2 });
    const lines: string[] = [];
    expect(await move(world, lines)).toBe(true);
    expect(lines[0]).toBe("sandboxes: 8 moved");
    for (const cursor of ["x", "", ":", "elsewhere:a"]) {
      const refused = await bed.send("POST", "/v1/admin/secret/move", { key: keys.operator, body: { cursor } });
      expect(refused.status).toBe(400);
    }
  });

  test("keeps a token that is rotated meanwhile", async () => {
    const world = await newWorld();
    const { bed, sandbox } = world;
    bed.service.secret = both;
    const cluster = bed.clusters.get(sandbox.id);
    const renew = cluster?.renewTokens;
    if (!cluster || !renew) throw new Error("no cluster");
    cluster.renewTokens = async (renewed) => {
      cluster.renewTokens = renew;
      const done = await renew(renewed);
      await bed.send("POST", `/v1/sandboxes/${sandbox.id}/rotate`);
      return done;
    };
    expect(await move(world)).toBe(true);
    const { token } = await showSandbox(world, sandbox.id);
    expect(cluster.renewed.at(-1)).toEqual({ adminTokenHash: await hashOf(token), revoke: [] });
    expect(await isTokenOf(next, sandbox.id, token, startMs)).toBe(true);
  });

  test("reads D1 at most once in an interval for invented ids if nothing was moved", async () => {
    const { service } = await newService();
    let moveChecks = 0;
    const counting = { ...service.secrets, hasMoved: async () => ((moveChecks += 1), false) };
    let nowMs = startMs;
    const secrets = rememberedMoves(counting, newExpiringCache<boolean>(1, 60_000), () => nowMs);
    for (let at = 0; at < 100; at++) expect(await secrets.hasMoved()).toBe(false);
    nowMs += 60_000;
    await secrets.hasMoved();
    expect(moveChecks).toBe(2);
    expect(await findPublishableKey({ ...service, secrets }, `pk_${"a".repeat(30)}`)).toBeUndefined();
  });
});
