// A watch over fakes, step by step: the events of a reading client, and buffered bytes of a slow one.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { unboundedHoldings } from "./unlimited-holdings.ts";
import { type Holder, Holdings } from "../../worker/edge/watch/holdings.ts";
import { type WatchSink, runWatch } from "../../worker/edge/watch/run.ts";
import { bodySink, socketSink } from "../../worker/edge/watch/sinks.ts";
import type { LiveListener, LiveSocket, WatchSource } from "../../worker/edge/watch/source.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (revision: number, padding = 0) => `${JSON.stringify({ revision, padding: "x".repeat(padding) })}\n`;

/** A cluster with a log. A pull answers everything after a revision, and a join answers the status in `joinStatus` or a socket. */
function fakeCluster() {
  const log: string[] = [];
  const calls: string[] = [];
  const sockets = new Set<LiveListener>();
  const state = { joinStatus: [] as number[], pullStatus: [] as number[], open: 0 };
  const refusal = (code: number) =>
    new Response(JSON.stringify({ kind: "Status", code, reason: code === 410 ? "Expired" : "Other" }), {
      status: code,
    });
  const pulled = (since: number) =>
    new Response(log.slice(since).join(""), {
      headers: {
        [internalHeaders.revision]: String(log.length),
        [internalHeaders.bookmark]: '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"$R"}}}',
      },
    });
  const source: WatchSource = {
    pull: async (since) => {
      calls.push(`pull ${since ?? ""}`);
      const status = state.pullStatus.shift();
      return status ? refusal(status) : pulled(Number(since ?? 0));
    },
    join: async (since) => {
      calls.push(`join ${since}`);
      const status = state.joinStatus.shift();
      return status ? refusal(status) : liveSocket();
    },
  };
  function liveSocket(): LiveSocket {
    let listener: LiveListener | undefined;
    state.open++;
    return {
      listen: (on) => {
        listener = on;
        sockets.add(on);
      },
      close: () => {
        if (!listener || !sockets.delete(listener)) return;
        state.open--;
        listener.closed("ended");
      },
    };
  }
  const emit = (padding = 0) => {
    log.push(event(log.length + 1, padding));
    for (const socket of [...sockets]) socket.frame(`${log.length}\n${log.at(-1)}`);
  };
  const closeAll = () => {
    for (const socket of [...sockets]) socket.closed("ended");
  };
  return { log, calls, state, source, emit, closeAll, listeners: () => [...sockets], first: () => pulled(0) };
}

/** A client that reads only while `read` is on. */
function fakeClient() {
  const got: string[] = [];
  let reading = true;
  let room: (() => void)[] = [];
  const state = { ended: false, aborted: false };
  const write = async (text: string) => {
    if (!reading) await new Promise<void>((resolve) => room.push(resolve));
    if (state.aborted) throw new Error("gone");
    got.push(text);
  };
  const sink: WatchSink = {
    write,
    pipe: async (body) => write(await new Response(body).text()),
    end: async () => {
      state.ended = true;
    },
    abort: () => {
      state.aborted = true;
      for (const resolve of room) resolve();
    },
  };
  const read = (on: boolean) => {
    reading = on;
    if (on) for (const resolve of room) resolve();
    if (on) room = [];
  };
  return { sink, state, read, text: () => got.join("") };
}

function start(cluster: ReturnType<typeof fakeCluster>, sink: WatchSink, holdings = unboundedHoldings()) {
  const gone = new AbortController();
  const done = runWatch(cluster.first(), cluster.source, sink, {
    durationMs: 600_000,
    bookmarkMs: 60_000,
    bufferLimit: 1000,
    pullBytes: 100,
    lingerMs: 30_000,
    signal: gone.signal,
    hold: (holder) => holdings.open("sandbox", holder),
  });
  return { done, gone };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe("the events of a watch", () => {
  test("W1: are the initial objects, then the changes, each once and in order", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    cluster.emit();
    cluster.emit();
    start(cluster, client.sink);
    await settle();
    cluster.emit();
    cluster.emit();
    await settle();
    expect(client.text()).toBe(cluster.log.join(""));
    expect(cluster.calls).toEqual(["join 2"]);
  });

  test("end with Expired for a slow client once its sandbox's watches hold too many bytes, and continue for others", async () => {
    const holdings = new Holdings({ sandboxBytes: 1_000, totalBytes: 10_000 });
    const cluster = fakeCluster();
    const [slow, quick] = [fakeClient(), fakeClient()];
    start(cluster, slow.sink, holdings);
    start(cluster, quick.sink, holdings);
    await settle();
    slow.read(false);
    for (let round = 0; round < 8; round++) {
      cluster.emit(100);
      await settle();
    }
    expect(holdings.bytes).toBeLessThanOrEqual(1_000);
    for (let round = 0; round < 3; round++) {
      cluster.emit(100);
      await settle();
    }
    expect([slow.state.ended, cluster.state.open]).toEqual([false, 1]);
    slow.read(true);
    await settle();
    const last = JSON.parse(slow.text().trimEnd().split("\n").at(-1) ?? "") as { type: string; object: object };
    expect(last).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect([slow.state.ended, quick.state.ended, quick.text()]).toEqual([true, false, cluster.log.join("")]);
    expect(holdings.bytes).toBe(0);
  });

  test("end for a client that reads nothing for a while after that, and release its bytes", async () => {
    const holdings = new Holdings({ sandboxBytes: 300, totalBytes: 10_000 });
    const cluster = fakeCluster();
    const client = fakeClient();
    const { done } = start(cluster, client.sink, holdings);
    await settle();
    client.read(false);
    for (let round = 0; round < 4; round++) {
      cluster.emit(100);
      await settle();
    }
    await vi.advanceTimersByTimeAsync(30_000);
    await done;
    expect([client.state.aborted, holdings.bytes]).toEqual([true, 0]);
  });

  test("W5: are dropped for a slow client past the bound, its socket is closed, and missed events are pulled again", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    start(cluster, client.sink);
    await settle();
    client.read(false);
    for (let round = 0; round < 50; round++) {
      cluster.emit(100);
      await settle();
    }
    expect([client.text(), cluster.state.open]).toEqual(["", 0]);
    expect(cluster.calls).toEqual(["join 0"]);
    client.read(true);
    await settle();
    cluster.emit();
    await settle();
    expect(client.text()).toBe(cluster.log.join(""));
    expect(cluster.calls).toEqual(["join 0", "pull 1", "join 50"]);
  });

  test("W1: have the Table columns in the first live event alone, if the pulled body had none", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const first = new Response("", {
      headers: { [internalHeaders.revision]: "0", [internalHeaders.columns]: '[{"name":"N$&"}]' },
    });
    const { done, gone } = start({ ...cluster, first: () => first }, client.sink);
    await settle();
    for (const listener of cluster.listeners()) {
      listener.frame('1\n{"object":{"columnDefinitions":null,"rows":[1]}}\n{"object":{"columnDefinitions":null}}\n');
      await settle();
      listener.frame('2\n{"object":{"columnDefinitions":null}}\n');
    }
    await settle();
    const bare = '{"object":{"columnDefinitions":null}}\n';
    expect(client.text()).toBe(`{"object":{"columnDefinitions":[{"name":"N$&"}],"rows":[1]}}\n${bare}${bare}`);
    gone.abort();
    await done;
  });

  test("W1: are pulled with the Table columns if the previous pull left them to an event", async () => {
    const cluster = fakeCluster();
    cluster.state.joinStatus = [409, 409];
    const first = new Response("", {
      headers: { [internalHeaders.revision]: "0", [internalHeaders.columns]: "[]" },
    });
    const columnRequests: (boolean | undefined)[] = [];
    const source: WatchSource = {
      ...cluster.source,
      pull: (since, wantsColumns) => {
        columnRequests.push(wantsColumns);
        return cluster.source.pull(since, wantsColumns);
      },
    };
    start({ ...cluster, source, first: () => first }, fakeClient().sink);
    await settle();
    expect(columnRequests).toEqual([true, false]);
  });

  test("W1: count as held bytes from before the pull until the client has read them", async () => {
    const holdings = new Holdings({ sandboxBytes: 10_000, totalBytes: 10_000 });
    const cluster = fakeCluster();
    const client = fakeClient();
    cluster.state.joinStatus = [409];
    const heldAtPull: number[] = [];
    const { pull } = cluster.source;
    const source: WatchSource = {
      ...cluster.source,
      pull: (since, wantsColumns) => {
        heldAtPull.push(holdings.bytes);
        return pull(since, wantsColumns);
      },
    };
    start({ ...cluster, source }, client.sink, holdings);
    await settle();
    expect(heldAtPull).toEqual([100]);
    expect(holdings.bytes).toBe(0);
  });

  test("W1: are pulled again if the revision is too old to join", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    cluster.state.joinStatus = [409];
    const { done: _ } = start(cluster, client.sink);
    await settle();
    cluster.emit();
    await settle();
    expect(cluster.calls).toEqual(["join 0", "pull 0", "join 0"]);
    expect(client.text()).toBe(cluster.log.join(""));
  });

  test("end if the cluster never accepts the join", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    cluster.state.joinStatus = Array.from({ length: 50 }, () => 409);
    await start(cluster, client.sink).done;
    expect(client.state.ended).toBe(true);
    expect(cluster.calls.length).toBeLessThan(20);
  });

  test("W5: continue for a watch that makes progress between pulls, after any number of pulls", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    start(cluster, client.sink);
    await settle();
    for (let round = 0; round < 20; round++) {
      client.read(false);
      for (let round = 0; round < 20; round++) cluster.emit(100);
      await settle();
      client.read(true);
      await settle();
    }
    cluster.emit();
    await settle();
    expect([client.text(), client.state.ended]).toEqual([cluster.log.join(""), false]);
    expect(cluster.calls.filter((call) => call.startsWith("pull")).length).toBeGreaterThan(15);
  });

  test("W5: end after pulls without progress, counted from the last progress", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const refusals = (count: number) => Array.from({ length: count }, () => 409);
    cluster.state.joinStatus = refusals(4);
    const { done } = start(cluster, client.sink);
    await settle();
    client.read(false);
    for (let round = 0; round < 20; round++) cluster.emit(100);
    await settle();
    cluster.state.joinStatus = refusals(6);
    client.read(true);
    await done;
    // Four pulls that brought nothing, the one that brought the events, and five that brought nothing again.
    expect(cluster.calls.filter((call) => call.startsWith("pull"))).toEqual([
      ...["pull 0", "pull 0", "pull 0", "pull 0"],
      ...["pull 0", "pull 20", "pull 20", "pull 20", "pull 20", "pull 20"],
    ]);
    expect([client.text(), client.state.ended]).toEqual([cluster.log.join(""), true]);
  });

  test.each([
    ["join", "joinStatus"],
    ["pull", "pullStatus"],
  ] as const)("W3: end after 410 on %s with an ERROR event that contains the Status", async (_, which) => {
    const cluster = fakeCluster();
    const client = fakeClient();
    if (which === "pullStatus") cluster.state.joinStatus = [409];
    cluster.state[which].push(410);
    await start(cluster, client.sink).done;
    expect(JSON.parse(client.text())).toEqual({
      type: "ERROR",
      object: { kind: "Status", code: 410, reason: "Expired" },
    });
    expect(client.state.ended).toBe(true);
  });

  test("include a bookmark each minute with the client's revision", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    start(cluster, client.sink);
    await settle();
    cluster.emit();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.text()).toBe(
      `${cluster.log.join("")}{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n`,
    );
  });

  test("include a bookmark with the revision of a frame without events", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    start(cluster, client.sink);
    await settle();
    cluster.log.push("");
    cluster.emit();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(client.text()).toContain('"resourceVersion":"2"');
  });
});

describe("the end of a watch", () => {
  test("is a complete stream and a closed socket when its time is over", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const { done } = start(cluster, client.sink);
    await vi.advanceTimersByTimeAsync(599_999);
    expect(cluster.state.open).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await done;
    expect([client.state.ended, cluster.state.open]).toEqual([true, 0]);
  });

  test("W5: cuts off a client that does not read its last events", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const { done } = start(cluster, client.sink);
    await settle();
    client.read(false);
    cluster.emit();
    await vi.advanceTimersByTimeAsync(630_000);
    await done;
    expect([client.state.aborted, client.state.ended, cluster.state.open]).toEqual([true, false, 0]);
  });

  test("W5: closes the socket of a client that disconnects, idle or blocked", async () => {
    for (const blocked of [false, true]) {
      const cluster = fakeCluster();
      const client = fakeClient();
      const { done, gone } = start(cluster, client.sink);
      await settle();
      client.read(!blocked);
      cluster.emit();
      await settle();
      gone.abort();
      await done;
      expect(cluster.state.open).toBe(0);
    }
  });

  test("W5: follows a failed write", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const { done } = start(cluster, client.sink);
    await settle();
    client.state.aborted = true;
    cluster.emit();
    await done;
    expect([cluster.state.open, client.state.ended]).toEqual([0, false]);
  });

  test("follows the cluster's close, after all events that it sent", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const { done } = start(cluster, client.sink);
    await settle();
    cluster.emit();
    cluster.closeAll();
    await done;
    expect([client.text(), client.state.ended]).toEqual([cluster.log.join(""), true]);
  });

  test("is an error if the body breaks off", async () => {
    const cluster = fakeCluster();
    const client = fakeClient();
    const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("broken")) });
    const first = new Response(broken, { headers: { [internalHeaders.revision]: "1" } });
    const options = {
      durationMs: 1e6,
      bookmarkMs: 1e6,
      bufferLimit: 1000,
      pullBytes: 100,
      lingerMs: 1,
      signal: new AbortController().signal,
      hold: (holder: Holder) => unboundedHoldings().open("sandbox", holder),
    };
    await runWatch(first, cluster.source, client.sink, options);
    expect(client.state).toEqual({ ended: false, aborted: true });
  });
});

const bytesOf = (text: string) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });

describe("sinks", () => {
  test("a body sink waits for its reader, in writes and in pipes", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const sink = bodySink(writable);
    const read = new Response(readable).text();
    await sink.pipe(bytesOf("one\n"));
    await sink.write("two\n");
    await sink.end();
    expect(await read).toBe("one\ntwo\n");
  });

  test("a socket sink sends one event in a frame, for any chunks", async () => {
    const sent: string[] = [];
    const socket = { send: (text: string) => void sent.push(text), close: () => undefined };
    const sink = socketSink(socket, 1000, new AbortController().signal);
    const bytes = new TextEncoder().encode('{"a":"ä"}\n{"b":1}\n');
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    await sink.pipe(body);
    await sink.write('{"c":1}\n{"d":1}\n');
    expect(sent).toEqual(['{"a":"ä"}', '{"b":1}', '{"c":1}', '{"d":1}']);
  });

  test("W5: a socket sink sends the initial list, and then a bounded number of bytes", async () => {
    const sent: string[] = [];
    const socket = { send: (text: string) => void sent.push(text), close: () => undefined };
    const sink = socketSink(socket, 10, new AbortController().signal);
    await sink.pipe(bytesOf("what there was\n"));
    await sink.write("one\n");
    await sink.pipe(bytesOf("two\n"));
    await expect(sink.write("three\n")).rejects.toThrow("enough");
    expect(sent).toEqual(["what there was", "one", "two"]);
  });

  test("a socket sink sends nothing to a disconnected client", async () => {
    const sent: string[] = [];
    const gone = new AbortController();
    const sink = socketSink({ send: (text: string) => void sent.push(text), close: () => undefined }, 10, gone.signal);
    gone.abort();
    await expect(sink.write("one\n")).rejects.toThrow("gone");
    expect(sent).toEqual([]);
  });
});
