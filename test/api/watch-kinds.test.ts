// Random watches of several kinds in one cluster: pulled, joined, live, cut off and resumed, each receives only its own events.
import { describe, expect, test } from "vitest";
import { internalHeaders, pullAgain } from "../../shared/contract/cluster-object.ts";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { rendererOf, type WatchSpec } from "../../worker/api/verbs/watch-spec.ts";
import { WatchGroups } from "../../worker/cluster/watches/watch-groups.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { serviceAccounts } from "../../worker/kinds/core/service-account.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { Change } from "../../worker/store/change.ts";
import { type Dice, diceOf } from "../simulation/dice.ts";
import { newServer, type TestServer } from "./server.ts";

const namespaced: readonly Kind[] = [configMaps, secrets, serviceAccounts];
const names = ["x", "y"];
const colours = ["red", "blue"];

/** The selection of a watch, as URL and as predicate. */
interface Selection {
  readonly path: string;
  readonly query: string;
  readonly kind: Kind;
  selects(object: KubeObject): boolean;
}

const selections: readonly Selection[] = [
  ...namespaced.flatMap((kind): Selection[] => [
    { kind, path: `/api/v1/${kind.plural}`, query: "", selects: () => true },
    {
      kind,
      path: `/api/v1/namespaces/default/${kind.plural}`,
      query: "",
      selects: ({ metadata }) => metadata.namespace === "default",
    },
    {
      kind,
      path: `/api/v1/${kind.plural}`,
      query: "&labelSelector=colour%3Dred",
      selects: ({ metadata }) => metadata.labels?.["colour"] === "red",
    },
    {
      kind,
      path: `/api/v1/${kind.plural}`,
      query: "&fieldSelector=metadata.name%3Dx",
      selects: ({ metadata }) => metadata.name === "x",
    },
  ]),
  { kind: namespaces, path: "/api/v1/namespaces", query: "", selects: () => true },
];

interface Socket {
  readonly frames: string[];
  closed: number | undefined;
  send(frame: string): void;
  close(code: number): void;
}

/** Returns a cluster whose sockets are live watches, as in the Durable Object. */
function liveServer() {
  let joined: Socket | undefined;
  const held: { groups?: WatchGroups<Socket> } = {};
  const server = newServer({
    controllers: [],
    nodes: 0,
    service: ({ registry, clock }) => {
      const groups = new WatchGroups<Socket>({
        meter: registry.store.meter,
        nowMs: () => clock.nowMs(),
        realMs: () => clock.nowMs(),
        wait: async () => undefined,
        delayMs: () => 0,
        report: (error) => {
          throw error;
        },
        ask: () => undefined,
        forget: () => undefined,
      });
      held.groups = groups;
      registry.store.onChange((change) => groups.push(change));
      return {
        sockets: {
          requireQuota: () => undefined,
          hold: () => new Response("held"),
          followChanges: () => new Response("followed"),
          join: (spec, revision, catchUp) => {
            groups.flush();
            const frames = [`${revision}\n${catchUp}`];
            const socket: Socket = {
              frames,
              closed: undefined,
              send: (frame) => void frames.push(frame),
              close: (code) => void (socket.closed = code),
            };
            groups.add(spec, socket, registry.store.revision, () =>
              rendererOf(registry.catalogue, registry.store.meter, JSON.parse(spec) as WatchSpec),
            );
            joined = socket;
            return new Response("joined");
          },
        },
      };
    },
  });
  return {
    ...server,
    flush: () => held.groups?.flush(),
    drop: (socket: Socket) => held.groups?.drop(socket),
    join: async (path: string, since: number) => {
      joined = undefined;
      const headers = { [internalHeaders.watch]: "join", [internalHeaders.since]: String(since) };
      const { code } = await server.ask("GET", path, { headers });
      return { code, socket: joined as Socket | undefined };
    },
  };
}

type Live = ReturnType<typeof liveServer>;

function briefly({ type, object }: { readonly type: string; readonly object: KubeObject }): string {
  const { namespace = "", name = "", resourceVersion = "" } = object.metadata;
  return `${type} ${object.kind} ${namespace}/${name} ${resourceVersion}`;
}

/** A watch, as the edge holds it for a client. */
class Watcher {
  readonly events: string[] = [];
  readonly selection: Selection;
  /** The revision up to which initial objects were received. */
  startedAt = 0;
  readonly #server: Live;
  #at = 0;
  #socket: Socket | undefined;

  constructor(server: Live, selection: Selection) {
    this.#server = server;
    this.selection = selection;
  }

  /** Pulls, from the start or from the current revision, and joins. */
  async go(): Promise<void> {
    const { path, query } = this.selection;
    const url = `${path}?watch=1${query}`;
    const since: Record<string, string> = this.startedAt === 0 ? {} : { [internalHeaders.since]: String(this.#at) };
    const { code, text, headers } = await this.#server.ask("GET", url, {
      headers: { [internalHeaders.watch]: "pull", ...since },
    });
    expect(code).toBe(200);
    this.#take(Number(headers.get(internalHeaders.revision)), text);
    if (this.startedAt === 0) this.startedAt = this.#at;
    const { socket, code: joinCode } = await this.#server.join(url, this.#at);
    expect(joinCode).toBe(200);
    this.#socket = socket;
  }

  /** Reads the received events. */
  read(): void {
    for (const frame of this.#socket?.frames.splice(0) ?? []) {
      const end = frame.indexOf("\n");
      this.#take(Number(frame.slice(0, end)), frame.slice(end + 1));
    }
    expect([undefined, pullAgain]).toContain(this.#socket?.closed);
  }

  /** Breaks the connection: sent and unread events are lost. */
  cut(): void {
    if (this.#socket) this.#server.drop(this.#socket);
    this.#socket = undefined;
  }

  #take(revision: number, lines: string): void {
    expect(revision).toBeGreaterThanOrEqual(this.#at);
    this.#at = revision;
    for (const line of lines.split("\n").filter(Boolean))
      this.events.push(briefly(JSON.parse(line) as { type: string; object: KubeObject }));
  }
}

/** Returns the expected events of a selection for all changes, computed without the store and the API. */
function expected({ kind, selects }: Selection, changes: readonly Change[], startedAt: number): string[] {
  const existing = new Map<string, KubeObject>();
  const events: string[] = [];
  for (const { revision, resource, namespace, name, type, object, previous } of changes) {
    if (resource !== kind.resource) continue;
    const is = type !== "DELETED" && selects(object);
    const was = previous !== undefined && selects(previous);
    const at = `${namespace}/${name}`;
    if (is) existing.set(at, object);
    else existing.delete(at);
    if (revision <= startedAt || !(is || was)) continue;
    events.push(`${is ? (was ? "MODIFIED" : "ADDED") : "DELETED"} ${kind.kind} ${at} ${revision}`);
  }
  return events;
}

function initially({ kind, selects }: Selection, changes: readonly Change[], startedAt: number): string[] {
  const selected = new Map<string, string>();
  for (const { revision, resource, namespace, name, type, object } of changes) {
    if (resource !== kind.resource || revision > startedAt) continue;
    const at = `${namespace}/${name}`;
    if (type !== "DELETED" && selects(object)) selected.set(at, `ADDED ${kind.kind} ${at} ${revision}`);
    else selected.delete(at);
  }
  return [...selected].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** Writes any kind: creates, relabels or deletes. */
function write({ cluster: { client } }: TestServer, dice: Dice): void {
  const kind = dice.choose<Kind>(configMaps, secrets, serviceAccounts);
  const namespace = dice.choose("default", "kube-public");
  const name = dice.pick(names) ?? "";
  const labels = { colour: dice.pick(colours) ?? "", at: String(dice.below(1000)) };
  const existing = client.get(kind, namespace, name);
  if (!existing) client.create(kind, { metadata: { name, namespace, labels } });
  else if (dice.chance(0.4)) client.delete(kind, namespace, name);
  else client.update(kind, { ...existing, metadata: { ...existing.metadata, labels } });
}

describe("watches of several kinds at once", () => {
  test.for([1, 2, 3, 4])(
    "W1: with seed %i each receives every change of its own kind and selection once, in order, and no other",
    async (seed) => {
      const dice = diceOf(seed);
      const server = liveServer();
      const watchers = selections.map((selection) => new Watcher(server, selection));
      const isOpen = new Set<Watcher>();
      for (let step = 0; step < 150; step++) {
        for (let writes = dice.below(4); writes > 0; writes--) write(server, dice);
        if (dice.chance(0.7)) server.flush();
        const watcher = dice.pick(watchers);
        if (!watcher) continue;
        if (!isOpen.has(watcher)) {
          await watcher.go();
          isOpen.add(watcher);
        } else if (dice.chance(0.5)) watcher.read();
        else {
          watcher.cut();
          isOpen.delete(watcher);
        }
      }
      for (const watcher of watchers) if (!isOpen.has(watcher)) await watcher.go();
      write(server, dice);
      server.flush();
      for (const watcher of watchers) {
        watcher.read();
        const { selection, startedAt, events } = watcher;
        const { changes } = server.cluster;
        const initial = initially(selection, changes, startedAt);
        expect(events.slice(0, initial.length)).toEqual(initial);
        expect(events.slice(initial.length)).toEqual(expected(selection, changes, startedAt));
      }
      expect(server.bugs).toEqual([]);
    },
  );

  test("W1: receive no changes of another kind with the same name: pulled, caught up on, or live", async () => {
    const server = liveServer();
    const put = (kind: Kind, version: string) => {
      const existing = server.cluster.client.get(kind, "default", "same");
      const metadata = { name: "same", namespace: "default", labels: { version } };
      if (existing)
        server.cluster.client.update(kind, { ...existing, metadata: { ...existing.metadata, ...metadata } });
      else server.cluster.client.create(kind, { metadata });
    };
    const path = "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dsame";
    const before = server.cluster.registry.store.revision;
    put(secrets, "1");
    put(configMaps, "1");
    put(secrets, "2");
    const pulled = await server.ask("GET", `${path}&resourceVersion=${before}`, {
      headers: { [internalHeaders.watch]: "pull" },
    });
    const kindsIn = (text: string) => [...text.matchAll(/"kind":"(\w+)"/g)].map((match) => match[1]);
    expect(kindsIn(pulled.text)).toEqual(["ConfigMap"]);
    const { socket } = await server.join(path, before);
    expect(kindsIn(socket?.frames.splice(0).join("") ?? "")).toEqual(["ConfigMap"]);
    put(secrets, "3");
    server.flush();
    expect(socket?.frames).toEqual([]);
    put(configMaps, "2");
    server.flush();
    expect(kindsIn(socket?.frames.join("") ?? "")).toEqual(["ConfigMap"]);
  });
});
