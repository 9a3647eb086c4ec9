// A followed timeline of a real object: entries arrive as they happen, the object sleeps between them, and the number of followers is bounded.
import { evictDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { timelineQuery } from "../../../shared/contract/cluster/past.ts";
import {
  followTimeline,
  jsonLinesType,
  eventStreamType,
} from "../../../worker/edge/control-api/routes/past/followed-timeline.ts";
import type { ControlApiServer } from "../../../worker/edge/control-api/server.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";

function following(sandbox: Sandbox, query: object = {}) {
  const gone = new AbortController();
  // The fields that a followed timeline uses.
  const controlApi = {
    cluster: () => sandbox.stub(),
    askCluster: (_: string, path: string, init: RequestInit) => {
      const headers = new Headers(init.headers);
      headers.set("authorization", `Bearer ${sandbox.token}`);
      return sandbox.stub().fetch(`http://cluster${path}`, { ...init, headers });
    },
  } as unknown as ControlApiServer;
  const parsed = timelineQuery.parse({ limit: 1, ...query });
  const more = { query: parsed, lastRevision: undefined, signal: gone.signal };
  return { gone, ask: { controlApi, id: sandbox.id, type: jsonLinesType as typeof jsonLinesType, ...more } };
}

async function* linesOf({ body }: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const bytes of (body ?? []) as AsyncIterable<Uint8Array>) {
    const lines = (rest + new TextDecoder().decode(bytes)).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
}

const parsedNext = async (lines: AsyncGenerator<string>) =>
  JSON.parse((await lines.next()).value ?? "null") as Record<string, unknown> | null;

test("a follower receives each change, and a silent cluster is evicted meanwhile", async () => {
  const sandbox = await newSandbox();
  await sandbox.put("first", {});
  await sandbox.quiet();
  const { ask, gone } = following(sandbox, { resource: "configmaps" });
  const lines = linesOf(await followTimeline(ask));
  expect(await parsedNext(lines)).toMatchObject({ name: "first", change: "created" });
  await sandbox.put("second", {});
  expect(await parsedNext(lines)).toMatchObject({ name: "second", user: "kubernetes-admin", origin: "create" });
  await sandbox.quiet();
  await new Promise((resolve) => setTimeout(resolve, 2 * limits.timelineStepPauseMs));
  const builds = sandbox.builds();
  await evictDurableObject(sandbox.stub());
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(sandbox.builds()).toBe(builds);
  await sandbox.put("third", {});
  expect(await parsedNext(lines)).toMatchObject({ name: "third" });
  expect(sandbox.builds()).toBe(builds + 1);
  gone.abort();
  expect((await lines.next()).done).toBe(true);
});

test("a follower of a user's requests receives their effects, also later ones", async () => {
  const sandbox = await newSandbox();
  const { ask, gone } = following(sandbox, { user: "kubernetes-admin", namespace: "default" });
  const lines = linesOf(await followTimeline(ask));
  await sandbox.call("POST", "/apis/apps/v1/namespaces/default/deployments", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "nginx" }] } },
    },
  });
  const steps: string[] = [];
  while (!steps.some((text) => text === "kubelet changed pods")) {
    const entry = await parsedNext(lines);
    steps.push(
      `${String(entry?.["origin"]).split(":")[0]} ${String(entry?.["change"])} ${String(entry?.["resource"])}`,
    );
  }
  expect(steps[0]).toBe("create created deployments.apps");
  for (const effect of ["deployment-controller created replicasets.apps", "scheduler changed pods"])
    expect(steps).toContain(effect);
  gone.abort();
});

test("an event stream continues after the client's last entry, and uses the bound of sessions", async () => {
  const sandbox = await newSandbox({ limits: { sessions: 1 } });
  await sandbox.put("first", {});
  const { ask, gone } = following(sandbox, { resource: "configmaps" });
  const firstLine = await linesOf(await followTimeline(ask)).next();
  const { revision } = JSON.parse(firstLine.value ?? "") as { revision: number };
  await expect(followTimeline(ask)).rejects.toMatchObject({ status: 409, code: "limit_exceeded" });
  gone.abort();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await sandbox.put("second", {});
  const again = following(sandbox, { resource: "configmaps" });
  const stream = linesOf(await followTimeline({ ...again.ask, type: eventStreamType, lastRevision: revision }));
  expect((await stream.next()).value).toBe(": follows");
  expect((await stream.next()).value).toMatch(/^id: \d+$/);
  expect((await stream.next()).value).toMatch(/^data: \{.*"name":"second"/);
  again.gone.abort();
});
