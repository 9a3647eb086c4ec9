// A log that is followed: what is asked of the cluster, what the client gets, and when it ends.
import { expect, test } from "vitest";
import { followLog, isFollowedLog } from "../../worker/edge/log-follow.ts";

const url = new URL("https://cluster/api/v1/namespaces/default/pods/web/log?follow=true");

/** A cluster that gives these pieces one after the other; all but the last go on. */
function clusterWith(...pieces: string[]) {
  const positions: (string | null)[] = [];
  const fetch = (_url: string, init: RequestInit = {}) => {
    positions.push(new Headers(init.headers).get("sandbar-log-position"));
    const at = positions.length - 1;
    const goesOn: Record<string, string> = at < pieces.length - 1 ? { "sandbar-log-position": String(at + 1) } : {};
    return Promise.resolve(new Response(pieces[at], { headers: { "content-type": "text/plain", ...goesOn } }));
  };
  return { positions, cluster: { fetch } };
}

const request = { url, headers: new Headers(), signal: new AbortController().signal, leftMs: 60_000 };

test("a log is followed to its end, from where each answer left it", async () => {
  const { positions, cluster } = clusterWith("a\n", "", "b\n", "c");
  const waits: number[] = [];
  const response = await followLog(request, cluster, (ms) => Promise.resolve(waits.push(ms) > 0));
  expect(response.headers.has("sandbar-log-position")).toBe(false);
  expect(await response.text()).toBe("a\nb\nc");
  expect(positions).toEqual([null, "1", "2", "3"]);
  // Silence is asked about less often.
  expect(waits).toEqual([500, 1000, 500]);
});

test("a client that goes is not asked for any more", async () => {
  const { positions, cluster } = clusterWith("a\n", "b\n", "c\n");
  const response = await followLog(request, cluster, () => Promise.resolve(false));
  expect(await response.text()).toBe("a\n");
  expect(positions).toEqual([null]);
});

test("what is no log goes to the client as it is", async () => {
  const refused = { fetch: () => Promise.resolve(Response.json({ kind: "Status" }, { status: 400 })) };
  expect((await followLog(request, refused)).status).toBe(400);
});

test("only a GET of a pod's log that asks to follow it is one", () => {
  const is = (path: string, method = "GET") => isFollowedLog(method, new URL(`https://cluster/api/v1/${path}`));
  expect(is("namespaces/default/pods/web/log?follow=true")).toBe(true);
  expect(is("namespaces/default/pods/web/log?follow=false")).toBe(false);
  expect(is("namespaces/default/pods/web/log")).toBe(false);
  expect(is("namespaces/default/pods/log?follow=true")).toBe(false);
});
