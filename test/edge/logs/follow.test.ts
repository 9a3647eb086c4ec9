// A followed log: requests to the cluster, the client's answer, and its end.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { followLog, isFollowedLog } from "../../../worker/edge/logs/follow.ts";

const url = new URL("https://cluster/api/v1/namespaces/default/pods/web/log?follow=true");

/** Returns a cluster that serves these pieces in sequence; all but the last are continued. It has no socket for followers. */
function clusterWith(...pieces: string[]) {
  const positions: (string | null)[] = [];
  const fetch = (_url: string, init: RequestInit = {}) => {
    const position = new Headers(init.headers).get("sandbar-log-position");
    if (position === "join") return Promise.resolve(new Response(null, { status: 404 }));
    positions.push(position);
    const at = positions.length - 1;
    const goesOn: Record<string, string> = at < pieces.length - 1 ? { "sandbar-log-position": String(at + 1) } : {};
    return Promise.resolve(new Response(pieces[at], { headers: { "content-type": "text/plain", ...goesOn } }));
  };
  return { positions, cluster: { fetch } };
}

const request = { url, headers: new Headers(), signal: new AbortController().signal, leftMs: 60_000 };

test("a log is followed to its end, from the position of each answer", async () => {
  const { positions, cluster } = clusterWith("a\n", "", "b\n", "c");
  const waits: number[] = [];
  const response = await followLog(request, cluster, (ms) => Promise.resolve(waits.push(ms) > 0));
  expect(response.headers.has("sandbar-log-position")).toBe(false);
  expect(await response.text()).toBe("a\nb\nc");
  expect(positions).toEqual([null, "1", "2", "3"]);
  // Silence is asked about less often.
  expect(waits).toEqual([500, 1000, 500]);
});

test("a client that disconnects causes no further request", async () => {
  const { positions, cluster } = clusterWith("a\n", "b\n", "c\n");
  const response = await followLog(request, cluster, () => Promise.resolve(false));
  expect(await response.text()).toBe("a\n");
  expect(positions).toEqual([null]);
});

test("an answer that is not a log reaches the client unchanged", async () => {
  const refused = { fetch: () => Promise.resolve(Response.json({ kind: "Status" }, { status: 400 })) };
  expect((await followLog(request, refused)).status).toBe(400);
});

test("only a GET of a pod's log with follow=true is a followed log", () => {
  const is = (path: string, method = "GET") => isFollowedLog(method, new URL(`https://cluster/api/v1/${path}`));
  expect(is("namespaces/default/pods/web/log?follow=true")).toBe(true);
  expect(is("namespaces/default/pods/web/log?follow=false")).toBe(false);
  expect(is("namespaces/default/pods/web/log")).toBe(false);
  expect(is("namespaces/default/pods/log?follow=true")).toBe(false);
});

/** Returns a cluster whose log is silent until `news` is sent on its socket. */
function silentCluster(waitMs: number) {
  const line = Object.assign(new EventTarget(), { accept: () => undefined, close: () => undefined });
  const requestCount = { times: 0 };
  const fetch = (_url: string, init: RequestInit = {}) => {
    if (new Headers(init.headers).get("sandbar-log-position") === "join") {
      return Promise.resolve(Object.assign(new Response(null), { webSocket: line }));
    }
    requestCount.times++;
    const headers = { "sandbar-log-position": "1", "sandbar-log-wait": String(waitMs) };
    return Promise.resolve(new Response(null, { headers }));
  };
  return {
    asked: requestCount,
    cluster: { fetch },
    news: () => line.dispatchEvent(new Event("message")),
    lost: () => line.dispatchEvent(new Event("close")),
  };
}

describe("L4: a log that is silent", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const following = async (silent: ReturnType<typeof silentCluster>) => {
    const gone = new AbortController();
    const response = await followLog({ ...request, signal: gone.signal, leftMs: 7_200_000 }, silent.cluster);
    await vi.advanceTimersByTimeAsync(1);
    return { text: response.text(), leave: () => gone.abort() };
  };

  test("L4: is not requested until its next line is due", async () => {
    const silent = silentCluster(3_600_000);
    const { text, leave } = await following(silent);
    await vi.advanceTimersByTimeAsync(3_599_000);
    expect(silent.asked.times).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(silent.asked.times).toBe(2);
    leave();
    expect(await text).toBe("");
  });

  test("L4: is requested once after a change, and at most twice a second", async () => {
    const silent = silentCluster(3_600_000);
    const { leave } = await following(silent);
    await vi.advanceTimersByTimeAsync(60_000);
    silent.news();
    await vi.advanceTimersByTimeAsync(1);
    expect(silent.asked.times).toBe(2);
    for (let at = 0; at < 100; at++) {
      silent.news();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(silent.asked.times).toBeLessThanOrEqual(4);
    leave();
  });

  test("L4: is requested again, and its changes followed again, after the socket was lost", async () => {
    const silent = silentCluster(3_600_000);
    const { leave } = await following(silent);
    await vi.advanceTimersByTimeAsync(60_000);
    silent.lost();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(silent.asked.times).toBe(2);
    silent.news();
    await vi.advanceTimersByTimeAsync(1000);
    expect(silent.asked.times).toBe(3);
    leave();
  });
});
