// The tunnel of a machine that is a node: who may open it, what goes through it, and its bounds.
import { evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { endedCode } from "../../../shared/contract/endings.ts";
import { pieceCharacters, tunnelPath, type TunnelPiece, type TunnelCall } from "../../../shared/contract/tunnel.ts";
import { hashOf } from "../../../worker/edge/mac.ts";
import { newUserToken } from "../../../worker/edge/tokens.ts";
import { patiently } from "../../patiently.ts";
import { bound, newSandbox, type Sandbox } from "./sandbox.ts";

const upgrade = { headers: { upgrade: "websocket" } };

/** Returns a token of a user. */
async function tokenOf(sandbox: Sandbox, user: string, groups: string[]): Promise<string> {
  const endsMs = Date.now() + 3_600_000;
  const text = await newUserToken(bound.SANDBAR_SECRET, sandbox.id, endsMs);
  const hash = await hashOf(text);
  const of = { user, groups, readOnly: false, frameOrigins: [] };
  await sandbox.stub().addToken({ ...of, hash, expiresAtMs: Math.floor(endsMs / 1000) * 1000 });
  return text;
}

const nodeToken = (sandbox: Sandbox, node = "laptop") => tokenOf(sandbox, `system:node:${node}`, ["system:nodes"]);

type Message = TunnelCall & { readonly piece?: string; readonly took?: number; readonly stop?: true };

async function openTunnel(sandbox: Sandbox, node = "laptop") {
  const { webSocket, status } = await sandbox.send(
    `${tunnelPath}?node=${node}`,
    upgrade,
    await nodeToken(sandbox, node),
  );
  if (!webSocket) throw new Error(`not opened: ${status}`);
  const messages: Message[] = [];
  const closes: string[] = [];
  webSocket.addEventListener("message", ({ data }) => void messages.push(JSON.parse(String(data)) as Message));
  webSocket.addEventListener("close", ({ code, reason }) => void closes.push(`${code} ${reason}`));
  webSocket.accept();
  const calls = () => messages.filter(({ path }) => path !== undefined);
  const say = (piece: object) => webSocket.send(JSON.stringify(piece));
  const nextCall = async () => {
    const before = calls().length;
    return patiently(async () => {
      const call = calls()[before];
      if (!call) throw new Error("no call yet");
      return call;
    });
  };
  return { webSocket, messages, closes, calls, say, nextCall };
}

const podsPath = "/api/v1/namespaces/default/pods";

/** Creates a node that a machine's kubelet would register, with a running pod. */
async function withMachine(): Promise<Sandbox> {
  const sandbox = await newSandbox({ nodes: 1 });
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "laptop" } };
  await sandbox.call("POST", "/api/v1/nodes", node);
  const addresses = [{ type: "InternalIP", address: "192.168.7.2" }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 10350 } } };
  await sandbox.call("PUT", "/api/v1/nodes/laptop/status", { ...node, status });
  const spec = { nodeName: "laptop", containers: [{ name: "main", image: "nginx" }] };
  await sandbox.call("POST", podsPath, { apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec });
  return sandbox;
}

async function messageOf(answer: Response): Promise<[number, string]> {
  const text = await answer.text();
  try {
    return [answer.status, (JSON.parse(text) as { message: string }).message];
  } catch {
    return [answer.status, text];
  }
}

describe("the tunnel of a node", () => {
  test("G4: is opened by that node alone", async () => {
    const sandbox = await newSandbox({ nodes: 0 });
    const refusal = async (node: string, token?: string, init: RequestInit = upgrade) =>
      messageOf(await sandbox.send(`${tunnelPath}?node=${node}`, init, token));
    const only = 'nodes "laptop" is forbidden: only the user "system:node:laptop" opens its tunnel';
    expect(await refusal("laptop")).toEqual([403, only]);
    expect(await refusal("laptop", await nodeToken(sandbox, "desktop"))).toEqual([403, only]);
    expect(await refusal("laptop", await tokenOf(sandbox, "system:node:laptop", []))).toEqual([
      403,
      'nodes "laptop" is forbidden: User "system:node:laptop" cannot update resource "nodes/status" in API group "" at the cluster scope',
    ]);
    expect((await refusal("laptop", await tokenOf(sandbox, "jane", ["system:nodes"])))[0]).toBe(403);
    expect(await refusal("laptop", await nodeToken(sandbox), {})).toEqual([400, "a tunnel is a WebSocket"]);
    expect(await refusal("Laptop", await nodeToken(sandbox))).toEqual([400, "?node= must be a node's name"]);
    expect((await refusal("a".repeat(254), await nodeToken(sandbox)))[0]).toBe(400);
  });

  test("G4: is opened for a name of 253 characters", async () => {
    const sandbox = await newSandbox({ nodes: 0 });
    await openTunnel(sandbox, `a${".b".repeat(126)}`);
  });

  test("G4: is replaced by a newer one, and keeps its streams until they end", async () => {
    const sandbox = await withMachine();
    const first = await openTunnel(sandbox);
    const log = sandbox.send(`${podsPath}/web/log?follow=true`);
    const { id } = await first.nextCall();
    const second = await openTunnel(sandbox);
    first.say({ id, status: 200, headers: [] });
    first.say({ id, piece: btoa("one\n") });
    const reader = (await log).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one\n");
    expect(first.closes).toEqual([]);
    first.say({ id, end: true });
    await patiently(() => expect(first.closes).toEqual([`${endedCode} a newer tunnel serves this node`]));
    const later = sandbox.send(`${podsPath}/web/log`);
    second.say({ ...{ id: (await second.nextCall()).id, status: 200, headers: [] } });
    second.say({ id: second.calls()[0]?.id, end: true });
    expect((await later).status).toBe(200);
    const third = await openTunnel(sandbox);
    await patiently(() => expect(second.closes).toEqual([`${endedCode} a newer tunnel serves this node`]));
    expect(third.closes).toEqual([]);
  });
});

describe("a request to a machine's kubelet", () => {
  test("G5: has no route without a tunnel", async () => {
    const sandbox = await withMachine();
    const dial = "dial tcp 192.168.7.2:10350: connect: no route to host";
    expect(await messageOf(await sandbox.send(`${podsPath}/web/log`))).toEqual([
      500,
      `Get "https://192.168.7.2:10350/containerLogs/default/web/main": ${dial}`,
    ]);
    await openTunnel(sandbox, "desktop");
    expect(await messageOf(await sandbox.send(`${podsPath}/web/log`))).toEqual([
      500,
      `Get "https://192.168.7.2:10350/containerLogs/default/web/main": ${dial}`,
    ]);
  });

  test("G5: streams a log, also after the cluster was evicted", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const answer = sandbox.send(`${podsPath}/web/log?follow=true&tailLines=3&container=main`);
    const call = await tunnel.nextCall();
    expect(call).toMatchObject({
      method: "GET",
      path: "/containerLogs/default/web/main?follow=true&tailLines=3",
      serverName: "192.168.7.2:10350",
      stream: true,
    });
    expect(call).not.toHaveProperty("client");
    tunnel.say({ id: call.id, status: 200, headers: [["content-type", "text/plain"]] });
    tunnel.say({ id: call.id, piece: btoa("one\n") });
    const reader = (await answer).body?.getReader();
    const next = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await next()).toBe("one\n");
    await evictDurableObject(sandbox.stub());
    tunnel.say({ id: call.id, piece: btoa("two\n") });
    expect(await next()).toBe("two\n");
    await reader?.cancel();
    await patiently(() => expect(tunnel.messages.at(-1)).toEqual({ id: call.id, stop: true }));
  });

  test.each([
    [404, 'pods "web" not found\n', [404, 'pods "web" not found']],
    [400, "container not available", [400, "container not available"]],
    [500, "broken", [500, "Internal error occurred: broken"]],
  ])("G5: words a log's error response %i as an API server does", async (status, text, expected) => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const answer = sandbox.send(`${podsPath}/web/log`);
    const { id } = await tunnel.nextCall();
    tunnel.say({ id, status, headers: [] });
    tunnel.say({ id, piece: btoa(text) });
    tunnel.say({ id, end: true });
    expect(await messageOf(await answer)).toEqual(expected);
  });

  test("G5: names the reason of a kubelet that does not answer", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const answer = sandbox.send(`${podsPath}/web/log`);
    const { id } = await tunnel.nextCall();
    tunnel.say({ id, error: "dial tcp 127.0.0.1:10250: connect: connection refused" });
    expect(await messageOf(await answer)).toEqual([
      500,
      'Get "https://192.168.7.2:10350/containerLogs/default/web/main": dial tcp 127.0.0.1:10250: connect: connection refused',
    ]);
  });

  test("G5: is a proxy to the node, with any method and to the kubelet's port alone", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const read = sandbox.send("/api/v1/nodes/laptop/proxy/stats/summary?only_cpu_and_memory=true");
    const call = await tunnel.nextCall();
    expect(call).toMatchObject({ method: "GET", path: "/stats/summary?only_cpu_and_memory=true", stream: true });
    expect(call.headers.some(([name]) => name.toLowerCase() === "authorization")).toBe(false);
    tunnel.say({ id: call.id, status: 200, headers: [["content-type", "application/json"]] });
    tunnel.say({ id: call.id, piece: btoa("{}") });
    tunnel.say({ id: call.id, end: true });
    expect(await (await read).text()).toBe("{}");
    const post = sandbox.send("/api/v1/nodes/laptop:10350/proxy/run/default/web/main?cmd=ls", { method: "POST" });
    const posted = await tunnel.nextCall();
    expect(posted).toMatchObject({ method: "POST", path: "/run/default/web/main?cmd=ls" });
    tunnel.say({ id: posted.id, status: 200, headers: [], body: btoa("listed") });
    expect(await (await post).text()).toBe("listed");
    const refused = await sandbox.send("/api/v1/nodes/laptop:22/proxy/");
    expect(await messageOf(refused)).toEqual([
      503,
      "error trying to reach service: dial tcp 192.168.7.2:22: connect: no route to host",
    ]);
  });

  test("G6: ends if the tunnel breaks its bounds", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const answer = sandbox.send(`${podsPath}/web/log`);
    const { id } = await tunnel.nextCall();
    tunnel.say({ id, status: 200, headers: [] });
    tunnel.say({ id, piece: "A".repeat(pieceCharacters) });
    const response = await answer;
    await expect(response.text()).rejects.toThrow();
    await patiently(() => expect(tunnel.messages.at(-1)).toEqual({ id, stop: true }));
  });

  test("G6: closes a tunnel that sends more at once than the longest answer", async () => {
    const tunnel = await openTunnel(await newSandbox({ nodes: 0 }));
    tunnel.webSocket.send("x".repeat(12 * 1024 * 1024));
    await patiently(() => expect(tunnel.closes).toEqual(["1009 a message of the tunnel is too long"]));
  });

  test("G6: does not hear another node's tunnel", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const desktop = await openTunnel(sandbox, "desktop");
    const answer = sandbox.send(`${podsPath}/web/log`);
    const { id } = await tunnel.nextCall();
    desktop.say({ id, status: 200, headers: [] });
    desktop.say({ id, piece: btoa("forged") });
    tunnel.say({ id, status: 200, headers: [] } satisfies TunnelPiece);
    tunnel.say({ id, piece: btoa("true") });
    tunnel.say({ id, end: true });
    expect(await (await answer).text()).toBe("true");
  });
});

describe("a session on a machine", () => {
  const spdyPing = String.fromCharCode(0x80, 3, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1);

  test("G5: is an SPDY connection to the kubelet, whose bytes a forwarding client exchanges with it", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const opening = sandbox.send(`${podsPath}/web/portforward?ports=80`, {
      headers: { ...upgrade.headers, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" },
    });
    const call = await tunnel.nextCall();
    expect(call).toMatchObject({ method: "POST", path: "/portForward/default/web", upgrade: "SPDY/3.1", stream: true });
    expect(call.headers).toEqual([["X-Stream-Protocol-Version", "portforward.k8s.io"]]);
    const { webSocket, heard } = heardBy(await opening);
    const closes: number[] = [];
    webSocket?.addEventListener("close", ({ code }) => void closes.push(code));
    webSocket?.accept();
    tunnel.say({ id: call.id, status: 101, headers: [] });
    tunnel.say({ id: call.id, piece: btoa(spdyPing) });
    await patiently(() => expect(heard).toEqual([spdyPing]));
    webSocket?.send(new TextEncoder().encode("to the kubelet"));
    await patiently(() => expect(tunnel.messages.at(-1)).toEqual({ id: call.id, piece: btoa("to the kubelet") }));
    tunnel.say({ id: call.id, end: true });
    await patiently(() => expect(closes).toEqual([1000]));
  });

  test("G5: runs a command by the kubelet's path, and words its refusal", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const opening = sandbox.send(`${podsPath}/web/exec?command=ls&command=-l&stdout=true&stdin=true`, {
      headers: { ...upgrade.headers, "sec-websocket-protocol": "v5.channel.k8s.io" },
    });
    const call = await tunnel.nextCall();
    expect(call).toMatchObject({
      method: "POST",
      path: "/exec/default/web/main?input=1&output=1&command=ls&command=-l",
      upgrade: "SPDY/3.1",
    });
    const { webSocket, heard } = heardBy(await opening);
    webSocket?.accept();
    tunnel.say({ id: call.id, status: 403, headers: [] });
    tunnel.say({ id: call.id, piece: btoa("Forbidden (user=x)") });
    tunnel.say({ id: call.id, end: true });
    await patiently(() => expect(heard).toHaveLength(1));
    expect(heard[0]?.charCodeAt(0)).toBe(3);
    expect(JSON.parse(heard[0]?.slice(1) ?? "")).toMatchObject({
      status: "Failure",
      code: 500,
      message: "Internal error occurred: unable to upgrade connection: Forbidden (user=x)",
    });
  });

  test("G5: forwards ports over channels, which begin with the number of the port", async () => {
    const sandbox = await withMachine();
    const tunnel = await openTunnel(sandbox);
    const opening = sandbox.send(`${podsPath}/web/portforward?ports=80`, {
      headers: { ...upgrade.headers, "sec-websocket-protocol": "v4.channel.k8s.io" },
    });
    const call = await tunnel.nextCall();
    const { webSocket, heard } = heardBy(await opening);
    webSocket?.accept();
    webSocket?.send(new Uint8Array([0, 104, 105]));
    tunnel.say({ id: call.id, status: 101, headers: [] });
    const early = btoa("\0\0\0\u0003\0\0\0\u0002hi");
    await patiently(() => expect(tunnel.messages).toContainEqual({ id: call.id, piece: early }));
    // The second stream is that of the data.
    tunnel.say({ id: call.id, piece: btoa(`\0\0\0\u0003\0\0\0\u0002hi`) });
    await patiently(() => expect(heard).toEqual(["\0P\0", "\u0001P\0", "\0hi"]));
    webSocket?.close(1000, "");
    await patiently(() => expect(tunnel.messages.at(-1)).toEqual({ id: call.id, stop: true }));
  });

  test("G5: needs the permission to create, and a known protocol", async () => {
    const sandbox = await withMachine();
    await openTunnel(sandbox);
    const jane = await tokenOf(sandbox, "jane", []);
    expect((await sandbox.send(`${podsPath}/web/exec?command=ls&stdout=true`, upgrade, jane)).status).toBe(403);
    const unknown = { headers: { ...upgrade.headers, "sec-websocket-protocol": "graphql-ws" } };
    expect((await sandbox.send(`${podsPath}/web/exec?command=ls&stdout=true`, unknown)).status).toBe(400);
    expect((await sandbox.send(`${podsPath}/web/portforward?ports=80`, unknown)).status).toBe(403);
  });
});

/** Returns the socket of a session, with what its client hears. */
function heardBy({ webSocket }: Response) {
  const heard: string[] = [];
  if (webSocket) webSocket.binaryType = "arraybuffer";
  webSocket?.addEventListener("message", ({ data }) => void heard.push(textOf(data)));
  return { webSocket, heard };
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : String.fromCharCode(...new Uint8Array(data as ArrayBuffer));
}
