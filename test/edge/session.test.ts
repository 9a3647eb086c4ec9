// A command's session at the edge: frames of every protocol, terminal keys, and calls of the cluster.
import { describe, expect, test } from "vitest";
import { ApiError } from "../../shared/k8s/status.ts";
import { must } from "../../shared/base/assert.ts";
import type { SessionStep, SessionStepped } from "../../shared/contract/cluster-object.ts";
import { decodeFrame, encodeFrame, protocolOf } from "../../worker/edge/session/channels.ts";
import type { SessionOptions } from "../../worker/edge/session/options.ts";
import { newSession } from "../../worker/edge/session/run.ts";
import { newTerminal } from "../../worker/edge/session/terminal.ts";

const protocol = (name: string) => must(protocolOf(name), name);
const none = { atMs: 0, count: 0 };
const bytes = (text: string) => new TextEncoder().encode(text);

describe("frames of a session", () => {
  test("the first known protocol is selected", () => {
    expect(protocolOf("v9.channel.k8s.io, v4.channel.k8s.io, v5.channel.k8s.io")?.name).toBe("v4.channel.k8s.io");
    expect(protocolOf(null)?.name).toBe("");
    expect(protocolOf("graphql-ws")).toBeUndefined();
  });

  test.each(["v5.channel.k8s.io", "v4.channel.k8s.io", "channel.k8s.io", ""])(
    "%s encodes the channel as a byte before the bytes",
    (name) => {
      expect(encodeFrame(protocol(name), 1, bytes("hi"))).toEqual(new Uint8Array([1, 104, 105]));
      expect(decodeFrame(protocol(name), new Uint8Array([0, 104, 105]).buffer)).toEqual({
        channel: 0,
        bytes: bytes("hi"),
      });
    },
  );

  test.each(["v4.base64.channel.k8s.io", "base64.channel.k8s.io"])(
    "%s encodes the channel as a digit before base64",
    (name) => {
      expect(encodeFrame(protocol(name), 1, bytes("hé"))).toBe("1aMOp");
      expect(decodeFrame(protocol(name), "0aMOp")).toEqual({ channel: 0, bytes: bytes("hé") });
      expect(decodeFrame(protocol(name), "0!")).toBeUndefined();
    },
  );
});

describe("terminal input", () => {
  test("is echoed, and split into lines", () => {
    const { type: keys } = newTerminal();
    expect(keys("ec")).toEqual({ echo: "ec", pieces: [], hasEnded: false });
    expect(keys("ho\r")).toEqual({ echo: "ho\r\n", pieces: ["echo\n"], hasEnded: false });
  });

  test("edits a line, recalls the previous one, and ignores other keys", () => {
    const { type: keys } = newTerminal();
    expect(keys("lx\u007fs\r").pieces).toEqual(["ls\n"]);
    expect(keys("\u001b[A\r").pieces).toEqual(["ls\n"]);
    expect(keys("\u001b[3~\u001b[C\t").echo).toBe("");
  });

  test("interrupts on Ctrl-C, and ends on Ctrl-D at the beginning of a line only", () => {
    const { type: keys } = newTerminal();
    expect(keys("sle\u0003")).toEqual({ echo: "sle^C\r\n", pieces: ["\u0003"], hasEnded: false });
    expect(keys("a\u0004").hasEnded).toBe(false);
    expect(keys("\r\u0004").hasEnded).toBe(true);
  });
});

describe("a session", () => {
  /** A client, and a cluster that answers in this order. */
  function sessionOf(answers: Partial<SessionStepped>[], more: Partial<SessionOptions> = {}) {
    const steps: SessionStep[] = [];
    const frames: { channel: number; text: string }[] = [];
    const closed: number[] = [];
    const spoken = more.protocol ?? protocol("v5.channel.k8s.io");
    const socket = {
      send: (data: string | Uint8Array) => {
        const frame = must(
          decodeFrame(spoken, typeof data === "string" ? data : Uint8Array.from(data).buffer),
          "frame",
        );
        frames.push({ channel: frame.channel, text: new TextDecoder().decode(frame.bytes) });
      },
      close: (code: number) => void closed.push(code),
    };
    const session = newSession(socket, {
      protocol: spoken,
      stdin: true,
      stdout: true,
      stderr: true,
      tty: false,
      opened: { nowMs: 5000, sent: none },
      nowMs: () => 1000,
      ask: (step) => {
        steps.push(structuredClone(step));
        const answer = answers.shift();
        return Promise.resolve(answer && { nowMs: 5000 + steps.length, output: [], sent: none, ...answer });
      },
      ...more,
    });
    return { session, asked: steps, frames, closed };
  }
  const status = { metadata: {}, status: "Success" };
  const output = [
    { stream: "stdout" as const, text: "out\n" },
    { stream: "stderr" as const, text: "err\n" },
  ];

  test("sends each stream on its channel, then the status, and closes", async () => {
    const { session, frames, closed } = sessionOf([{ output, status }]);
    await session.done;
    expect(frames).toEqual([
      { channel: 1, text: "" },
      { channel: 1, text: "out\n" },
      { channel: 2, text: "err\n" },
      { channel: 3, text: JSON.stringify(status) },
    ]);
    expect(closed).toEqual([1000]);
  });

  test("polls again after input, with the cluster's time, and forwards the input's end", async () => {
    const { session, asked: steps } = sessionOf([
      { sent: { atMs: 9, count: 3 }, nextMs: 99_999 },
      { nextMs: 99_999 },
      { status },
    ]);
    session.receive(Uint8Array.from([0, ...bytes("hello\n")]).buffer);
    while (steps.length < 2) await new Promise((done) => void setTimeout(done, 5));
    session.receive(new Uint8Array([255, 0]).buffer);
    await session.done;
    expect(steps.at(-1)).toMatchObject({ startMs: 5000, hasEnded: true, typed: [{ text: "hello\n" }] });
    expect(steps[1]?.sent).toEqual({ atMs: 9, count: 3 });
    expect(steps.at(-1)?.typed[0]?.atMs).toBeGreaterThanOrEqual(5000);
  });

  test("echoes on a terminal, and starts lines at column 0", async () => {
    const { session, asked: steps, frames } = sessionOf([{ nextMs: 99_999 }, { output, status }], { tty: true });
    session.receive(Uint8Array.from([0, ...bytes("ls\r")]).buffer);
    await session.done;
    expect(steps.at(-1)?.typed.map((keystroke) => keystroke.text)).toEqual(["ls\n"]);
    expect(frames.map((frame) => `${frame.channel} ${frame.text}`)).toEqual(
      expect.arrayContaining(["1 ls\r\n", "1 out\r\n", "1 err\r\n"]),
    );
  });

  test("sends only errors as text in the old protocols", async () => {
    const old = { protocol: protocol("channel.k8s.io") };
    const good = sessionOf([{ status }], old);
    await good.session.done;
    expect(good.frames).toEqual([{ channel: 1, text: "" }]);
    const bad = sessionOf([{ status: { status: "Failure", message: "no" } }], old);
    await bad.session.done;
    expect(bad.frames.at(-1)).toEqual({ channel: 3, text: "no" });
  });

  test.each(["v5.channel.k8s.io", "channel.k8s.io"])(
    "A6: sends the reason of its end in %s, and closes",
    async (name) => {
      const spoken = protocol(name);
      const why = new ApiError(401, "Unauthorized", "the token was revoked");
      const statusText = spoken.tellsStatus ? JSON.stringify(why.toStatus()) : why.message;
      const ended = sessionOf([{ nextMs: 99_999 }], { protocol: spoken });
      while (ended.asked.length < 1) await new Promise((done) => void setTimeout(done, 5));
      ended.session.end(why);
      await ended.session.done;
      const refused = sessionOf([], { protocol: spoken, ask: () => Promise.resolve({ refused: why }) });
      await refused.session.done;
      for (const { frames, closed } of [ended, refused]) {
        expect(frames.at(-1)).toEqual({ channel: 3, text: statusText });
        expect(closed).toEqual([1000]);
      }
      // Nothing more is asked with it.
      expect(ended.asked).toHaveLength(1);
    },
  );

  test("ends if the cluster breaks off", async () => {
    const broken = sessionOf([], { ask: () => Promise.reject(new Error("reset")) });
    await broken.session.done;
    expect(broken.closed).toEqual([1011]);
  });

  test("B1: sends the input's end once after the client has disconnected, and frees its slot", async () => {
    const left = sessionOf([{ sent: { atMs: 9, count: 3 }, nextMs: 99_999 }]);
    left.session.receive(Uint8Array.from([0, ...bytes("hello\n")]).buffer);
    while (left.asked.length < 1) await new Promise((done) => void setTimeout(done, 5));
    left.session.leave();
    await left.session.done;
    const last = { hasEnded: true, hasLeft: true, sent: { atMs: 9, count: 3 }, typed: [{ text: "hello\n" }] };
    expect([left.asked.length, left.asked[0]?.hasEnded, left.asked[0]?.hasLeft]).toEqual([2, false, undefined]);
    expect(left.asked[1]).toMatchObject(last);
    expect([left.closed, left.frames]).toEqual([[1000], [{ channel: 1, text: "" }]]);
  });

  test("ends if the cluster has no further answer", async () => {
    const lost = sessionOf([]);
    await lost.session.done;
    expect(lost.closed).toEqual([1011]);
  });
});
