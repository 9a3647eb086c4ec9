// Streamed answers on the tunnel's far side: flow control and cancellation.
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { streamWindowBytes, type TunnelPiece, type TunnelCall } from "../../shared/contract/tunnel.ts";
import { newStreams } from "../../client/tunnel/streams.ts";
import { type HttpsServer, httpsServer } from "../https-server.ts";

const length = streamWindowBytes * 3;
let server: HttpsServer;
beforeAll(async () => {
  server = await httpsServer(["api.default.svc"], ({ path }) => ({
    body: path === "/long" ? "x".repeat(length) : "short",
    headers: { "content-type": "text/plain" },
  }));
});
afterAll(() => server.close());

function tunnelTo(origin: string) {
  const pieces: TunnelPiece[] = [];
  const socket = {
    readyState: WebSocket.OPEN,
    send: (text: unknown) => {
      if (typeof text === "string") pieces.push(JSON.parse(text) as TunnelPiece);
    },
  };
  const streams = newStreams(socket, origin, { say: () => undefined, trusted: undefined });
  const bytes = () =>
    pieces.reduce((sum, piece) => sum + ("piece" in piece ? Buffer.from(piece.piece, "base64").length : 0), 0);
  return { streams, pieces, bytes };
}

function question(path: string): TunnelCall {
  const { caBundle } = server;
  return {
    id: "1",
    method: "GET",
    path,
    serverName: "api.default.svc",
    caBundle,
    headers: [],
    body: "",
    timeoutMs: 5000,
    stream: true,
  };
}

const origin = () => `https://127.0.0.1:${server.port}`;

describe("an upgraded connection", () => {
  const upgradeTo = async (answer: (socket: Socket) => void) => {
    const echo = createServer();
    echo.on("upgrade", (_request, socket: Socket) => answer(socket));
    await new Promise<void>((resolve) => void echo.listen(0, "127.0.0.1", resolve));
    // A server that listens has an address.
    const { port } = echo.address() as AddressInfo;
    const tunnel = tunnelTo(`http://127.0.0.1:${port}`);
    const done = tunnel.streams.open({ ...question("/exec"), method: "POST", upgrade: "SPDY/3.1" });
    return { ...tunnel, done, close: () => echo.close() };
  };
  const switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\nConnection: Upgrade\r\n\r\n";
  const piece = (text: string) => Buffer.from(text).toString("base64");

  test("carries bytes both ways, and confirms those of the client", async () => {
    const { streams, pieces, done, close } = await upgradeTo((socket) => {
      socket.write(`${switching}hello`);
      socket.on("data", (data) => void socket.end(`heard ${data.toString()}`));
    });
    await expect.poll(() => pieces.length).toBe(2);
    streams.order({ id: "1", piece: piece("you") });
    await done;
    expect(pieces).toMatchObject([
      { status: 101 },
      { piece: piece("hello") },
      ...[{ took: 3 }, { piece: piece("heard you") }, { end: true }].map(() => ({ id: "1" })),
    ]);
    expect(pieces).toContainEqual({ id: "1", took: 3 });
    expect(pieces).toContainEqual({ id: "1", piece: piece("heard you") });
    close();
  });

  test("ends if the sandbox sends more than its window", async () => {
    const { streams, pieces, done, close } = await upgradeTo((socket) => {
      socket.pause();
      socket.write(switching);
    });
    await expect.poll(() => pieces.length).toBe(1);
    const full = Buffer.alloc(streamWindowBytes).toString("base64");
    for (let at = 0; at < 64; at++) streams.order({ id: "1", piece: full });
    await done;
    expect(pieces.at(-1)).toEqual({ id: "1", error: "unexpected EOF" });
    close();
  });

  test("is refused by a server that does not upgrade", async () => {
    const { streams, pieces } = tunnelTo(origin());
    await streams.open({ ...question("/short"), upgrade: "SPDY/3.1" });
    expect(pieces[0]).toMatchObject({ status: 200 });
  });
});

describe("a streamed answer", () => {
  test("starts with its status, and ends with a marker", async () => {
    const { streams, pieces } = tunnelTo(origin());
    await streams.open(question("/short"));
    expect(pieces).toMatchObject([{ status: 200 }, { piece: Buffer.from("short").toString("base64") }, { end: true }]);
  });

  test("waits for its reader", async () => {
    const { streams, pieces, bytes } = tunnelTo(origin());
    const done = streams.open(question("/long"));
    await expect.poll(bytes).toBeGreaterThanOrEqual(streamWindowBytes);
    expect(bytes()).toBeLessThan(streamWindowBytes * 2);
    streams.order({ id: "1", took: length });
    await done;
    expect([bytes(), pieces.at(-1)]).toEqual([length, { id: "1", end: true }]);
  });

  test("is stopped if the reader cancels it", async () => {
    const { streams, pieces, bytes } = tunnelTo(origin());
    const done = streams.open(question("/long"));
    await expect.poll(bytes).toBeGreaterThanOrEqual(streamWindowBytes);
    streams.order({ id: "1", stop: true });
    await done;
    expect(pieces.at(-1)).toEqual({ id: "1", error: "unexpected EOF" });
  });

  test("is an error for an unreachable server", async () => {
    const { streams, pieces } = tunnelTo("https://127.0.0.1:1");
    await streams.open(question("/"));
    expect(pieces).toEqual([{ id: "1", error: "dial tcp 127.0.0.1:1: connect: connection refused" }]);
  });
});
