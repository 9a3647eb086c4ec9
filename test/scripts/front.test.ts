// The local https address: plain connections go through as they are, and certificates of clients are told of, whatever clients say.
import { createServer, type Server } from "node:http";
import { request, type RequestOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Certificate, localCertificate } from "../../scripts/local/certificate.ts";
import { certificateHeader, openFront } from "../../scripts/local/front.ts";

const header = certificateHeader();
const closing: { close(): unknown }[] = [];
let certificate: Certificate;
let httpsPort: number;

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

beforeAll(async () => {
  certificate = localCertificate(mkdtempSync(join(tmpdir(), "front-")), Date.now());
  const worker: Server = createServer((asked, answer) => {
    asked.resume();
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ method: asked.method, url: asked.url, certificate: asked.headers[header] ?? null }));
  });
  worker.on("upgrade", (asked, socket) => {
    socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n");
    socket.write(asked.headers[header] ? "known:" : "unknown:");
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
    workerPort: () => portOf(worker),
  });
  httpsPort = portOf(front.https);
  closing.push(worker, front.http, front.https);
});

afterAll(() => closing.forEach((one) => one.close()));

function ask(options: RequestOptions, body = ""): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const all = { host: "127.0.0.1", port: httpsPort, ca: certificate.ca, agent: false, path: "/a?b=c", ...options };
    const asked = request(all, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += String(part)));
      answer.on("end", () => resolve(JSON.parse(text)));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** Any certificate will do: whose it is, the sandbox judges. */
const own = () => ({ cert: certificate.certificate, key: certificate.key });
const der = () => new X509Certificate(certificate.certificate).raw.toString("base64");

test("who shows no certificate comes through as they are", async () => {
  expect(await ask({})).toEqual({ method: "GET", url: "/a?b=c", certificate: null });
  expect(await ask({ method: "POST" }, "body")).toMatchObject({ method: "POST" });
});

test("a certificate is told of with every request", async () => {
  expect(await ask(own())).toEqual({ method: "GET", url: "/a?b=c", certificate: der() });
  expect(await ask({ ...own(), method: "PUT" }, "body")).toEqual({ method: "PUT", url: "/a?b=c", certificate: der() });
});

test("the header's name is another at each start, so that nobody can send it", () => {
  expect(certificateHeader()).not.toBe(header);
  expect(header).toMatch(/^sandbar-front-[0-9a-f]{32}$/);
});

test.each([
  ["with a certificate", own, "known:hello"],
  ["without one", () => ({}), "unknown:hello"],
])("a WebSocket goes through, %s", async (_, options, expected) => {
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: "echo" };
    const asked = request({
      host: "127.0.0.1",
      port: httpsPort,
      ca: certificate.ca,
      agent: false,
      headers,
      ...options(),
    });
    asked.on("upgrade", (__, socket, first) => {
      let seen = String(first);
      socket.on("data", (part) => {
        seen += String(part);
        if (seen.endsWith("hello")) {
          resolve(seen);
          socket.destroy();
        }
      });
      socket.write("hello");
    });
    asked.on("error", reject);
    asked.end();
  });
  expect(text).toBe(expected);
});

test("while no workerd serves, a request is answered 503, and is to come again", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const port = portOf(closed);
  await new Promise((resolve) => closed.close(resolve));
  for (const workerPort of [undefined, port]) {
    const address = { httpPort: 0, httpsPort: 0, listen: "127.0.0.1", httpListen: "127.0.0.1" };
    const front = await openFront({ certificate, header, ...address, workerPort: () => workerPort });
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
