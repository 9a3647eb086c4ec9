import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import {
  type LinkState,
  ListRefused,
  type ListSource,
  type Page,
  type Timing,
  type WatchHandlers,
  inform,
} from "../../web/live/informer.ts";

describe("list and watch", () => {
  test("lists every page, then watches from the list's revision", async () => {
    const world = newWorld([page(["a"], "7", "more"), page(["b"], "7")]);
    const watch = await world.watchFrom("7");
    expect(world.names()).toEqual(["a", "b"]);
    watch.opened();
    expect(world.states.at(-1)).toEqual({ phase: "live" });
    watch.message(`${line("ADDED", "c", "8")}\n${line("MODIFIED", "a", "9")}\n`);
    watch.message(line("DELETED", "b", "10"));
    expect(world.names()).toEqual(["a", "c"]);
    world.stop.abort();
    await world.done;
  });

  test("continues from the last revision that it received, including bookmarks", async () => {
    const world = newWorld([page(["a"], "7")]);
    const first = await world.watchFrom("7");
    first.opened();
    first.message(line("BOOKMARK", "", "20"));
    first.closed();
    const second = await world.watchFrom("20");
    second.opened();
    expect(world.lists).toBe(1);
    expect(world.names()).toEqual(["a"]);
    world.stop.abort();
    await world.done;
  });

  test("lists again when the revision is compacted", async () => {
    const world = newWorld([page(["a"], "7"), page(["b"], "90")]);
    const first = await world.watchFrom("7");
    first.opened();
    first.message(JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410 } }));
    await world.watchFrom("90");
    expect(world.names()).toEqual(["b"]);
    world.stop.abort();
    await world.done;
  });

  test("lists after a watch that could not start, for the reason", async () => {
    const world = newWorld([page(["a"], "7"), new ListRefused(410, "the sandbox is gone")]);
    (await world.watchFrom("7")).closed();
    await world.done;
    expect(world.states.at(-1)).toEqual({ phase: "refused", status: 410, message: "the sandbox is gone" });
  });

  test.each([401, 403, 404, 410])("does not retry after a %d", async (status) => {
    const world = newWorld([new ListRefused(status, "no")]);
    await world.done;
    expect(world.lists).toBe(1);
    expect(world.states).toEqual([{ phase: "refused", status, message: "no" }]);
  });

  test("retries with growing delays while the service is unreachable", async () => {
    const world = newWorld([new Error("no network"), new ListRefused(503, "busy"), page([], "1")]);
    await world.watchFrom("1");
    expect(world.waits.slice(0, 2)).toEqual([250, 500]);
    world.stop.abort();
    await world.done;
  });

  test("restarts a list whose continue token has expired", async () => {
    const world = newWorld([page(["a"], "7", "more"), new ListRefused(410, "Expired"), page(["b"], "9")]);
    await world.watchFrom("9");
    expect(world.names()).toEqual(["b"]);
    world.stop.abort();
    await world.done;
  });

  test("replaces a watch that does not even send bookmarks", async () => {
    const world = newWorld([page(["a"], "7"), page(["a"], "8")]);
    const first = await world.watchFrom("7");
    first.opened();
    first.message(line("BOOKMARK", "", "7"));
    world.letSilencePass();
    await world.watchFrom("8");
    expect(world.lists).toBe(2);
    expect(world.closed).toBe(1);
    world.stop.abort();
    await world.done;
  });
});

const silenceMs = 1_000_000;

/** A service that gives these answers to lists, and watches that a test speaks for. */
function newWorld(answers: (Page<KubeObject> | Error)[]) {
  const stop = new AbortController();
  const objects = new Map<string, KubeObject>();
  const states: LinkState[] = [];
  const waits: number[] = [];
  const watches = new Map<string, WatchHandlers>();
  const silences: (() => void)[] = [];
  const world = { stop, states, waits, lists: 0, closed: 0 };
  const source: ListSource<KubeObject> = {
    page: () => {
      world.lists += 1;
      const answer = answers.shift() ?? new Error("no more answers");
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    watch: (revision, handlers) => {
      watches.set(revision, handlers);
      return Promise.resolve(() => {
        world.closed += 1;
      });
    },
  };
  const timing: Timing = {
    silenceMs,
    random: () => 1,
    wait: (ms, signal) => {
      if (ms < silenceMs) {
        waits.push(ms);
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        silences.push(resolve);
        signal.addEventListener("abort", () => resolve());
      });
    },
  };
  const listener = {
    reset: (items: readonly KubeObject[]) => {
      objects.clear();
      for (const item of items) objects.set(item.metadata.name ?? "", item);
    },
    put: (object: KubeObject) => void objects.set(object.metadata.name ?? "", object),
    remove: (object: KubeObject) => void objects.delete(object.metadata.name ?? ""),
    state: (state: LinkState) => void states.push(state),
  };
  return Object.assign(world, {
    done: inform(source, listener, timing, stop.signal),
    names: () => [...objects.keys()],
    /** Twice: once with something heard before it, once without. */
    letSilencePass: () => {
      const pass = () => silences.splice(0).forEach((resolve) => resolve());
      pass();
      setImmediate(pass);
    },
    async watchFrom(revision: string): Promise<WatchHandlers> {
      for (let turn = 0; turn < 100; turn++) {
        const handlers = watches.get(revision);
        if (handlers) return handlers;
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`nobody watches from ${revision}`);
    },
  });
}

function page(names: readonly string[], revision: string, next?: string): Page<KubeObject> {
  return { items: names.map((name) => stateObject(name, revision)), revision, next };
}

function line(type: string, name: string, resourceVersion: string): string {
  return JSON.stringify({ type, object: stateObject(name, resourceVersion) });
}

function stateObject(name: string, resourceVersion: string): KubeObject {
  return { apiVersion: "v1", kind: "Thing", metadata: { name, resourceVersion } };
}
