// A log over a WebSocket: messages in both formats, its end, and its bounds for a client that does not read.
import { expect, test } from "vitest";
import { sendLog } from "../../../worker/edge/logs/socket.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function socketOf() {
  const sent: (string | Uint8Array)[] = [];
  const closed: number[] = [];
  const socket = {
    send: (message: string | Uint8Array) => {
      if (closed.length > 0) throw new Error("it is closed");
      sent.push(message);
    },
    close: (code: number) => void closed.push(code),
  };
  return { sent, closed, socket };
}

function bodyOf(chunks: readonly string[], then: "ends" | "breaks" | "waits" = "ends") {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(bytes(chunk));
      if (then === "ends") controller.close();
    },
    pull: (controller) => {
      if (then === "breaks") controller.error(new Error("broken off"));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return { body, isCancelled: () => cancelled };
}

const options = { isText: false, limit: 100_000, gone: new AbortController().signal };

test("a log is sent as an empty message, then pieces of at most 2048 bytes, and then the socket is closed", async () => {
  const { sent, closed, socket } = socketOf();
  await sendLog(socket, bodyOf(["one\n", "x".repeat(5000)]).body, options);
  expect(sent.map((frame) => frame.length)).toEqual([0, 4, 2048, 2048, 904]);
  expect(sent[1]).toEqual(bytes("one\n"));
  expect(closed).toEqual([1000]);
});

test("each base64 message is decodable on its own", async () => {
  const { sent, closed, socket } = socketOf();
  await sendLog(socket, bodyOf(["é\n", "two\n"]).body, { ...options, isText: true });
  expect(sent).toEqual(["", "w6kK", "dHdvCg=="]);
  expect(closed).toEqual([1000]);
});

test("an empty log is an empty message", async () => {
  const { sent, closed, socket } = socketOf();
  await sendLog(socket, null, options);
  expect([sent, closed]).toEqual([[new Uint8Array()], [1000]]);
});

test("W5: a socket carries a bounded number of bytes, and the log is read no further", async () => {
  const { sent, closed, socket } = socketOf();
  const { body, isCancelled } = bodyOf(["x".repeat(60_000), "x".repeat(60_000)], "waits");
  await sendLog(socket, body, options);
  expect(sent.reduce((sum, frame) => sum + frame.length, 0)).toBe(60_000);
  expect([closed, isCancelled()]).toEqual([[1001], true]);
});

test("a client that disconnects ends the reading, also of a silent log", async () => {
  const { socket } = socketOf();
  const gone = new AbortController();
  const { body, isCancelled } = bodyOf(["one\n"], "waits");
  const done = sendLog(socket, body, { ...options, gone: gone.signal });
  gone.abort();
  await done;
  expect(isCancelled()).toBe(true);
});

test("a log that breaks off closes the socket with an error code", async () => {
  const { closed, socket } = socketOf();
  await sendLog(socket, bodyOf([], "breaks").body, options);
  expect(closed).toEqual([1011]);
});
