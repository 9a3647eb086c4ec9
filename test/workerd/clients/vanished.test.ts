// Watches of real processes that are killed: none may stay behind in the object.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startService } from "./service.ts";

const client = fileURLToPath(new URL("open-watches.mjs", import.meta.url));
const processes = 5;
const watchesEach = 20;
const patience = { timeout: 15_000, interval: 100 };

let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService();
}, 60_000);
afterAll(() => service.stop());

async function openWatches(query = ""): Promise<ChildProcess[]> {
  return Promise.all(
    Array.from({ length: processes }, async () => {
      const { url, token } = service;
      const child = spawn(process.execPath, [client, url, token, String(watchesEach), query], { stdio: ["ignore", "pipe", "inherit"] });
      await once(child.stdout, "data");
      return child;
    }),
  );
}

async function kill(children: readonly ChildProcess[], signal: NodeJS.Signals): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      child.kill(signal);
      await once(child, "exit");
    }),
  );
}

async function write(name: string): Promise<void> {
  const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ metadata: { name } });
  const answer = await fetch(`${service.url}/api/v1/namespaces/default/configmaps`, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
}

const sockets = async () => (await service.sockets()).sockets;

test.for(["SIGINT", "SIGKILL"] as const)("W5: of 100 watches whose clients died of %s none is left once the next event was written", async (signal) => {
  const children = await openWatches();
  await vi.waitFor(async () => expect(await sockets()).toBe(processes * watchesEach), patience);
  await kill(children, signal);
  await write(`after-${signal.toLowerCase()}`);
  await vi.waitFor(async () => expect(await sockets()).toBe(0), patience);
});

test("W5: without any event they are gone when their time is up", async () => {
  const children = await openWatches("&timeoutSeconds=4");
  await vi.waitFor(async () => expect(await sockets()).toBe(processes * watchesEach), patience);
  await kill(children, "SIGINT");
  await vi.waitFor(async () => expect(await sockets()).toBe(0), patience);
});

test("W5: so it is when the object slept while they died", async () => {
  const children = await openWatches();
  await vi.waitFor(async () => expect(await sockets()).toBe(processes * watchesEach), patience);
  const { building } = await service.sockets();
  await new Promise((resolve) => setTimeout(resolve, 13_000));
  await kill(children, "SIGINT");
  await write("after-sleep");
  await vi.waitFor(async () => expect(await sockets()).toBe(0), patience);
  expect((await service.sockets()).building).toBeGreaterThan(building);
});
