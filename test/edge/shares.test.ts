// Shared states: everybody with a link gets a fork of a sandbox, within bounds, until the link is revoked.
import { describe, expect, test } from "vitest";
import { sharedStateLimits } from "../../shared/base/lesson-limits.ts";
import type { ErrorBody } from "../../shared/contract/error.ts";
import type { OpenedShare, Share, ShareList, ShareLook } from "../../shared/contract/hosted/share.ts";
import { keys, newService } from "./service.ts";

async function newShare(input: object = {}) {
  const bed = await newService();
  const ask = async <T>(method: string, path: string, body?: unknown, key?: string) => {
    const options = { ...(body === undefined ? {} : { body }), ...(key === undefined ? {} : { key }) };
    const answer = await bed.send(method, path, options);
    return {
      status: answer.status,
      body: (answer.status === 204 ? {} : await answer.json()) as T & Partial<ErrorBody>,
    };
  };
  const sandbox = (await ask<{ id: string }>("POST", "/v1/sandboxes", {})).body;
  const created = await ask<Share>("POST", `/v1/sandboxes/${sandbox.id}/shares`, { title: "Broken web", ...input });
  expect(created.status).toBe(201);
  const share = new URL(created.body.url).hash.slice(1);
  const look = () => ask<ShareLook>("POST", "/v1/shares/look", { share }, "");
  const open = () => ask<OpenedShare>("POST", "/v1/shares/open", { share }, "");
  return { ...bed, ask, sandbox, created: created.body, share, look, open };
}

describe("a shared state", () => {
  test("S7: gives everybody with the link a fork with credentials of its own, up to its number", async () => {
    const { look, open, clusters, service, created, time } = await newShare({ forks: 2 });
    expect(new URL(created.url).pathname).toBe("/learn/share");
    expect((await look()).body).toMatchObject({ title: "Broken web", forksLeft: 2, forkTtlSeconds: 3600 });
    const [first, second] = [await open(), await open()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(new Set([first, second].map(({ body }) => body.sandbox.id)).size).toBe(2);
    const fork = clusters.get(first.body.sandbox.id);
    expect((await service.directory.find("ada", first.body.sandbox.id))?.madeOf).toMatch(/^snap/);
    expect(fork?.tokens.map(({ user, groups }) => [user, groups])).toEqual([["visitor", ["system:masters"]]]);
    expect(Date.parse(first.body.expiresAt) - time.nowMs).toBe(3_600_000);
    expect(first.body.tokens[0]?.kubeconfig).toContain(first.body.tokens[0]?.token);
    expect((await open()).body.error?.code).toBe("share_used_up");
    expect((await look()).body.forksLeft).toBe(0);
  });

  test("S7: is revoked at once with its snapshot, and forks live on", async () => {
    const { ask, open, look, created, clusters } = await newShare();
    const { body: fork } = await open();
    expect((await ask("DELETE", `/v1/shares/${created.id}`, undefined, keys.bob)).status).toBe(404);
    expect((await ask("DELETE", `/v1/shares/${created.id}`)).status).toBe(204);
    expect([(await look()).status, (await open()).status]).toEqual([404, 404]);
    expect((await ask<{ snapshots: object[] }>("GET", "/v1/snapshots")).body.snapshots).toEqual([]);
    expect(clusters.get(fork.sandbox.id)?.destroyed).toBe(false);
    expect((await ask<ShareList>("GET", "/v1/shares")).body.shares).toEqual([]);
  });

  test("S7: ends with its time, and a fork that could not be created is not counted", async () => {
    const { open, look, time, service } = await newShare({ ttlSeconds: 600 });
    const { directory } = service;
    service.directory = { ...directory, add: () => Promise.reject(new Error("D1 is gone")) };
    expect((await open()).status).toBe(500);
    service.directory = directory;
    expect((await look()).body.forksLeft).toBe(sharedStateLimits.forksDefault);
    time.nowMs += 601_000;
    expect((await open()).body.error?.code).toBe("expired");
  });

  test("S7: an altered link is refused, and one address gets a bounded number of forks", async () => {
    const { ask, share, open } = await newShare({ forks: 100 });
    for (const wrong of [`${share}a`, share.slice(0, -1), "x"])
      expect((await ask("POST", "/v1/shares/look", { share: wrong }, "")).status).toBe(404);
    const statuses: number[] = [];
    for (let n = 0; n <= sharedStateLimits.forksOfAddress; n++) statuses.push((await open()).status);
    expect(statuses.filter((status) => status === 201).length).toBe(sharedStateLimits.forksOfAddress);
    expect(statuses.at(-1)).toBe(429);
  });
});
