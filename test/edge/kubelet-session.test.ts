// A session on a machine at the edge: the streams of the kubelet's SPDY connection, its errors, and the bounds in both directions.
import { describe, expect, test, vi } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { pieceBytes, streamWindowBytes, type TunnelOrder } from "../../shared/contract/tunnel.ts";
import { mostWaitingBytes, newPipe } from "../../worker/edge/outside/pipe.ts";
import { channels, protocolOf } from "../../worker/edge/session/channels.ts";
import { newRemoteSession } from "../../worker/edge/session/kubelet/remote-session.ts";
import { dataFrame, newFrameReader, resetFrame, type SpdyFrame } from "../../worker/edge/session/spdy/frames.ts";
import { newHeaderReader } from "../../worker/edge/session/spdy/headers.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (of: Uint8Array) => new TextDecoder().decode(of);
const base64 = (of: Uint8Array) => Buffer.from(of).toString("base64");

/** Returns the cluster's socket of a pipe, as the tunnel's end sees it. */
function newSocket() {
  const target = new EventTarget();
  const orders: TunnelOrder[] = [];
  const state = { closed: false };
  const socket = {
    accept: () => undefined,
    addEventListener: target.addEventListener.bind(target),
    send: (message: string) => void orders.push(JSON.parse(message) as TunnelOrder),
    close: () => void (state.closed = true),
  } as unknown as WebSocket;
  const say = (piece: Record<string, unknown>) =>
    target.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ id: "1", ...piece }) }));
  const close = (code: number, reason: string) =>
    target.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  const sent = () =>
    orders.flatMap((order) => ("piece" in order ? [new Uint8Array(Buffer.from(order.piece, "base64"))] : []));
  return { socket, orders, state, say, close, sent };
}

function newSession(options: { readonly stdin?: boolean; readonly tty?: boolean; readonly protocol?: string } = {}) {
  const { stdin = true, tty = false, protocol = "v5.channel.k8s.io" } = options;
  const kubelet = newSocket();
  const frames: [channel: number, text: string][] = [];
  const closes: number[] = [];
  const client = {
    send: (frame: string | Uint8Array) => {
      if (typeof frame !== "string") frames.push([frame[0] ?? -1, text(frame.subarray(1))]);
    },
    close: (code: number, reason: string) => {
      // As the platform does.
      if (new TextEncoder().encode(reason).length > 123) throw new SyntaxError("the reason is too long");
      closes.push(code);
    },
  };
  const listener = newRemoteSession(client, {
    protocol: must(protocolOf(protocol), "protocol"),
    ...{ stdin, stdout: true, stderr: !tty, tty, cluster: kubelet.socket },
  });
  const type = (channel: number, data: Uint8Array) => listener.receive(new Uint8Array([channel, ...data]).buffer);
  const spdy = (frame: Uint8Array) => kubelet.say({ piece: base64(frame) });
  const spoken = (): SpdyFrame[] => {
    const read = newFrameReader();
    return kubelet.sent().flatMap((piece) => [...must(read(piece), "SPDY")]);
  };
  return { kubelet, frames, closes, listener, type, spdy, spoken };
}

const success = JSON.stringify({ metadata: {}, status: "Success" });

describe("a command on a machine", () => {
  test("has a stream for the status, each wanted direction, and the terminal's size", () => {
    const { kubelet, spoken } = newSession({ tty: true });
    kubelet.say({ status: 101, headers: [] });
    const read = newHeaderReader();
    const opened = spoken().map((frame) => frame.type === "open" && [frame.stream, read(frame.block)?.["streamtype"]]);
    expect(opened).toEqual([
      [1, "error"],
      [3, "stdin"],
      [5, "stdout"],
      [7, "resize"],
    ]);
  });

  test("carries output, input and the end of input, and ends with the kubelet's Status", () => {
    const { kubelet, frames, closes, type, spdy, spoken } = newSession();
    type(channels.stdin, bytes("early "));
    kubelet.say({ status: 101, headers: [] });
    type(channels.stdin, bytes("late"));
    type(channels.close, new Uint8Array([channels.stdin]));
    const data = spoken().flatMap((frame) =>
      frame.type === "data" ? [[frame.stream, text(frame.bytes), frame.isLast]] : [],
    );
    expect(data).toEqual([
      [3, "early ", false],
      [3, "late", false],
      [3, "", true],
    ]);
    spdy(dataFrame(5, bytes("out"), false));
    spdy(dataFrame(7, bytes("err"), true));
    spdy(dataFrame(1, bytes(success), true));
    expect(closes).toEqual([]);
    spdy(resetFrame(5, 5));
    expect(frames).toEqual([
      [channels.stdout, ""],
      [channels.stdout, "out"],
      [channels.stderr, "err"],
      [channels.error, success],
    ]);
    expect([closes, kubelet.state.closed]).toEqual([[1000], true]);
  });

  test("reports only failures, as text, to a client with an old protocol", () => {
    const failure = JSON.stringify({ status: "Failure", message: "exit code 3" });
    const failed = newSession({ protocol: "channel.k8s.io" });
    failed.kubelet.say({ status: 101, headers: [] });
    for (const stream of [5, 7]) failed.spdy(dataFrame(stream, bytes(""), true));
    failed.spdy(dataFrame(1, bytes(failure), true));
    expect(failed.frames.at(-1)).toEqual([channels.error, "exit code 3"]);
  });

  test.each([
    [
      (kubelet: ReturnType<typeof newSocket>) => kubelet.say({ error: "dial tcp: refused" }),
      "error dialing backend: dial tcp: refused",
    ],
    [
      (kubelet: ReturnType<typeof newSocket>) => {
        kubelet.say({ status: 101, headers: [] });
        kubelet.close(1006, "");
      },
      "the connection to the kubelet broke: EOF",
    ],
    [
      (kubelet: ReturnType<typeof newSocket>) => {
        kubelet.say({ status: 101, headers: [] });
        kubelet.close(1008, "the token was revoked");
      },
      "the connection to the kubelet broke: the token was revoked",
    ],
    [
      (kubelet: ReturnType<typeof newSocket>) => {
        kubelet.say({ status: 101, headers: [] });
        kubelet.say({ piece: base64(new Uint8Array(20).fill(255)) });
      },
      "the kubelet does not speak SPDY",
    ],
  ])("fails with the reason (%#)", (act, message) => {
    const { kubelet, frames, closes } = newSession();
    act(kubelet);
    expect(JSON.parse(frames.at(-1)?.[1] ?? "")).toMatchObject({
      status: "Failure",
      message: `Internal error occurred: ${message}`,
    });
    expect(closes).toEqual([1000]);
  });

  test("closes with the beginning of a long reason", () => {
    const { kubelet, closes, frames } = newSession();
    kubelet.say({ status: 500, headers: [] });
    kubelet.say({ piece: base64(bytes("\u00e9".repeat(5000))) });
    kubelet.say({ end: true });
    expect([closes, kubelet.state.closed, frames.length]).toEqual([[1000], true, 1]);
  });

  test("takes 16 MiB of input at most before the kubelet answers", () => {
    const { frames, closes, type } = newSession();
    for (let at = 0; at < 15; at++) type(channels.stdin, new Uint8Array(1_048_576));
    expect(closes).toEqual([]);
    type(channels.stdin, new Uint8Array(1_048_576));
    expect([closes, frames.at(-1)?.[1]]).toEqual([[1000], expect.stringContaining("the client sent too much")]);
  });
});

describe("an upgraded connection through a tunnel", () => {
  function open() {
    const kubelet = newSocket();
    const events: string[] = [];
    const state = { buffered: 0 };
    const pipe = newPipe(kubelet.socket, {
      begin: (status) => void events.push(`begin ${status}`),
      receive: (received) => void events.push(`receive ${received.length}`),
      end: (why) => void events.push(`end ${why ?? ""}`),
      buffered: () => state.buffered,
    });
    return { kubelet, events, pipe, state };
  }

  test("sends a window of the client's bytes, and more as the node confirms", () => {
    const { kubelet, pipe } = open();
    pipe.write(new Uint8Array(streamWindowBytes + 100));
    const size = () => kubelet.sent().reduce((sum, piece) => sum + piece.length, 0);
    expect([size(), kubelet.sent().every(({ length }) => length <= pieceBytes)]).toEqual([streamWindowBytes, true]);
    kubelet.say({ took: 60 });
    expect(size()).toBe(streamWindowBytes + 60);
    kubelet.say({ took: streamWindowBytes });
    expect(size()).toBe(streamWindowBytes + 100);
  });

  test("ends if the client sends 16 MiB more than the node receives, in messages of any size", () => {
    const large = open();
    for (let sent = 0; sent <= mostWaitingBytes + streamWindowBytes; sent += 1_000_000)
      large.pipe.write(new Uint8Array(1_000_000));
    expect(large.events).toEqual(["end the client sends faster than the node receives"]);
    const small = open();
    small.pipe.write(new Uint8Array(streamWindowBytes));
    for (let sent = 0; sent < mostWaitingBytes / 128; sent++) small.pipe.write(new Uint8Array(1));
    expect(small.events).toEqual(["end the client sends faster than the node receives"]);
  });

  test("ends if the node does not answer within a minute", () => {
    vi.useFakeTimers();
    const { events, kubelet } = open();
    vi.advanceTimersByTime(60_000);
    expect(events).toEqual([]);
    vi.advanceTimersByTime(1_000);
    vi.useRealTimers();
    expect([events, kubelet.state.closed]).toEqual([["end context deadline exceeded"], true]);
  });

  test("confirms the node's bytes when the client's socket has sent them", async () => {
    const { kubelet, state } = open();
    state.buffered = streamWindowBytes + 1;
    const piece = base64(new Uint8Array(pieceBytes));
    kubelet.say({ piece });
    kubelet.say({ piece });
    await new Promise((resolve) => void setTimeout(resolve, 60));
    expect(kubelet.orders).toEqual([]);
    state.buffered = 0;
    await expect.poll(() => kubelet.orders).toEqual([{ id: "", took: 2 * pieceBytes }]);
  });

  test.each([
    ["more than its window", Array.from({ length: 6 }, () => ({ piece: base64(new Uint8Array(pieceBytes)) }))],
    ["no base64", [{ piece: "%" }]],
  ])("ends if the node sends %s", (_, pieces) => {
    const { kubelet, events, state } = open();
    state.buffered = streamWindowBytes + 1;
    for (const piece of pieces) kubelet.say(piece);
    expect([events.at(-1), kubelet.state.closed]).toEqual(["end the tunnel does not keep to its protocol", true]);
  });
});
