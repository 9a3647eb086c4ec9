// A tunnel that is kept open: its end, and a connection that does not end.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { holdTunnel } from "../../client/tunnel/hold.ts";

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly all: FakeSocket[] = [];
  readyState = 1;
  readonly sent: unknown[] = [];
  readonly url: string;
  constructor(url: string) {
    super();
    this.url = url;
    FakeSocket.all.push(this);
    queueMicrotask(() => this.dispatchEvent(new Event("open")));
  }
  send(data: unknown): void {
    this.sent.push(data);
  }
  close(): void {
    this.readyState = 3;
  }
  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(data) }));
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function hold() {
  const stop = new AbortController();
  const messages: string[] = [];
  const target = { server: "https://h/c/id", token: "t", ca: undefined, insecure: false };
  const end = { query: "node=laptop", title: "node laptop", to: "https://127.0.0.1:10250" };
  const done = holdTunnel(target, end, {
    say: (text) => void messages.push(text),
    trusted: undefined,
    signal: stop.signal,
  });
  return { done, messages, stop };
}

test("a tunnel names its node, and ends with the sandbox's reason", async () => {
  const { done, messages } = hold();
  await vi.advanceTimersByTimeAsync(0);
  const [socket] = FakeSocket.all;
  expect([socket?.url, messages]).toEqual([
    "wss://h/c/id/sandbar/tunnel?node=laptop",
    ["node laptop is served from https://127.0.0.1:10250"],
  ]);
  socket?.say({ ended: "a newer tunnel serves this node" });
  await expect(done).rejects.toThrow("the tunnel is closed: a newer tunnel serves this node");
});

test("another tunnel is opened where the closed connection of one does not end", async () => {
  const { done, stop } = hold();
  await vi.advanceTimersByTimeAsync(0);
  const [first] = FakeSocket.all;
  if (first) first.readyState = 2;
  first?.say({ id: "an answer that is late" });
  await vi.advanceTimersByTimeAsync(21_000);
  vi.useRealTimers();
  await expect.poll(() => FakeSocket.all.length).toBe(2);
  stop.abort();
  await done;
});
