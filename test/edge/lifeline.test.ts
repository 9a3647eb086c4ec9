// The lifeline of open connections: when it is opened, closed and reopened.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { endedCode, endings } from "../../shared/contract/endings.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { newLifeline } from "../../worker/edge/lifeline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The object's end of a socket, as far as the edge sees it. */
class FakeSocket extends EventTarget {
  closed: number | undefined;
  accept(): void {
    // Nothing is said before.
  }
  close(code: number): void {
    this.closed = code;
  }
  end(code: number, reason = ""): void {
    this.dispatchEvent(Object.assign(new Event("close"), { code, reason }));
  }
}

type Answer = FakeSocket | number | "broken";

/** A cluster that answers the lifelines in this order, and everything else with 200. */
function holding(answers: Answer[], more: { leftMs?: number } = {}) {
  const requestedLines: (string | null)[] = [];
  const fetch = (_: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has(internalHeaders.lifeline)) return Promise.resolve(new Response("{}"));
    requestedLines.push(headers.get("authorization"));
    const answer = answers.shift() ?? "broken";
    if (answer === "broken") return Promise.reject(new Error("reset"));
    if (typeof answer === "number") return Promise.resolve(new Response(null, { status: answer }));
    // Node's own has no status 101.
    return Promise.resolve({ status: 101, webSocket: answer } as unknown as Response);
  };
  const client = new AbortController();
  const headers = new Headers({ authorization: "Bearer x" });
  const url = new URL("https://host/api/v1/namespaces/default/pods/web/exec");
  const line = newLifeline({ url, headers, leftMs: 60_000, signal: client.signal, ...more }, { fetch });
  return { line, requestedLines, client };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test("A6: the lifeline is opened once after the cluster's first successful answer, with the client's credentials", async () => {
  const { line, requestedLines } = holding([new FakeSocket()]);
  await settled();
  expect(requestedLines).toEqual([]);
  await line.cluster.fetch("https://host/");
  await line.cluster.fetch("https://host/");
  await settled();
  expect([requestedLines, line.signal.aborted]).toEqual([["Bearer x"], false]);
});

test.each([
  [endings.revoked, 401],
  [endings.gone, 410],
])("A6: the cluster closes the lifeline with a reason: %s", async (reason, code) => {
  const socket = new FakeSocket();
  const { line } = holding([socket]);
  await line.cluster.fetch("https://host/");
  await settled();
  socket.end(endedCode, reason);
  expect(line.signal.reason).toMatchObject({ code, message: reason });
});

test("A6: a broken lifeline is reopened, and a refusal then ends the connection", async () => {
  const sockets = [new FakeSocket(), new FakeSocket()] as const;
  const { line, requestedLines } = holding([sockets[0], "broken", 503, sockets[1], 401]);
  await line.cluster.fetch("https://host/");
  await settled();
  sockets[0].end(1006);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([requestedLines.length, line.signal.aborted]).toEqual([4, false]);
  sockets[1].end(1006);
  await settled();
  expect(line.signal.reason).toMatchObject({ code: 401, message: "Unauthorized" });
});

test("A6: a cluster that stays unreachable ends the connection", async () => {
  const { line } = holding([]);
  await line.cluster.fetch("https://host/");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(line.signal.reason).toMatchObject({ code: 500 });
});

test("A6: the connection ends when the token expires", async () => {
  const { line } = holding([new FakeSocket()], { leftMs: 5000 });
  await vi.advanceTimersByTimeAsync(4999);
  expect(line.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(line.signal.reason).toMatchObject({ code: 401, message: endings.expired });
});

test.each(["the client disconnects", "the connection is released"])(
  "A6: the lifeline is closed when %s",
  async (when) => {
    const socket = new FakeSocket();
    const { line, client, requestedLines } = holding([socket]);
    await line.cluster.fetch("https://host/");
    await settled();
    if (when === "the client disconnects") client.abort();
    else line.release();
    expect([line.signal.aborted, socket.closed]).toEqual([true, 1000]);
    socket.end(1000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requestedLines).toHaveLength(1);
  },
);
