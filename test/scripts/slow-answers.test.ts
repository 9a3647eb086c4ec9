// Servers outside that drip their answers: a call's timeout covers the complete answer.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { perform } from "../../client/tunnel/perform.ts";
import type { TunnelCall } from "../../shared/contract/tunnel.ts";
import { fetchTransport } from "../../worker/cluster/outside/transports.ts";
import { type HttpsServer, httpsServer } from "../https-server.ts";

const late = "context deadline exceeded";
const whileReading = "unexpected error when reading response body. Please retry. Original error: ";

/** Sends letters one at a time until the client closes the connection. */
function drip(response: ServerResponse, letters: () => void): void {
  const timer = setInterval(letters, 5);
  response.once("close", () => clearInterval(timer));
}

const ways: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/body": (response) => drip(response, () => void response.write("{")),
  "/length": (response) => {
    response.writeHead(200, { "content-length": "1000000" });
    drip(response, () => void response.write("{"));
  },
  "/headers": (response) => {
    response.socket?.write("HTTP/1.1 200 OK\r\n");
    drip(response, () => void response.socket?.write("a: b\r\n"));
  },
  "/cut": (response) => {
    response.writeHead(200, { "content-length": "1000000" });
    response.write("{", () => response.socket?.destroy());
  },
};

const question = { id: "1", method: "POST", serverName: "hook.default.svc", headers: [], body: "", timeoutMs: 150 };

describe("a webhook that drips its answer", () => {
  let server: HttpsServer;
  beforeAll(async () => {
    server = await httpsServer(["hook.default.svc"], ({ path }) => {
      const take = ways[path];
      return take && { take };
    });
  });
  afterAll(() => server.close());

  test.each([
    ["/headers", late],
    ["/body", whileReading + late],
    ["/length", whileReading + late],
  ])("R6: times out for %s in Node.js and through a tunnel with upstream's message", async (path, error) => {
    const call: TunnelCall = { ...question, path, caBundle: server.caBundle };
    expect(await perform(call, `https://127.0.0.1:${server.port}`)).toEqual({ id: "1", error });
  });

  test("R6: reports an answer that breaks off as such", async () => {
    const call = { ...question, path: "/cut", caBundle: server.caBundle, timeoutMs: 60_000 };
    const answer = await perform(call, `https://127.0.0.1:${server.port}`);
    expect(answer).toEqual({ id: "1", error: `${whileReading}unexpected EOF` });
  });
});

test.each([
  ["/body", whileReading + late],
  ["/headers", late],
])("R6: the platform's fetch reports a timeout for %s as well", async (path, error) => {
  const server = createServer((request, response) => ways[request.url ?? ""]?.(response));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo; // An AddressInfo whenever it listens on a port.
  try {
    expect(await fetchTransport({ ...question, path, origin: `http://127.0.0.1:${port}` })).toEqual({ error });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
