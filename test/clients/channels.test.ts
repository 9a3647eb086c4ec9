// Ports and logs over WebSockets, as the clients outside of Go have them: by the JavaScript client, and by the bytes that others send.
import { PassThrough } from "node:stream";
import { KubeConfig, PortForward } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startService } from "./service.ts";

const patience = { timeout: 30_000, interval: 100 };
const pod = "/api/v1/namespaces/default/pods/web";

let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  service = await startService();
  const containers = [
    { name: "web", image: "nginx" },
    { name: "store", image: "redis:8" },
    { name: "said", image: "busybox", command: ["sh", "-c", "echo one; echo two; sleep 36000"] },
  ];
  const body = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "web" }, spec: { containers } });
  expect((await send("/api/v1/namespaces/default/pods", { method: "POST", body })).status).toBe(201);
  await vi.waitFor(async () => expect(await (await send(pod)).json()).toMatchObject({ status: { phase: "Running" } }), {
    ...patience,
  });
}, 60_000);
afterAll(() => service.stop());

function send(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
  return fetch(service.url + path, { ...init, headers });
}

/** Opens a WebSocket and collects the messages that it receives until it closes. */
function openSocket(path: string, protocol: string) {
  const headers = { authorization: `Bearer ${service.token}` };
  const socket = new WebSocket(service.url.replace(/^http/, "ws") + path, { protocols: [protocol], headers });
  socket.binaryType = "arraybuffer";
  const sent: (string | Uint8Array)[] = [];
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") sent.push(data);
    else if (data instanceof ArrayBuffer) sent.push(new Uint8Array(data));
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("the socket was refused")));
  });
  const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
  return { socket, sent, opened, closed };
}

const request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

test("@kubernetes/client-node forwards a port", async () => {
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "sandbox", server: service.url, skipTLSVerify: true },
    {
      name: "admin",
      token: service.token,
    },
  );
  const [output, errors, input] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const [outputChunks, failed]: [Buffer[], Buffer[]] = [[], []];
  output.on("data", (chunk: Buffer) => void outputChunks.push(chunk));
  errors.on("data", (chunk: Buffer) => void failed.push(chunk));
  const socket = await new PortForward(config).portForward("default", "web", [80], output, errors, input);
  input.write(request);
  await vi.waitFor(() => expect(Buffer.concat(outputChunks).toString()).toContain("Welcome to nginx!"), patience);
  expect(Buffer.concat(outputChunks).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(Buffer.concat(failed).toString()).toBe("");
  if (!socket || typeof socket === "function") throw new Error("the client has no socket");
  expect(socket.protocol).toBe("v4.channel.k8s.io");
});

test("a client gets an error for a port without listener", async () => {
  const { sent, closed } = openSocket(`${pod}/portforward?ports=81`, "v4.channel.k8s.io");
  expect(await closed).toBe(1000);
  expect(sent.slice(0, 2)).toEqual([Uint8Array.of(0, 81, 0), Uint8Array.of(1, 81, 0)]);
  const errors = sent.flatMap((message) =>
    typeof message !== "string" && message[0] === 1 ? [message.subarray(1)] : [],
  );
  expect(new TextDecoder().decode(errors[1])).toContain("error forwarding port 81 to pod");
});

test("a client with base64 channels forwards two ports over one socket", async () => {
  const { socket, sent, opened, closed } = openSocket(`${pod}/portforward?ports=80,80`, "v4.base64.channel.k8s.io");
  await opened;
  expect(socket.protocol).toBe("v4.base64.channel.k8s.io");
  socket.send(`0${btoa(request)}`);
  socket.send(`2${btoa(request)}`);
  expect(await closed).toBe(1000);
  expect(sent.slice(0, 4)).toEqual(["0UAA=", "1UAA=", "2UAA=", "3UAA="]);
  for (const channel of ["0", "2"]) {
    const outputTexts = sent
      .slice(4)
      .flatMap((message) => (typeof message === "string" && message[0] === channel ? [message.slice(1)] : []));
    expect(outputTexts.map((encodedText) => atob(encodedText)).join("")).toContain("Welcome to nginx!");
  }
});

test("a Redis port transports Redis' own bytes", async () => {
  const { socket, sent, opened, closed } = openSocket(`${pod}/portforward?ports=6379`, "v4.channel.k8s.io");
  await opened;
  const say = (text: string) => socket.send(Uint8Array.from([0, ...new TextEncoder().encode(text)]));
  say("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$3\r\none\r\n");
  say("GET a\r\nQUIT\r\n");
  expect(await closed).toBe(1000);
  const outputBytes = sent.slice(2).flatMap((message) => (typeof message === "string" ? [] : [...message.subarray(1)]));
  expect(new TextDecoder().decode(Uint8Array.from(outputBytes))).toBe("+OK\r\n$3\r\none\r\n+OK\r\n");
});

test("an unknown protocol is refused", async () => {
  await expect(openSocket(`${pod}/portforward?ports=80`, "channel.k8s.io").opened).rejects.toThrow("refused");
  await expect(openSocket(`${pod}/log?container=said`, "channel.k8s.io").opened).rejects.toThrow("refused");
});

test("a log is sent over a WebSocket, as bytes and in base64, and followed until the client disconnects", async () => {
  const path = `${pod}/log?container=said`;
  await vi.waitFor(async () => expect(await (await send(path)).text()).toBe("one\ntwo\n"), patience);
  const asBytes = openSocket(path, "binary.k8s.io");
  expect(await asBytes.closed).toBe(1000);
  expect(asBytes.sent).toEqual([new Uint8Array(), new TextEncoder().encode("one\ntwo\n")]);
  const asText = openSocket(path, "base64.binary.k8s.io");
  expect(await asText.closed).toBe(1000);
  expect(asText.sent).toEqual(["", btoa("one\ntwo\n")]);
  const followed = openSocket(`${path}&follow=true&tailLines=1`, "binary.k8s.io");
  await vi.waitFor(() => expect(followed.sent).toHaveLength(2), patience);
  expect(followed.sent[1]).toEqual(new TextEncoder().encode("two\n"));
  expect((await service.sockets()).sockets).toBeGreaterThan(0);
  followed.socket.close();
  await vi.waitFor(async () => expect((await service.sockets()).sockets).toBe(0), patience);
});
