// Outbound calls: retries and errors.
import { expect, test } from "vitest";
import { bodyFailure } from "../../../shared/base/fetch-failures.ts";
import { readsOf } from "../../../worker/registry/registry.ts";
import { newOutside } from "../../../worker/cluster/outside/outside.ts";
import { newCluster } from "../../cluster.ts";

const to = { url: "https://example.com/hook" };

type Transport = Parameters<typeof newOutside>[0]["transport"];

function outsideWith(transport: Transport) {
  return newOutside({
    reads: readsOf(newCluster({ nodes: 0, controllers: [] }).registry),
    isLocal: false,
    hasTunnel: () => false,
    transport,
    tunnel: () => Promise.resolve({ error: "there is none" }),
    stream: () => undefined,
    askPods: () => Promise.resolve(undefined),
    failed: () => undefined,
  });
}

/** Asks a server that gives these answers in turn, the last one for good. */
function asking(...answers: (readonly [status: number, retryAfter?: string])[]) {
  let requestCount = 0;
  const outside = outsideWith(() => {
    const [status, retryAfter] = answers[Math.min(requestCount++, answers.length - 1)] ?? [200];
    const headers = retryAfter === undefined ? [] : ([["Retry-After", retryAfter]] as const);
    return Promise.resolve({ status, headers, body: new Uint8Array() });
  });
  return async (timeoutMs = 10_000, method?: "GET") => {
    const answer = await outside.ask({ to, body: "{}", timeoutMs, ...(method ? { method } : {}) });
    return { asked: requestCount, said: answer.ok ? answer.status : answer.message };
  };
}

test("a request is retried at most ten times if the server answers 429 or 5xx with Retry-After", async () => {
  expect(await asking([429, "0"], [503, "0"], [200])()).toEqual({ asked: 3, said: 200 });
  expect(await asking([429, "0"])()).toEqual({ asked: 11, said: 429 });
});

test("an answer without Retry-After, a final answer, and an answer to a read are not repeated", async () => {
  expect(await asking([429])()).toEqual({ asked: 1, said: 429 });
  expect(await asking([500, "soon"])()).toEqual({ asked: 1, said: 500 });
  expect(await asking([404, "0"])()).toEqual({ asked: 1, said: 404 });
  expect(await asking([503, "0"])(10_000, "GET")).toEqual({ asked: 1, said: 503 });
});

test("no delay is longer than the timeout of the whole request", async () => {
  expect(await asking([429, "60"])(5)).toEqual({
    asked: 1,
    said: 'Post "https://example.com/hook": context deadline exceeded',
  });
});

test.each([
  ["context deadline exceeded", 'Post "https://example.com/hook": context deadline exceeded'],
  [bodyFailure("context deadline exceeded"), bodyFailure("context deadline exceeded")],
])("R6: like upstream, only an error before the answer began names method and URL: %s", async (error, message) => {
  const { ask } = outsideWith(() => Promise.resolve({ error }));
  expect(await ask({ to, body: "{}", timeoutMs: 1000 })).toEqual({ ok: false, message });
});
