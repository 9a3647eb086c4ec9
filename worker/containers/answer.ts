// What a pod answers to a request at one of its ports.
import { limits } from "../../shared/base/limits.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { placedOf } from "./output.ts";
import { hostnameOf } from "./run/hosts.ts";
import { softwareName } from "./images/named.ts";
import { filesAt } from "./run/files-at.ts";
import { execIn } from "./run/run.ts";
import { type Placed, presentRun } from "./run/shared.ts";
import { isLine, nextDataChangeMs, type VisitEdits } from "./run/visits.ts";
import type { ClusterView } from "./run/world.ts";
import type { ServerAnswer, PortRequest } from "../../shared/k8s/port-request.ts";
import type { Edit, Files } from "./shell/files.ts";
import { type Contact, portKey, type Protocol, type Reached } from "./shell/contact.ts";
import { addressIn, askForName } from "./shell/programs/names/asked.ts";
import { unknownServer } from "./shell/not-simulated.ts";
import { type ClusterReader, dated, type Ran } from "./shell/server.ts";
import type { Trace } from "./shell/trace.ts";
import { visitEdit } from "./wasm/visits.ts";
import { stableHex } from "../../shared/base/stable.ts";

export interface PortVisit extends PortRequest {
  readonly port: number;
  /** TCP, if it is not said. */
  readonly protocol?: Protocol;
  /** What is sent, where it is no request of HTTP. */
  readonly data?: string;
  readonly nowMs: number;
  /** A server of which nothing is known listens only at ports that its container names: others share the address. */
  readonly isNamed?: boolean;
  /** Who asks, where it is no proxy. */
  readonly from?: string;
  /** Whom a server sees in a proxy's place; by default as with the ranges that clusters have. */
  readonly proxyAddress?: string;
  /** Effects of visitors that the server's run does not include yet, first those of the run that asks. */
  readonly earlier?: readonly VisitEdits[];
  /** Told of the units of work that the server does for it. */
  readonly pays?: ((units: number) => void) | undefined;
}

/** The runs of a pod's containers, each followed once. */
export interface PodRuns {
  at(nowMs: number): readonly { readonly placed: Placed; readonly run: Trace }[];
  /** Whether all are followed that far: then `at` works nothing out. */
  knows(nowMs: number): boolean;
  /** When something begins to listen at a port; Infinity if that is not known. */
  newsMs(port: number, afterMs: number): number;
  /** Returns when files of the pod's containers change next, or the end of what is known of them; Infinity if they do not change. */
  nextChangeMs(afterMs: number): number;
  /** Units of work that following them took so far. */
  work(): number;
}

/** What is followed ahead, so that the next question need not follow it again. */
const aheadMs = 60_000;
/** Changes of files that are searched for a unit of work. */
const editsPerUnit = 500;
/** What following a run costs, beside what it does. */
const followWork = 50;

/** `except`: a container that is left out. `limit`: units of work that following all of them may take, if it is not what is usual. */
export function runsOf(pod: Pod, view: ClusterView, except?: string, limit?: number): PodRuns {
  const kept = new Map<string, { readonly run: Trace; readonly untilMs: number }>();
  let work = 0;
  const containers = placedOf(pod);
  const running = containers.filter(({ spec, status }) => status.state.running && spec.name !== except);
  const knownOf = ({ spec }: Placed, nowMs: number) => {
    const known = kept.get(spec.name);
    const isKnown = known && (known.run.isSpent || Math.max(known.run.knownMs, known.untilMs) > nowMs);
    return isKnown ? known.run : undefined;
  };
  const at: PodRuns["at"] = (nowMs) =>
    running.flatMap((placed) => {
      const untilMs = nowMs + aheadMs;
      const known = knownOf(placed, nowMs);
      const bounds = { untilMs, ...(limit === undefined ? {} : { work: limit / running.length }) };
      const run = known ?? presentRun({ pod, view, containers, alone: new Map() }, placed, bounds);
      if (run && !known) {
        kept.set(placed.spec.name, { run, untilMs });
        work += run.work + followWork;
      }
      return run ? [{ placed, run }] : [];
    });
  return {
    at,
    knows: (nowMs) => running.every((placed) => knownOf(placed, nowMs) !== undefined),
    work: () => work,
    newsMs: (port, afterMs) => {
      const times = at(afterMs).map(({ run }) => run.ports.get(port) ?? Number.POSITIVE_INFINITY);
      return Math.min(Number.POSITIVE_INFINITY, ...times.filter((one) => one > afterMs));
    },
    nextChangeMs: (afterMs) =>
      at(afterMs).reduce((nextMs, { run: { edits, outside, knownMs } }) => {
        work += (edits.length + outside.length) / editsPerUnit;
        const knownUntilMs = knownMs > afterMs ? knownMs : Number.POSITIVE_INFINITY;
        return Math.min(nextMs, knownUntilMs, nextDataChangeMs(edits, afterMs), nextDataChangeMs(outside, afterMs));
      }, Number.POSITIVE_INFINITY),
  };
}

export interface PortAnswered extends ServerAnswer {
  /** What the answer changes in a container. */
  readonly changes?: { readonly container: string; readonly edits: readonly Edit[] };
  /** The keys of what the server asked for its answer: see `Reached`. */
  readonly onward?: readonly string[];
  /** How long it takes; Infinity: it is never given. */
  readonly tookMs?: number;
}

/** Undefined if nothing listens there. `view`: what the server may ask of others. */
export function portAnswer(pod: Pod, runs: PodRuns, visit: PortVisit, view?: ClusterView): PortAnswered | undefined {
  const { nowMs } = visit;
  const port = portKey(visit.port, visit.protocol);
  const all = runs.at(nowMs);
  const found =
    all.find(({ run }) => (run.ports.get(port) ?? Number.POSITIVE_INFINITY) <= nowMs) ??
    all.find(({ run, placed }) => run.server === unknownServer && names(placed, visit.port)) ??
    (visit.isNamed ? undefined : all.find(({ run }) => run.server === unknownServer));
  if (!found) return undefined;
  const { run, placed } = found;
  const files = filesAt(
    run,
    nowMs,
    (visit.earlier ?? []).map(({ data }) => data),
  );
  if (run.visited) return visitAnswered(run.visited, placed.spec.name, visit);
  const server = run.server ?? unknownServer;
  const from = visit.from ?? visit.proxyAddress ?? proxyAddress;
  const image = softwareName(placed.spec.image, view ?? {});
  const own = { files, host: hostnameOf(pod), address: pod.status.podIP ?? "", image };
  const errand = view && new Errand(pod, view, visit);
  const others = errand && {
    reach: (contact: Contact) => errand.reach(contact),
    cluster: errand.cluster(),
    pays: (units: number) => errand.pay(units),
    run: (script: string) => errand.run(placed, run, files, script),
    resolve: (host: string) => errand.resolve(placed, run, files, host),
  };
  const recent = () => logLinesOf(run.outside, visit.earlier);
  const sinceMs = run.ports.get(port) ?? nowMs;
  // Two equal requests of a proxy's client in one moment count twice: the server has written more by then.
  const number = visit.from === undefined ? files.bytes : numberOf(visit);
  const { edits = [], ...page } = server.answer({ ...visit, ...own, ...others, from, recent, sinceMs, number });
  const atMs = nowMs + (page.tookMs ?? 0);
  const left = edits.map((one) => dated(one, atMs));
  const onward = errand?.waitsFor ?? [];
  return {
    status: 200,
    ...page,
    ...(onward.length > 0 ? { onward } : {}),
    ...(left.length > 0 ? { changes: { container: placed.spec.name, edits: left } } : {}),
  };
}

/** Lines of visitors that are kept, with those of this run. */
function logLinesOf(kept: readonly Edit[], earlier: readonly VisitEdits[] = []): readonly Edit[] {
  return [...kept.filter(isLine), ...earlier.flatMap(({ lines }) => lines)].sort((a, b) => a.atMs - b.atMs);
}

/** How long a program may take for a visitor. */
const visitMs = 30_000;

/** A program's own code answers; what the visit is, is kept as an input of its run. */
function visitAnswered(visited: NonNullable<Trace["visited"]>, container: string, visit: PortVisit): PortAnswered {
  const { method, path, headers, body, port, nowMs, data } = visit;
  const from = visit.from ?? visit.proxyAddress ?? proxyAddress;
  const asked = { method, path, headers, body: data ?? body, port, from };
  const own = { id: stableHex(JSON.stringify([nowMs, numberOf(visit), asked]), 16), ...asked };
  const { answer, work } = visited(
    own,
    nowMs,
    visitMs,
    visit.earlier?.flatMap(({ data }) => data.filter(({ atMs }) => atMs <= nowMs)),
  );
  visit.pays?.(work);
  const edits = [{ atMs: nowMs, ...visitEdit(own) }];
  const kept = { changes: { container, edits } };
  if (!answer) return { status: 504, contentType: "text/plain", body: "", tookMs: Number.POSITIVE_INFINITY, ...kept };
  // It closed the connection without a word.
  if (answer.status === 0) return { status: 502, contentType: "text/plain", body: "", ...kept };
  const isType = ([name]: readonly [string, string]) => name.toLowerCase() === "content-type";
  const dropped = /^(content-type|content-length|transfer-encoding|connection|date|keep-alive|server)$/i;
  const product = answer.headers.find(([name]) => name.toLowerCase() === "server")?.[1];
  return {
    status: answer.status,
    contentType: answer.headers.find(isType)?.[1] ?? "",
    headers: answer.headers.filter(([name]) => !dropped.test(name)),
    body: method === "HEAD" ? "" : answer.body,
    tookMs: answer.atMs - nowMs,
    ...(product === undefined ? {} : { product }),
    ...kept,
  };
}

/** Whom the API's proxies come from, as a server of the cluster sees them. */
const proxyAddress = "10.128.0.1";

/** What a server may do for one visitor: whoever asks pays for it, and past a bound nothing more is done. */
class Errand {
  readonly #pod: Pod;
  readonly #view: ClusterView;
  readonly #visit: PortVisit;
  #left: number = limits.probeWork;
  #reach: ((contact: Contact) => Reached) | undefined;
  readonly #waitsFor = new Set<string>();

  constructor(pod: Pod, view: ClusterView, visit: PortVisit) {
    this.#pod = pod;
    this.#view = view;
    this.#visit = visit;
  }

  /** A connection from the pod. */
  reach(contact: Contact): Reached {
    this.pay(dialWork);
    if (this.#left <= 0) return { kind: "dropped" };
    this.#reach ??= this.#view.network?.(this.#pod);
    const reached = this.#reach?.({ ...contact, pays: (units) => this.pay(units) }) ?? { kind: "dropped" };
    const { waitsFor, through, onward = [] } = reached;
    for (const key of [waitsFor, through, ...onward]) if (key !== undefined) this.#heed(key);
    return reached;
  }

  /** The keys of what would change the answers that the server got, as many as are remembered. */
  get waitsFor(): readonly string[] {
    return [...this.#waitsFor];
  }

  #heed(key: string): void {
    if (this.#waitsFor.size < maxWaitsFor) this.#waitsFor.add(key);
  }

  /** The cluster's objects; undefined if the view has none. */
  cluster(): ClusterReader | undefined {
    const { client } = this.#view;
    return client && { client, pays: (units) => this.pay(units), isSpent: () => this.#left <= 0 };
  }

  /** A script in the server's container. */
  run({ spec }: Placed, { ports }: Trace, files: Files, script: string): Ran {
    if (this.#left <= 0) return { text: "", exitCode: killedCode, edits: [] };
    const words = ["/bin/sh", "-c", script];
    const { nowMs } = this.#visit;
    const bounds = { nowMs, untilMs: nowMs + scriptMs, work: this.#left };
    const done = execIn({ pod: this.#pod, container: spec, view: this.#view, words, files, ports, ...bounds });
    if ("missing" in done) return { text: `${done.missing}\n`, exitCode: 127, edits: [] };
    this.pay(done.work + followWork);
    for (const key of done.waitsFor) this.#heed(key);
    const text = done.chunks.map((one) => one.text).join("");
    return { text, exitCode: done.end?.exitCode ?? killedCode, edits: done.edits };
  }

  /** The address behind a name. */
  resolve(placed: Placed, run: Trace, files: Files, host: string): string | undefined {
    return addressIn(this.run(placed, run, files, askForName(host)).text);
  }

  pay(units: number): void {
    this.#left -= units;
    this.#visit.pays?.(units);
  }
}

/** What opening a connection costs, beside what runs at its other end. */
const dialWork = 20;
const maxWaitsFor = 50;
/** A server that runs a script waits for it no longer. */
const scriptMs = 30_000;
const killedCode = 137;

/** Tells what a run asks twice in one moment from what it asks once and is worked out again: how much it did here before. */
function numberOf({ earlier: [own] = [] }: PortVisit): number {
  return own ? own.data.length + own.lines.length : 0;
}

function names({ spec }: Placed, port: number): boolean {
  return spec.ports?.some((one) => one.containerPort === port) ?? false;
}
