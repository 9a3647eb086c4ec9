// Open connections of a client end with their token, and with the sandbox.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { endings } from "../../../shared/contract/endings.ts";
import { tunnelPath } from "../../../shared/contract/tunnel.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import { openWatch } from "./watch-reader.ts";
import { patiently } from "../../patiently.ts";

/** An open connection. `ended` resolves with the reason of its end. */
interface Held {
  readonly ended: Promise<string>;
  hasEnded: boolean;
}

const pod = "/api/v1/namespaces/default/pods/web";
const streams = "stdout=1&stderr=1";

/** All that can be held open, each by its name. */
const ways: Readonly<Record<string, (sandbox: Sandbox, token: string) => Promise<Held>>> = {
  watch: (sandbox, token) => body(sandbox, token, "/api/v1/configmaps?watch=1"),
  "watch over a WebSocket": (sandbox, token) => socket(sandbox, token, "/api/v1/configmaps?watch=1"),
  exec: (sandbox, token) => session(sandbox, token, `${pod}/exec?command=sleep&command=10000&${streams}`),
  attach: (sandbox, token) => session(sandbox, token, `${pod}/attach?${streams}`),
  "port-forward": (sandbox, token) => session(sandbox, token, `${pod}/portforward`, "SPDY/3.1+portforward.k8s.io"),
  "port-forward over channels": (sandbox, token) =>
    socket(sandbox, token, `${pod}/portforward?ports=80`, "v4.channel.k8s.io"),
  log: (sandbox, token) => body(sandbox, token, `${pod}/log?follow=1`),
  "log over a WebSocket": (sandbox, token) => socket(sandbox, token, `${pod}/log?follow=1`, "binary.k8s.io"),
  tunnel: (sandbox, token) => socket(sandbox, token, `${tunnelPath}?namespace=default&service=hook`),
};

/** The number of these connections that the edge holds with a lifeline: all but watches and tunnels. */
const sessions = 6;

/** The expected end of each connection for a reason. */
const expectedEnds = (why: string): Record<keyof typeof ways, string> => ({
  watch: "end",
  "watch over a WebSocket": "1000",
  exec: `1000 ${why}`,
  attach: `1000 ${why}`,
  "port-forward": `1008 ${why}`,
  "port-forward over channels": `1008 ${why}`,
  log: "end",
  "log over a WebSocket": "1000",
  tunnel: `1008 ${why}`,
});

function held(ended: Promise<string>): Held {
  const heldConnection: Held = { ended, hasEnded: false };
  void ended.then(() => {
    heldConnection.hasEnded = true;
  });
  return heldConnection;
}

async function body(sandbox: Sandbox, token: string, path: string): Promise<Held> {
  const response = await sandbox.send(path, {}, token);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return held(
    response.text().then(
      () => "end",
      (error: unknown) => `broken off: ${String(error)}`,
    ),
  );
}

async function upgraded(sandbox: Sandbox, token: string, path: string, protocol?: string): Promise<WebSocket> {
  const headers = { upgrade: "websocket", ...(protocol ? { "sec-websocket-protocol": protocol } : {}) };
  const response = await sandbox.send(path, { headers }, token);
  if (!response.webSocket) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.webSocket;
}

async function socket(sandbox: Sandbox, token: string, path: string, protocol?: string): Promise<Held> {
  const client = await upgraded(sandbox, token, path, protocol);
  const { promise, resolve } = Promise.withResolvers<string>();
  client.addEventListener("close", ({ code, reason }) => {
    resolve(code === 1000 ? "1000" : `${code} ${reason}`);
  });
  client.accept();
  return held(promise);
}

/** Opens a session and returns its end with the reason: that of the error channel, or that of the close. */
async function session(
  sandbox: Sandbox,
  token: string,
  path: string,
  protocol = "v4.base64.channel.k8s.io",
): Promise<Held> {
  const client = await upgraded(sandbox, token, path, protocol);
  const { promise, resolve } = Promise.withResolvers<string>();
  let receivedText = "";
  client.addEventListener("message", ({ data }) => {
    if (typeof data !== "string" || !data.startsWith("3")) return;
    const status = JSON.parse(atob(data.slice(1))) as { message: string; code: number };
    receivedText = `${status.message}`;
    expect([401, 410]).toContain(status.code);
  });
  client.addEventListener("close", ({ code, reason }) => resolve(`${code} ${receivedText || reason}`));
  client.accept();
  return held(promise);
}

async function withPod(sandbox: Sandbox): Promise<void> {
  const spec = { containers: [{ name: "c", image: "nginx" }] };
  await sandbox.call("POST", "/api/v1/namespaces/default/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec,
  });
  await vi.waitFor(async () => expect(((await sandbox.call("GET", pod)) as Pod).status.phase).toBe("Running"), {
    timeout: 30_000,
    interval: 200,
  });
}

async function openAll(sandbox: Sandbox, token: string) {
  const all = new Map<string, Held>();
  for (const [name, open] of Object.entries(ways)) all.set(name, await open(sandbox, token));
  // A lifeline is held a moment after the session has begun.
  await patiently(async () => expect(await lifelines(sandbox)).toBeGreaterThanOrEqual(sessions));
  return all;
}

async function endsOf(all: ReadonlyMap<string, Held>): Promise<Record<string, string>> {
  const ends = await Promise.all([...all].map(async ([name, { ended }]) => [name, await ended] as const));
  return Object.fromEntries(ends);
}

const lifelines = (sandbox: Sandbox) =>
  runInDurableObject(sandbox.stub(), (_, state) => state.getWebSockets("lifeline").length);

test("A6: a revoked token's open connections end, also sleeping ones, and others continue", async () => {
  const sandbox = await newSandbox();
  await withPod(sandbox);
  const endsMs = Date.now() + 3_600_000;
  const [token, otherToken] = [await sandbox.newToken(endsMs), await sandbox.newToken(endsMs + 1000)];
  const all = await openAll(sandbox, token.text);
  const otherConnections = await openAll(sandbox, otherToken.text);
  const watch = await openWatch(sandbox, "/api/v1/configmaps?watch=1");
  await evictDurableObject(sandbox.stub());
  expect(await sandbox.stub().removeToken(token.id)).toBe(true);
  expect(await endsOf(all)).toEqual(expectedEnds(endings.revoked));
  await sandbox.put("still", {});
  await watch.until(({ object }) => object.metadata.name === "still");
  expect([...otherConnections].filter(([, { hasEnded }]) => hasEnded)).toEqual([]);
  await patiently(async () => expect(await lifelines(sandbox)).toBe(sessions));
  for (const open of Object.values(ways)) await expect(open(sandbox, token.text)).rejects.toThrow("401");
  await watch.cancel();
});

test("A6: the administrator's open connections end with a rotation, and users' connections continue", async () => {
  const sandbox = await newSandbox();
  await withPod(sandbox);
  const otherToken = await sandbox.newToken(Date.now() + 3_600_000);
  const all = await openAll(sandbox, sandbox.token);
  const otherConnections = await openAll(sandbox, otherToken.text);
  await evictDurableObject(sandbox.stub());
  expect(await sandbox.stub().renewTokens({ adminTokenHash: "0".repeat(64), revoke: [] })).toBe(true);
  expect(await endsOf(all)).toEqual(expectedEnds(endings.revoked));
  expect([...otherConnections].filter(([, { hasEnded }]) => hasEnded)).toEqual([]);
  for (const open of Object.values(ways)) await expect(open(sandbox, sandbox.token)).rejects.toThrow("401");
  expect(await sandbox.stub().renewTokens({ adminTokenHash: "1".repeat(64), revoke: "all" })).toBe(true);
  expect(await endsOf(otherConnections)).toEqual(expectedEnds(endings.revoked));
});

test("A6: a token's open connections end when it expires", async () => {
  const sandbox = await newSandbox();
  await withPod(sandbox);
  const endsMs = Math.ceil(Date.now() / 1000 + 8) * 1000;
  const token = await sandbox.newToken(endsMs);
  const all = await openAll(sandbox, token.text);
  await evictDurableObject(sandbox.stub());
  expect(Date.now(), "all was opened in time").toBeLessThan(endsMs);
  expect(await endsOf(all)).toEqual(expectedEnds(endings.expired));
  expect(Date.now()).toBeGreaterThanOrEqual(endsMs - 5);
});

test("A6: all open connections end when the sandbox is deleted", async () => {
  const sandbox = await newSandbox();
  await withPod(sandbox);
  const all = await openAll(sandbox, sandbox.token);
  await evictDurableObject(sandbox.stub());
  await sandbox.stub().destroy();
  expect(await endsOf(all)).toEqual(expectedEnds(endings.gone));
});

test("Q5: a tunnel whose token expires sets the alarm, and one without expiry does not", async () => {
  const sandbox = await newSandbox();
  await sandbox.quiet();
  await ways["tunnel"]?.(sandbox, sandbox.token);
  expect(await sandbox.alarm()).toBe(sandbox.expiresAtMs);
  const endsMs = Math.floor(Date.now() / 1000 + 600) * 1000;
  const token = await sandbox.newToken(endsMs);
  const { ended } = (await ways["tunnel"]?.(sandbox, token.text)) ?? {};
  await patiently(async () => expect(await sandbox.alarm()).toBe(endsMs));
  expect(await sandbox.stub().removeToken(token.id)).toBe(true);
  expect(await ended).toBe(`1008 ${endings.revoked}`);
});
