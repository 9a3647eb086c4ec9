// The local https address: forwarded connections, and client certificates in a header.
import { createServer, type Server } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { request, type RequestOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Certificate, localCertificate } from "../../scripts/local/certificate.ts";
import { certificateHeader, openFront } from "../../scripts/local/front.ts";

const header = certificateHeader();
const closing: { close(): unknown }[] = [];
let certificate: Certificate;
let httpsPort: number;

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  certificate = localCertificate(mkdtempSync(join(tmpdir(), "front-")), Date.now());
  const worker: Server = createServer((incoming, answer) => {
    incoming.resume();
    answer.setHeader("content-type", "application/json");
    answer.end(
      JSON.stringify({ method: incoming.method, url: incoming.url, certificate: incoming.headers[header] ?? null }),
    );
  });
  worker.on("upgrade", (incoming, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n");
    socket.write(incoming.headers[header] ? "known:" : "unknown:");
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => worker.listen(0, "127.0.0.1", resolve));
  const front = await openFront({
    certificate,
    header,
    httpPort: 0,
    httpsPort: 0,
    listen: "127.0.0.1",
    httpListen: "127.0.0.1",
    portFor: () => portOf(worker),
  });
  httpsPort = portOf(front.https);
  closing.push(worker, front.http, front.https);
});

afterAll(() => closing.forEach((server) => server.close()));

function ask(options: RequestOptions, body = ""): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const all = { host: "127.0.0.1", port: httpsPort, ca: certificate.ca, agent: false, path: "/a?b=c", ...options };
    const outgoing = request(all, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += String(chunk)));
      answer.on("end", () => resolve(JSON.parse(text)));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A client certificate. Its authority does not matter, because the sandbox verifies it. */
const ownCertificate = () => ({ cert: certificate.certificate, key: certificate.key });
const der = () => new X509Certificate(certificate.certificate).raw.toString("base64");

test("a request without certificate is forwarded unchanged", async () => {
  expect(await ask({})).toEqual({ method: "GET", url: "/a?b=c", certificate: null });
  expect(await ask({ method: "POST" }, "body")).toMatchObject({ method: "POST" });
});

test("a client certificate is forwarded with every request", async () => {
  expect(await ask(ownCertificate())).toEqual({ method: "GET", url: "/a?b=c", certificate: der() });
  expect(await ask({ ...ownCertificate(), method: "PUT" }, "body")).toEqual({
    method: "PUT",
    url: "/a?b=c",
    certificate: der(),
  });
});

test("the header's name is random at each start, so that no client can send it", () => {
  expect(certificateHeader()).not.toBe(header);
  expect(header).toMatch(/^sandbar-front-[0-9a-f]{32}$/);
});

test.each([
  ["with a certificate", ownCertificate, "known:hello"],
  ["without a certificate", () => ({}), "unknown:hello"],
])("a WebSocket is forwarded, %s", async (_, options, expected) => {
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: "echo" };
    const outgoing = request({
      host: "127.0.0.1",
      port: httpsPort,
      ca: certificate.ca,
      agent: false,
      headers,
      ...options(),
    });
    outgoing.on("upgrade", (__, socket, first) => {
      let received = String(first);
      socket.on("data", (chunk) => {
        received += String(chunk);
        if (received.endsWith("hello")) {
          resolve(received);
          socket.destroy();
        }
      });
      socket.write("hello");
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
  expect(text).toBe(expected);
});

test("a request is answered 503 with Retry-After while workerd does not serve", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const port = portOf(closed);
  await new Promise((resolve) => closed.close(resolve));
  for (const workerPort of [undefined, port]) {
    const address = { httpPort: 0, httpsPort: 0, listen: "127.0.0.1", httpListen: "127.0.0.1" };
    const front = await openFront({ certificate, header, ...address, portFor: () => workerPort });
    closing.push(front.http, front.https);
    const answers = await Promise.all(
      ["/v1/sandboxes", "/c/x/api"].map(async (path) => {
        const answer = await fetch(`http://127.0.0.1:${portOf(front.http)}${path}`, { method: "POST", body: "{}" });
        return [answer.status, answer.headers.get("retry-after"), await answer.json()];
      }),
    );
    const message = "the service is being restarted, try again";
    expect(answers).toMatchObject([
      [503, "1", { error: { code: "restarting", message } }],
      [503, "1", { kind: "Status", reason: "ServiceUnavailable", message, details: { retryAfterSeconds: 1 } }],
    ]);
  }
});

/** Starts a front before a scripted workerd, and connects a client to it. */
async function scripted(...scripts: ((connection: Socket) => void)[]) {
  const worker = createTcpServer((connection) => {
    connection.on("error", () => undefined);
    scripts.shift()?.(connection);
  });
  await new Promise<void>((resolve) => worker.listen(0, "127.0.0.1", resolve));
  const workerPort = () => portOf(worker);
  const listen = "127.0.0.1";
  const front = await openFront({
    certificate,
    header,
    httpPort: 0,
    httpsPort: 0,
    listen,
    httpListen: listen,
    portFor: workerPort,
  });
  closing.push(worker, front.http, front.https);
  const client = connect(portOf(front.http), "127.0.0.1");
  const state = { text: "", hasEnded: false };
  client.on("data", (bytes) => (state.text += String(bytes)));
  client.on("close", () => (state.hasEnded = true));
  client.on("error", () => undefined);
  return { client, state };
}

test("a request is forwarded to the process of the sandbox in its path, its host or its token, over one connection", async () => {
  const named = (name: string) =>
    createServer((incoming, answer) => {
      incoming.resume();
      answer.end(`${name} ${incoming.url};`);
    });
  const [service, ada, bob] = [named("service"), named("ada"), named("bob")];
  const servers = [service, ada, bob];
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const [adasId, bobsId] = ["a".repeat(26), "b".repeat(26)];
  const serverOf = (sandbox: string | undefined) => {
    if (sandbox === adasId) return ada;
    return sandbox === bobsId ? bob : service;
  };
  const listen = "127.0.0.1";
  const front = await openFront({
    certificate,
    header,
    httpPort: 0,
    httpsPort: 0,
    listen,
    httpListen: listen,
    portFor: (sandbox) => portOf(serverOf(sandbox)),
  });
  closing.push(...servers, front.http, front.https);
  const client = connect(portOf(front.http), listen);
  let text = "";
  client.on("data", (bytes) => (text += String(bytes)));
  const requests = [
    ["/v1/sandboxes", "Host: localhost", "service /v1/sandboxes;"],
    [`/c/${adasId}/api`, "Host: localhost", `ada /c/${adasId}/api;`],
    ["/api", `Host: ${bobsId}.localhost`, "bob /api;"],
    ["/api", `Host: localhost\r\nAuthorization: Bearer sba_${adasId}_tag`, "ada /api;"],
    ["/v1/me", "Host: localhost\r\nAuthorization: Bearer sbk_x", "service /v1/me;"],
  ] as const;
  for (const [path, headers, answer] of requests) {
    client.write(`POST ${path} HTTP/1.1\r\n${headers}\r\nContent-Length: 2\r\n\r\n{}`);
    await vi.waitFor(() => expect(text).toContain(answer));
    text = "";
  }
  // Requests that do not wait for answers follow each other to one process, and are answered in their order.
  client.write(
    requests
      .slice(0, 3)
      .map(([path, headers]) => `GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
      .join(""),
  );
  await vi.waitFor(() => expect(text).toContain("service /api;"));
  expect(text.match(/service [^;]*;/g)).toEqual([
    "service /v1/sandboxes;",
    `service /c/${adasId}/api;`,
    "service /api;",
  ]);
  client.destroy();
});

const answered = (connection: Socket) =>
  connection.once("data", () => connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
const killed = (connection: Socket) => connection.once("data", () => connection.resetAndDestroy());

test("a client's connection outlives those to workerd, which end when they are idle", async () => {
  const first = (connection: Socket) => answered(connection).once("data", () => setTimeout(() => connection.end(), 20));
  const { client, state } = await scripted(first, answered);
  for (const at of [1, 2]) {
    client.write("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    await expect.poll(() => state.text.match(/ok$|okHTTP/g)?.length).toBe(at);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(state.hasEnded).toBe(false);
  client.destroy();
});

test("a connection to workerd that was idle for seconds is not used again, because workerd may be closing it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const closedMeanwhile = (connection: Socket) => answered(connection).once("data", () => killed(connection));
    const { client, state } = await scripted(closedMeanwhile, answered);
    for (const at of [1, 2]) {
      client.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
      await expect.poll(() => state.text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(at);
      vi.advanceTimersByTime(3_500);
    }
    client.destroy();
  } finally {
    vi.useRealTimers();
  }
});

test("an idle connection ends after two minutes, and one that waits for its answer does not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const silent = await scripted();
    const waiting = await scripted((connection) => connection.resume());
    waiting.client.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    for (const { client } of [silent, waiting]) await once(client, "connect");
    await turns();
    vi.advanceTimersByTime(119_000);
    await turns();
    expect([silent.state.hasEnded, waiting.state.hasEnded]).toEqual([false, false]);
    vi.advanceTimersByTime(121_000);
    await turns();
    expect([silent.state.hasEnded, waiting.state.hasEnded]).toEqual([true, false]);
    waiting.client.destroy();
  } finally {
    vi.useRealTimers();
  }
});

/** Lets pending data of sockets arrive. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ["POST", "/c/x/api", 504, `"reason":"Timeout"`],
  ["DELETE", "/v1/sandboxes/x", 504, `"code":"interrupted"`],
  ["GET", "/c/x/api", 503, `"reason":"ServiceUnavailable"`],
])("a %s of %s that workerd ended during is answered %i", async (method, path, code, body) => {
  const { client, state } = await scripted(killed);
  // A part of the body is still to come.
  client.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`);
  await expect.poll(() => state.hasEnded, { timeout: 5_000 }).toBe(true);
  expect(state.text).toContain(`HTTP/1.1 ${code} `);
  expect(state.text).toContain(body);
  expect(state.text.includes("Retry-After: 1")).toBe(code === 503);
});

test("an answer is cut off if workerd ends during it", async () => {
  const half = (connection: Socket) =>
    connection.once("data", () => {
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nok", () => connection.destroy());
    });
  const { client, state } = await scripted(half);
  client.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => state.hasEnded).toBe(true);
  expect(state.text).toMatch(/ok$/);
});
