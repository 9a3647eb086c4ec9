// Forwarded ports at the edge: SPDY's frames and headers, HTTP on a connection, and whole sessions as clients have them.
import { constants, createDeflate, inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { ForwardStep, ForwardStepped } from "../../shared/contract/cluster-object.ts";
import { newConnection } from "../../worker/edge/session/forward/connection.ts";
import { httpAnswer, newHttpReader } from "../../worker/edge/session/forward/http.ts";
import { newPortChannels } from "../../worker/edge/session/forward/port-channels.ts";
import { dictionary } from "../../worker/edge/session/spdy/dictionary.ts";
import { newForward } from "../../worker/edge/session/spdy/forward.ts";
import * as frames from "../../worker/edge/session/spdy/frames.ts";
import { newHeaderReader, newHeaderWriter, type SpdyHeaders } from "../../worker/edge/session/spdy/headers.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: Uint8Array) => new TextDecoder().decode(of);
const soon = () => new Promise((done) => void setTimeout(done, 5));

/** Compresses as clients do: one stream, flushed after each block, with the dictionary. */
function clientHeaders() {
  const stream = createDeflate({ dictionary, level: 9 });
  return async (headers: Record<string, string>) => {
    const plain = inflateRawSync(newHeaderWriter()(headers).subarray(2), { finishFlush: constants.Z_SYNC_FLUSH });
    stream.write(plain);
    await new Promise<void>((done) => void stream.flush(constants.Z_SYNC_FLUSH, () => done()));
    return new Uint8Array(stream.read() as Uint8Array);
  };
}

describe("SPDY frames", () => {
  const block = bytes("a block");
  const all = [
    frames.openFrame(1, block, true),
    frames.replyFrame(3, block),
    frames.dataFrame(5, bytes("data"), false),
    frames.dataFrame(5, new Uint8Array(), true),
    frames.pingFrame(7),
    frames.resetFrame(9, 5),
    frames.leaveFrame(11, 0),
  ];
  const read = [
    { type: "open", stream: 1, isLast: true, block },
    { type: "headers", stream: 3, isLast: false, block },
    { type: "data", stream: 5, isLast: false, bytes: bytes("data") },
    { type: "data", stream: 5, isLast: true, bytes: new Uint8Array() },
    { type: "ping", id: 7 },
    { type: "reset", stream: 9, status: 5 },
    { type: "leave", lastStream: 11, status: 0 },
  ];
  const stream = Uint8Array.from(all.flatMap((frame) => [...frame]));

  test.each([1, 2, 7, 9, 64, 1000])("are decoded as they were encoded, in pieces of %i bytes", (size) => {
    const reader = frames.newFrameReader();
    const got: unknown[] = [];
    for (let at = 0; at < stream.length; at += size) got.push(...must(reader(stream.slice(at, at + size)), "frames"));
    expect(got).toEqual(read);
  });

  test("with windows, settings and unknown kinds are skipped", () => {
    const window = Uint8Array.of(0x80, 3, 0, 9, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 1);
    const settings = Uint8Array.of(0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0);
    const unknown = Uint8Array.of(0x80, 3, 0, 77, 0, 0, 0, 0);
    expect(frames.newFrameReader()(Uint8Array.from([...window, ...settings, ...unknown]))).toEqual([]);
  });

  test.each([
    ["a control frame of another version", Uint8Array.of(0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1)],
    ["longer than the bound", Uint8Array.of(0, 0, 0, 1, 0, 0xff, 0xff, 0xff)],
    ["shorter than their type", Uint8Array.of(0x80, 3, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1)],
  ])("are rejected if they are %s", (_, frame) => expect(frames.newFrameReader()(frame)).toBeUndefined());
});

describe("SPDY headers", () => {
  test("use the protocol's dictionary", () => {
    let [low, high] = [1, 0];
    for (const byte of dictionary) {
      low = (low + byte) % 65_521;
      high = (high + low) % 65_521;
    }
    expect(high * 65_536 + low).toBe(0xe3c6a7c2);
  });

  test("are decompressed block after block, with the earlier blocks' state", async () => {
    const [write, reader] = [clientHeaders(), newHeaderReader()];
    for (let id = 0; id < 200; id += 1) {
      const headers = { streamtype: "data", port: "80", requestid: `${id}`, more: "x".repeat(id * 11) };
      expect(reader(await write(headers))).toEqual(headers);
    }
  });

  test("are decoded as they were encoded", () => {
    const [write, reader] = [newHeaderWriter(), newHeaderReader()];
    const all: SpdyHeaders[] = [{}, { a: "b" }, { ü: "é", c: "" }];
    for (const headers of all) expect(reader(write(headers))).toEqual(headers);
  });

  test("are rejected if they are garbage or grow too large", () => {
    expect(newHeaderReader()(bytes("nonsense"))).toBeUndefined();
    expect(newHeaderReader()(new Uint8Array())).toBeUndefined();
    expect(newHeaderReader()(newHeaderWriter()({ a: "x".repeat(100_000) }))).toBeUndefined();
  });
});

describe("forwarded HTTP", () => {
  const requests = (sent: string, size = sent.length) => {
    let proceeded = 0;
    const held = { bytes: 0 };
    const reader = newHttpReader(() => void (proceeded += 1), held);
    let problem: string | undefined;
    for (let at = 0; at < sent.length; at += size) problem ??= reader.take(bytes(sent.slice(at, at + size)));
    const isHttp = problem === undefined;
    const paths: string[] = [];
    for (let next = reader.next(); next; next = reader.next())
      paths.push([next.method, next.path, next.body].join(" ").trim());
    return { isHttp, problem, held: held.bytes, paths, proceeded };
  };
  const several =
    "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n" +
    "POST /b HTTP/1.1\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nGET /\r\n" +
    "PUT http://x:80/c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0a\r\n0123456789\r\n0\r\nA: b\r\n\r\n" +
    "HEAD / HTTP/1.0\n\n";

  test.each([1, 3, 1000])("separates requests with any bodies, in pieces of %i bytes", (size) => {
    expect(requests(several, size)).toMatchObject({
      isHttp: true,
      held: 0,
      paths: ["GET /a?b", "POST /b GET /", "PUT /c abc0123456789", "HEAD /"],
      proceeded: 1,
    });
  });

  test("bounds the buffered bytes of all connections together", () => {
    const held = { bytes: 4_000_000 };
    const readers = [newHttpReader(() => undefined, held), newHttpReader(() => undefined, held)] as const;
    const post = bytes(`POST / HTTP/1.1\r\nContent-Length: 150000\r\n\r\n${"x".repeat(150_000)}`);
    expect(readers[0].take(post)).toBeUndefined();
    expect(readers[1].take(post)).toBe("more is sent than a simulated container reads at once");
    readers[1].end();
    expect(held.bytes).toBe(4_150_000);
    expect(readers[0].next()?.body).toHaveLength(150_000);
    expect(held.bytes).toBe(4_000_000);
  });

  test("starts a request when it has arrived completely", () => {
    expect(requests("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n1234")).toMatchObject({ isHttp: true, paths: [] });
  });

  test.each(["PING\r\n", "\u0016\u0003\u0001", "\0\0\0\u0008", "PRI * HTTP/2.0\r\n", `GET /${"a".repeat(40_000)}`])(
    "rejects %j",
    (sent) => expect(requests(sent).isHttp).toBe(false),
  );

  test("answers with a length, and without a body for HEAD", () => {
    const answer = { status: 404, contentType: "text/plain", body: "né" };
    const written = (method: string) =>
      text(httpAnswer({ method, path: "/", headers: [], body: "", keepsOpen: true }, answer, 0));
    const head =
      "HTTP/1.1 404 Not Found\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain\r\n" +
      "Content-Length: 3\r\nConnection: keep-alive\r\n\r\n";
    expect(written("GET")).toBe(`${head}né`);
    expect(written("HEAD")).toBe(head);
  });
});

describe("a SPDY session", () => {
  const page = { status: 200, contentType: "text/html", body: "<h1>page</h1>" };

  function sessionOf(answer: (step: ForwardStep) => ForwardStepped | undefined = () => page) {
    const steps: ForwardStep[] = [];
    const sent: frames.SpdyFrame[] = [];
    const closed: number[] = [];
    const reader = frames.newFrameReader();
    const forward = newForward(
      {
        send: (frame) => void sent.push(...must(reader(frame as Uint8Array), "frames")),
        close: (code) => void closed.push(code),
      },
      {
        nowMs: () => 0,
        ask: (step) => {
          steps.push(step);
          return Promise.resolve(answer(step));
        },
      },
    );
    const write = clientHeaders();
    const send = (frame: Uint8Array) => forward.receive(Uint8Array.from(frame).buffer);
    const open = async (stream: number, streamtype: string, port = "80", requestid = "0") =>
      send(frames.openFrame(stream, await write({ streamtype, port, requestid })));
    const pair = async (port?: string) => {
      await open(1, "error", port);
      send(frames.dataFrame(1, new Uint8Array(), true));
      await open(3, "data", port);
    };
    /** Returns the text that a stream received, and whether the stream has ended. */
    const got = (stream: number) => {
      const data = sent.flatMap((dataFrame) =>
        dataFrame.type === "data" && dataFrame.stream === stream ? [dataFrame] : [],
      );
      return {
        text: data.map((dataFrame) => text(dataFrame.bytes)).join(""),
        ended: data.some((dataFrame) => dataFrame.isLast),
      };
    };
    return { forward, asked: steps, sent, closed, send, open, pair, got };
  }
  const get = (path: string, more = "") => bytes(`GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`);

  test("confirms streams, and answers several requests of a connection in order", async () => {
    const { asked: steps, sent, send, pair, got } = sessionOf();
    await pair();
    expect(sent.map((frame) => frame.type)).toEqual(["headers", "headers"]);
    send(frames.dataFrame(3, get("/one"), false));
    await soon();
    send(frames.dataFrame(3, Uint8Array.from([...get("/two"), ...get("/three")]), false));
    await soon();
    expect(steps).toMatchObject([
      { port: 80 },
      { port: 80, path: "/one" },
      { port: 80, path: "/two" },
      { port: 80, path: "/three" },
    ]);
    expect(got(3).text.split("<h1>page</h1>")).toHaveLength(4);
    expect(got(3).ended).toBe(false);
  });

  test("ends a connection at the client's end or Connection: close", async () => {
    for (const [more, isLast] of [
      ["", true],
      ["Connection: close\r\n", false],
    ] as const) {
      const { forward, send, pair, got } = sessionOf();
      await pair();
      send(frames.dataFrame(3, get("/", more), isLast));
      await soon();
      expect(got(3)).toEqual({ text: expect.stringContaining("<h1>page</h1>") as string, ended: true });
      expect(got(1)).toEqual({ text: "", ended: true });
      expect(forward.open()).toBe(0);
    }
  });

  test("reports a port without listener immediately, on the error stream", async () => {
    const { forward, pair, got, closed } = sessionOf(() => ({ refused: "connection refused" }));
    await pair("81");
    await soon();
    expect(got(1)).toEqual({ text: "connection refused", ended: true });
    expect(got(3)).toEqual({ text: "", ended: true });
    expect({ open: forward.open(), closed }).toEqual({ open: 0, closed: [] });
  });

  test("ends a connection that is not HTTP with a message, and continues", async () => {
    const { send, pair, got, closed } = sessionOf();
    await pair();
    send(frames.dataFrame(3, bytes("PING\r\n"), false));
    await soon();
    expect(got(1)).toEqual({ text: "a simulated container is asked over HTTP/1.x alone", ended: true });
    expect(closed).toEqual([]);
  });

  test("ends a connection if the cluster cannot answer", async () => {
    const { pair, got } = sessionOf(() => undefined);
    await pair();
    await soon();
    expect(got(1)).toEqual({ text: "the cluster does not answer", ended: true });
  });

  test("sends an answer larger than a frame completely", async () => {
    const { send, pair, got } = sessionOf(() => ({ ...page, body: "x".repeat(100_000) }));
    await pair();
    send(frames.dataFrame(3, get("/"), true));
    await soon();
    expect(got(3).text.endsWith(`\r\n\r\n${"x".repeat(100_000)}`)).toBe(true);
  });

  test("returns pings, and ends when the client leaves", async () => {
    const { forward, sent, send, pair, closed } = sessionOf();
    await pair();
    send(frames.pingFrame(1));
    expect(sent.at(-1)).toEqual({ type: "ping", id: 1 });
    send(frames.leaveFrame(0, 0));
    await forward.done;
    expect({ closed, open: forward.open() }).toEqual({ closed: [1000], open: 0 });
  });

  test("ends the connection of a reset stream, and sends no further request for it", async () => {
    const { forward, asked: steps, send, pair, got } = sessionOf();
    await pair();
    send(frames.resetFrame(3, 5));
    send(frames.dataFrame(3, get("/"), false));
    await soon();
    expect({ asked: steps, open: forward.open() }).toEqual({ asked: [{ port: 80 }], open: 0 });
    expect(got(1).ended).toBe(true);
  });

  test("resets a stream without a port or a type", async () => {
    const { sent, open } = sessionOf();
    await open(1, "error", "0");
    await open(3, "other");
    expect(sent.map((frame) => frame.type)).toEqual(["reset", "reset"]);
  });

  test.each([
    ["an invalid frame", Uint8Array.of(0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1)],
    ["invalid headers", frames.openFrame(5, bytes("nonsense"))],
    ["a stream id of the server", frames.openFrame(2, newHeaderWriter()({}))],
  ])("ends without leaving anything after %s", async (_, frame) => {
    const { forward, sent, send, pair, closed } = sessionOf();
    if (frame[11] !== 2) await pair();
    send(frame);
    send(frames.pingFrame(1));
    await forward.done;
    expect(sent.at(-1)).toMatchObject({ type: "leave", status: 1 });
    expect({ closed, open: forward.open() }).toEqual({ closed: [1002], open: 0 });
  });
});

describe("WebSocket channels", () => {
  const page = { status: 200, contentType: "text/plain", body: "a page" };

  function channelsOf(
    ports: readonly number[],
    { isText = false, answer = () => page }: { isText?: boolean; answer?: (step: ForwardStep) => ForwardStepped } = {},
  ) {
    const steps: ForwardStep[] = [];
    const sent: (string | Uint8Array)[] = [];
    const closed: [number, string][] = [];
    const session = newPortChannels(
      { send: (frame) => void sent.push(frame), close: (code, why) => void closed.push([code, why]) },
      {
        ports,
        isText,
        nowMs: () => 0,
        ask: (step) => {
          steps.push(step);
          return Promise.resolve(answer(step));
        },
      },
    );
    const send = (channel: number, what: string) => session.receive(Uint8Array.from([channel, ...bytes(what)]).buffer);
    /** Returns the text that a channel received after its port. */
    const got = (channel: number) => {
      const frames = sent.flatMap((channelFrame) =>
        typeof channelFrame !== "string" && channelFrame[0] === channel ? [channelFrame.subarray(1)] : [],
      );
      return text(Uint8Array.from(frames.flatMap((channelFrame) => [...channelFrame])).subarray(2));
    };
    return { session, asked: steps, sent, closed, send, got };
  }
  const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

  test("start with their ports, the low byte first", () => {
    const { sent } = channelsOf([8080, 80]);
    expect(sent).toEqual([
      Uint8Array.of(0, 0x90, 0x1f),
      Uint8Array.of(1, 0x90, 0x1f),
      Uint8Array.of(2, 80, 0),
      Uint8Array.of(3, 80, 0),
    ]);
  });

  test("carry recorded bytes of the Python, Java and Rust clients, in pieces", async () => {
    const { session, sent, asked: steps, closed } = channelsOf([80]);
    // A frame of the binary protocol: the channel, and whatever the connection carries.
    for (const hex of ["004745", "0054202f2048545450", "002f312e310d0a486f73743a20780d0a0d0a"])
      session.receive(Uint8Array.from(Buffer.from(hex, "hex")).buffer);
    await soon();
    expect(steps).toMatchObject([{ port: 80 }, { port: 80, method: "GET", path: "/" }]);
    const answer =
      "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Type: text/plain\r\n" +
      "Content-Length: 6\r\nConnection: keep-alive\r\n\r\na page";
    expect(sent.slice(2)).toEqual([Uint8Array.from([0, ...bytes(answer)])]);
    expect(closed).toEqual([]);
  });

  test("are encoded as a digit and base64 text", async () => {
    const { session, sent } = channelsOf([80, 81, 82, 83, 84, 85], { isText: true });
    expect(sent.slice(0, 3)).toEqual(["0UAA=", "1UAA=", "2UQA="]);
    expect(sent.slice(10)).toEqual([":VQA=", ";VQA="]);
    session.receive(`:${btoa(get("/"))}`);
    await soon();
    expect(sent).toHaveLength(13);
    expect(atob(String(sent[12]).slice(1))).toContain("a page");
    expect(String(sent[12])[0]).toBe(":");
  });

  test("are separate connections, and the socket is closed after the last one", async () => {
    const { send, got, asked: steps, closed, session } = channelsOf([80, 81]);
    send(0, get("/one"));
    send(2, get("/two", "Connection: close\r\n"));
    await soon();
    expect(steps.map(({ port, path }) => [port, path])).toEqual([
      [80, undefined],
      [81, undefined],
      [80, "/one"],
      [81, "/two"],
    ]);
    expect([got(0).endsWith("a page"), got(2).endsWith("a page"), closed]).toEqual([true, true, []]);
    send(2, get("/of one that has ended"));
    send(0, get("/three", "Connection: close\r\n"));
    await session.done;
    expect([steps.length, closed]).toEqual([5, [[1000, ""]]]);
  });

  test("for errors report an unreachable port or a protocol that is not HTTP, and their input is ignored", async () => {
    const { send, got, closed, session } = channelsOf([81, 80], {
      answer: ({ port }) => (port === 81 ? { refused: "connection refused" } : page),
    });
    await soon();
    expect([got(1), got(0), closed]).toEqual(["connection refused", "", []]);
    send(3, get("/"));
    send(7, get("/"));
    send(2, "PING\r\n");
    await session.done;
    expect(got(3)).toBe("a simulated container is asked over HTTP/1.x alone");
    expect(closed).toEqual([[1000, ""]]);
  });

  test("end when the client disconnects, or with a message on each when the token expires", async () => {
    const gone = channelsOf([80]);
    gone.session.leave();
    await gone.session.done;
    gone.send(0, get("/"));
    await soon();
    expect([gone.asked.length, gone.closed, gone.sent.length]).toEqual([1, [[1000, ""]], 2]);
    const ended = channelsOf([80]);
    ended.session.end(new ApiError(410, "Gone", "it has expired"));
    await ended.session.done;
    expect([ended.got(1), ended.closed]).toEqual(["it has expired", [[1008, "it has expired"]]]);
  });

  test("carry an answer larger than a frame completely", async () => {
    const { send, got, sent } = channelsOf([80], { answer: () => ({ ...page, body: "x".repeat(100_000) }) });
    send(0, get("/"));
    await soon();
    expect(got(0).endsWith(`\r\n\r\n${"x".repeat(100_000)}`)).toBe(true);
    expect(Math.max(...sent.map((message) => message.length))).toBe(32_769);
  });
});

describe("forwarded Redis", () => {
  /** Returns a Redis connection whose server answers with the received command. */
  function redisOf() {
    const commandLists: (readonly string[] | undefined)[] = [];
    const sent: Uint8Array[] = [];
    const held = { bytes: 0 };
    const connection = newConnection({
      port: 6379,
      buffer: held,
      nowMs: () => 0,
      send: (chunk) => void sent.push(chunk),
      ask: ({ command }) => {
        commandLists.push(command);
        const body = command ? `+${command.join(" ")}\r\n` : "";
        return Promise.resolve({ status: 200, contentType: "", body, language: "resp" });
      },
    });
    const receivedText = () => text(Uint8Array.from(sent.flatMap((chunk) => [...chunk])));
    return { connection, asked: commandLists, held, said: receivedText };
  }
  const commands = "*2\r\n$4\r\nECHO\r\n$5\r\né\r\n!\r\nPING  a\n\r\n*1\r\n$4\r\nPING\r\n";

  test.each([1, 3, 1000])("separates commands in both forms, in pieces of %i bytes", async (size) => {
    const { connection, asked: commandLists, held, said: receivedText } = redisOf();
    const all = bytes(commands);
    for (let at = 0; at < all.length; at += size) connection.receive(all.subarray(at, at + size));
    await soon();
    expect(commandLists).toEqual([undefined, ["ECHO", "é\r\n!"], ["PING", "a"], ["PING"]]);
    expect(receivedText()).toBe("+ECHO é\r\n!\r\n+PING a\r\n+PING\r\n");
    expect(held.bytes).toBe(0);
  });

  test("ends with an answer to QUIT, and without one for a browser's request", async () => {
    const polite = redisOf();
    polite.connection.receive(bytes("QUIT\r\nPING\r\n"));
    expect(await polite.connection.done).toEqual({});
    expect(polite.said()).toBe("+QUIT\r\n");
    const browser = redisOf();
    browser.connection.receive(bytes("POST / HTTP/1.1\r\nHost: x\r\n\r\n"));
    expect(await browser.connection.done).toEqual({});
    expect([browser.said(), browser.asked]).toEqual(["", [undefined]]);
  });

  test.each([
    ["*x\r\n", "invalid multibulk length"],
    ["*1025\r\n", "invalid multibulk length"],
    ["*1\r\nPING\r\n", "expected '$', got 'P'"],
    ["*1\r\n$262145\r\n", "invalid bulk length"],
    ["x".repeat(70_000), "too big inline request"],
  ])("answers %j with an error, and ends the connection", async (sent, why) => {
    const { connection, said: receivedText, held } = redisOf();
    connection.receive(bytes(sent));
    expect(await connection.done).toEqual({});
    expect(receivedText()).toBe(`-ERR Protocol error: ${why}\r\n`);
    expect(held.bytes).toBe(0);
  });

  test("bounds the buffered bytes", async () => {
    const { connection, held } = redisOf();
    held.bytes = 4_194_000;
    connection.receive(bytes(`*2\r\n$4\r\nECHO\r\n$1000\r\n${"x".repeat(900)}`));
    expect(await connection.done).toEqual({ error: "more is sent than a simulated container reads at once" });
    expect(held.bytes).toBe(4_194_000);
  });
});
