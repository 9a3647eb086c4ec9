// Bounds of sessions at the edge: input, forwarded streams, and queued requests.
import { expect, test } from "vitest";
import { channels, protocolOf } from "../../worker/edge/session/channels.ts";
import { newHttpReader } from "../../worker/edge/session/forward/http.ts";
import { newRespConversation } from "../../worker/edge/session/forward/resp.ts";
import { newInput } from "../../worker/edge/session/input.ts";
import { newFrameReader } from "../../worker/edge/session/spdy/frames.ts";
import { newPairs } from "../../worker/edge/session/spdy/pairs.ts";
import { must } from "../../shared/base/assert.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("B1: a session's unread input is bounded, and more input ends it", () => {
  const input = newInput(
    {
      protocol: must(protocolOf("v5.channel.k8s.io"), "protocol"),
      stdin: true,
      stdout: true,
      stderr: true,
      tty: false,
      opened: { nowMs: 0, sent: { atMs: 0, count: 0 } },
      nowMs: () => 0,
      ask: () => Promise.resolve(undefined),
    },
    () => undefined,
  );
  const piece = { channel: channels.stdin, bytes: bytes("x".repeat(100_000)) };
  const taken = Array.from({ length: 28 }, () => input.take(piece));
  expect([taken.slice(0, 27).every((answer) => answer === "news"), taken.at(-1)]).toEqual([true, "too much"]);
});

test("B1: a forwarding session has 200 connections, and further streams are reset", () => {
  const reader = newFrameReader();
  const sent: { readonly type: string; readonly status?: number }[] = [];
  const pairs = newPairs((frame) => sent.push(...must(reader(frame), "frames")), {
    nowMs: () => 0,
    ask: () => Promise.resolve(undefined),
  });
  const open = (at: number) => pairs.open(2 * at + 1, { streamtype: "error", port: "80", requestid: `${at}` }, false);
  for (let at = 0; at < 201; at++) open(at);
  expect([pairs.size(), sent.filter(({ type }) => type === "headers").length]).toEqual([200, 200]);
  // REFUSED_STREAM.
  expect(sent.at(-1)).toMatchObject({ type: "reset", stream: 401, status: 3 });
  pairs.reset(1);
  open(201);
  expect([pairs.size(), sent.at(-1)?.type]).toEqual([200, "headers"]);
});

test("B1: an HTTP head is bounded to 32 KiB, queued requests to a hundred, and a body to 256 KiB", () => {
  const reader = () => newHttpReader(() => undefined, { bytes: 0 });
  const noHttp = "a simulated container is asked over HTTP/1.x alone";
  const head = (length: number) => bytes(`GET / HTTP/1.1\r\nA: ${"x".repeat(length)}`);
  expect([reader().take(head(32_000)), reader().take(head(33_000))]).toEqual([undefined, noHttp]);
  const requests = (count: number) => reader().take(bytes("GET / HTTP/1.1\r\n\r\n".repeat(count)));
  expect([requests(100), requests(101)]).toEqual([undefined, noHttp]);
  const long = reader();
  long.take(bytes(`POST / HTTP/1.1\r\nContent-Length: 300000\r\n\r\n${"x".repeat(300_000)}`));
  expect(long.next()?.body).toHaveLength(262_144);
});

test("B1: at most 1,000 Redis commands wait on a connection, and more end it", () => {
  const held = { bytes: 0 };
  const ask = (count: number) => newRespConversation(held).take(bytes("PING\r\n".repeat(count)));
  expect([ask(1000), ask(1001)]).toEqual([undefined, "more is sent than a simulated container reads at once"]);
});
