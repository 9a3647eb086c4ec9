// Watches opened while others write, the object evicted in between: each sees every change that concerns it, once and in order.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import { seededRandom } from "../../../shared/base/random.ts";
import type { Random } from "../../../shared/base/random.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { keptBase } from "../../../worker/cluster/base/kept-base.ts";
import { durableSql } from "../../../worker/cluster/do-sql.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import { openWatch, type WatchEvent } from "./watch-reader.ts";

interface Asked {
  readonly namespace: string;
  readonly color: string;
  readonly name: string;
  /** The revision from which the watch starts. "" and "0" start with the existing objects. */
  readonly since: string;
  readonly accept: string;
}

interface Row {
  readonly revision: number;
  readonly next: KubeObject | undefined;
  readonly previous: KubeObject | undefined;
}

const namespaces = ["default", "kube-public"];
const colors = ["red", "blue"];
const names = ["a", "b", "c", "d"];
const metadataOnly = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

// Every seed that ever failed stays here.
test.for([1, 2, 3, 4, 5])(
  "W1 W2: every watch receives every matching change, once, in order (seed %i)",
  async (seed) => {
    const random = seededRandom(seed);
    const sandbox = await newSandbox();
    await sandbox.quiet();
    const watching: ReturnType<typeof watchAtRandom>[] = [];
    const writers = [1, 2, 3].map((writer) => writeAtRandom(sandbox, seededRandom(seed * 100 + writer), 40));
    for (let at = 0; at < 25; at++) {
      await pause(random.next() * 12);
      watching.push(watchAtRandom(sandbox, random));
      if (random.next() < 0.3) await evictDurableObject(sandbox.stub()).catch(() => undefined);
    }
    await Promise.all(writers);
    // A watch that begins after the end would see nothing else.
    const opened = await Promise.all(watching);
    await sayEnd(sandbox);
    const log = await readLog(sandbox);
    for (const { question, events } of opened) {
      const seenEvents = (await events).map(({ type, object }) => `${type} ${identityOf(object)}`);
      const possible =
        question.since === "" || question.since === "0" ? log.map((row) => row.revision) : [Number(question.since)];
      const match = possible.find((start) => isEqual(seenEvents, expectedEvents(log, question, start)));
      const best = expectedEvents(log, question, Number(question.since || "0"));
      expect({ question, seen: match === undefined ? seenEvents : "as expected" }, best.join("\n")).toEqual({
        question,
        seen: "as expected",
      });
    }
  },
);

async function writeAtRandom(sandbox: Sandbox, random: Random, count: number): Promise<void> {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.next() * of.length)] as T;
  for (let at = 0; at < count; at++) {
    const name = pick(names);
    const namespace = pick(namespaces);
    // Two writers may meet at one name: a conflict is as good as a write.
    if (random.next() < 0.25) await sandbox.remove(name, namespace).catch(() => undefined);
    else await sandbox.put(name, { at: `${at}` }, { color: pick(colors) }, namespace).catch(() => undefined);
  }
}

async function watchAtRandom(sandbox: Sandbox, random: Random) {
  const pick = (of: readonly string[]) => of[Math.floor(random.next() * of.length)] ?? "";
  const list = await sandbox.call("GET", "/api/v1/configmaps?limit=1");
  const question: Asked = {
    namespace: pick(["", ...namespaces]),
    color: pick(["", ...colors]),
    name: pick(["", "", "a"]),
    since: pick(["", "0", list.metadata.resourceVersion ?? ""]),
    accept: pick(["application/json", metadataOnly]),
  };
  const query = new URLSearchParams({ watch: "1", resourceVersion: question.since });
  if (question.color) query.set("labelSelector", `color=${question.color}`);
  if (question.name) query.set("fieldSelector", `metadata.name=${question.name}`);
  const path = question.namespace ? `/api/v1/namespaces/${question.namespace}/configmaps` : "/api/v1/configmaps";
  const watch = await openWatch(sandbox, `${path}?${query}`, { headers: { accept: question.accept } });
  const readEvents = async (): Promise<WatchEvent[]> => {
    const events = await watch.until(({ object }) => object.metadata.labels?.end === "yes");
    await watch.cancel();
    return events.slice(0, -1);
  };
  return { question, events: readEvents() };
}

/** A last event for each that watches. */
async function sayEnd(sandbox: Sandbox): Promise<void> {
  for (const namespace of namespaces) {
    for (const color of colors) {
      for (const name of ["a", "z"]) await sandbox.put(name, {}, { color, end: "yes" }, namespace);
    }
  }
}

async function readLog(sandbox: Sandbox): Promise<Row[]> {
  return runInDurableObject(sandbox.stub(), (_, state) => {
    const base = keptBase(durableSql(state.storage));
    const began = base.entries().map(({ revision, resource }) => ({
      revision,
      next: resource === "configmaps" ? base.object(revision) : undefined,
      previous: undefined,
    }));
    const since = state.storage.sql
      .exec<{ revision: number; resource: string; value: string | null; previous: string | null }>(
        `SELECT c.revision, c.resource, c.value, p.value AS previous FROM changes c
         LEFT JOIN changes p ON p.revision = c.previous ORDER BY c.revision`,
      )
      .toArray()
      .map(({ revision, resource, value, previous }) => ({
        revision,
        next: resource === "configmaps" && value ? (JSON.parse(value) as KubeObject) : undefined,
        previous: resource === "configmaps" && previous ? (JSON.parse(previous) as KubeObject) : undefined,
      }));
    return [...began, ...since];
  });
}

/** Computes the events from the log: the objects at `start` if they were requested, and every change after it. */
function expectedEvents(log: readonly Row[], question: Asked, start: number): string[] {
  const concerns = (object: KubeObject | undefined) =>
    object !== undefined &&
    (question.namespace === "" || question.namespace === object.metadata.namespace) &&
    (question.color === "" || question.color === object.metadata.labels?.color) &&
    (question.name === "" || question.name === object.metadata.name);
  const knownObjects = new Map<string, KubeObject>();
  const events: string[] = [];
  for (const { revision, next, previous } of log) {
    if (next?.metadata.labels?.end === "yes" && concerns(next)) break;
    if (revision > start) {
      const type = concerns(next) ? (concerns(previous) ? "MODIFIED" : "ADDED") : concerns(previous) ? "DELETED" : "";
      const object = concerns(next) ? next : previous;
      if (type && object) events.push(`${type} ${identityOf(object, revision)}`);
      continue;
    }
    const key = keyOf(next ?? previous);
    if (next) knownObjects.set(key, next);
    else knownObjects.delete(key);
  }
  if (question.since !== "" && question.since !== "0") return events;
  const initial = [...knownObjects].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([, object]) => concerns(object));
  return [...initial.map(([, object]) => `ADDED ${identityOf(object)}`), ...events];
}

function keyOf(object: KubeObject | undefined): string {
  return `${object?.metadata.namespace}/${object?.metadata.name}`;
}

function identityOf(object: KubeObject, revision = Number(object.metadata.resourceVersion)): string {
  return `${keyOf(object)} ${object.metadata.labels?.color ?? ""} ${revision}`;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
