// Watches of real processes that are killed: none may stay behind in the object.
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { limits } from "../../shared/base/limits.ts";
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
      const child = spawn(process.execPath, [client, url, token, String(watchesEach), query], {
        stdio: ["ignore", "pipe", "inherit"],
      });
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

async function write(name: string, data: Record<string, string> = {}): Promise<void> {
  const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ metadata: { name }, data });
  const answer = await fetch(`${service.url}/api/v1/namespaces/default/configmaps`, { method: "POST", headers, body });
  expect(answer.status).toBe(201);
}

const sockets = async () => (await service.sockets()).sockets;

test.for(["SIGINT", "SIGKILL"] as const)(
  "W5: 100 watches of clients that died of %s are closed after the next event",
  async (signal) => {
    const children = await openWatches();
    await vi.waitFor(async () => expect(await sockets()).toBe(processes * watchesEach), patience);
    await kill(children, signal);
    await write(`after-${signal.toLowerCase()}`);
    await vi.waitFor(async () => expect(await sockets()).toBe(0), patience);
  },
);

test("W5: 100 watches of dead clients are closed without any event when their time is over", async () => {
  const children = await openWatches("&timeoutSeconds=4");
  await vi.waitFor(async () => expect(await sockets()).toBe(processes * watchesEach), patience);
  await kill(children, "SIGINT");
  await vi.waitFor(async () => expect(await sockets()).toBe(0), patience);
});

test("W5: 100 watches are closed even if the object was evicted when their clients died", async () => {
  const children = await openWatches();
  await vi.waitFor(async () => expect(await sockets()).toBe(processes * watchesEach), patience);
  const { building } = await service.sockets();
  await new Promise((resolve) => setTimeout(resolve, 13_000));
  await kill(children, "SIGINT");
  await write("after-sleep");
  await vi.waitFor(async () => expect(await sockets()).toBe(0), patience);
  expect((await service.sockets()).building).toBeGreaterThan(building);
});

test("W5: a WebSocket of a client that never reads is closed after a bounded number of bytes", async () => {
  const { hostname, port, pathname } = new URL(service.url);
  const client = connect(Number(port), hostname).pause();
  const key = randomBytes(16).toString("base64");
  const lines = [
    `GET ${pathname}/api/v1/namespaces/default/configmaps?watch=1 HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    `Authorization: Bearer ${service.token}`,
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${key}`,
  ];
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  await vi.waitFor(async () => expect(await sockets()).toBe(1), patience);
  const text = "x".repeat(500_000);
  let written = 0;
  while ((await sockets()) > 0 && written < 50) await write(`much-${written++}`, { text });
  expect(written * text.length).toBeGreaterThan(limits.watchSocketBytes);
  expect(written * text.length).toBeLessThan(2 * limits.watchSocketBytes);
  client.destroy();
});
