// Live watches of one turn: all matching events, within a bound that does not depend on the number of watches.
import { WorkMeter } from "../../shared/k8s/bounds/work.ts";
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { pullAgain } from "../../shared/contract/cluster-object.ts";
import { PendingCalls } from "../../shared/k8s/outbound-call.ts";
import type { Renderer } from "../../worker/api/verbs/watch-spec.ts";
import { WatchGroups } from "../../worker/cluster/watches/watch-groups.ts";
import type { Change } from "../../worker/store/change.ts";

class Socket {
  readonly frames: string[] = [];
  closed: number | undefined;
  send(frame: string): void {
    this.frames.push(frame);
  }
  close(code: number): void {
    this.closed = code;
  }
}

function groupsOf() {
  const forgotten: string[] = [];
  const rendered = { times: 0 };
  const groups = new WatchGroups<Socket>({
    meter: new WorkMeter(),
    nowMs: () => 0,
    realMs: () => 0,
    wait: async () => undefined,
    delayMs: () => 0,
    report: (error) => {
      throw error;
    },
    ask: () => undefined,
    forget: (spec) => forgotten.push(spec),
  });
  const renderer = (): Renderer => ({
    resource: "notes",
    change: ({ text }) => {
      rendered.times++;
      return `${text}\n`;
    },
    initial: () => undefined,
    initialEventsEnd: () => "",
    bookmark: () => ({}),
  });
  const join = (spec: string, make = renderer) => {
    const socket = new Socket();
    groups.add(spec, socket, 0, make);
    return socket;
  };
  return { groups, forgotten, rendered, renderer, join };
}

function change(revision: number, text: string): Change {
  const object = { apiVersion: "v1", kind: "Note", metadata: { name: "a" } };
  return { revision, type: "MODIFIED", resource: "notes", namespace: "", name: "a", object, previous: object, text };
}

const sentTo = (sockets: readonly Socket[]) => sockets.reduce((sum, { frames }) => sum + frames.join("").length, 0);

test("W1: equal specs are rendered once and sent to each watch", () => {
  const { groups, rendered, join } = groupsOf();
  const sockets = [join("same"), join("same")];
  groups.push(change(1, "one"));
  groups.flush();
  expect(sockets.map(({ frames }) => frames)).toEqual([["1\none\n"], ["1\none\n"]]);
  expect(rendered.times).toBe(1);
});

test("B2: a large change is sent to as many watches as the bound allows, and the others pull it", () => {
  const { groups, join } = groupsOf();
  const sockets = Array.from({ length: 1000 }, () => join("same"));
  groups.push(change(1, "x".repeat(1_000_000)));
  groups.flush();
  const served = sockets.filter(({ frames }) => frames.length > 0);
  expect(served.length).toBeGreaterThan(5);
  expect(sentTo(sockets)).toBeLessThan(limits.watchFlushCharacters + 1_100_000);
  for (const socket of sockets) expect(socket.closed).toBe(socket.frames.length > 0 ? undefined : pullAgain);
  expect(groups.size).toBe(served.length);
  // The next turn has a bound of its own.
  groups.push(change(2, "small"));
  groups.flush();
  expect(served.every(({ frames }) => frames.at(-1) === "2\nsmall\n")).toBe(true);
});

test("B2: a large change for many different watches is rendered for as many as the bound allows", () => {
  const { groups, rendered, forgotten, join } = groupsOf();
  const sockets = Array.from({ length: 1000 }, (_one, at) => join(`spec-${at}`));
  groups.push(change(1, "x".repeat(1_000_000)));
  groups.flush();
  expect(rendered.times).toBeLessThan(10);
  const served = sockets.filter(({ frames }) => frames.length > 0);
  expect(served.length).toBeGreaterThan(1);
  for (const socket of sockets) expect(socket.closed).toBe(socket.frames.length > 0 ? undefined : pullAgain);
  expect(forgotten).toHaveLength(1000 - served.length);
});

test("B2: changes that wait for a conversion are queued up to a bound, then the watch pulls", () => {
  const { groups, renderer, join } = groupsOf();
  const socket = join("held", () => ({
    ...renderer(),
    change: () => {
      throw new PendingCalls([]);
    },
  }));
  for (let revision = 1; revision <= limits.changeBatch; revision++) {
    groups.push(change(revision, "one"));
    groups.flush();
  }
  expect(socket.closed).toBeUndefined();
  groups.push(change(limits.changeBatch + 1, "one"));
  groups.flush();
  expect(socket.closed).toBe(pullAgain);
  expect(groups.size).toBe(0);
});
