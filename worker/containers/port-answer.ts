// Computes a pod's answer to a request at one of its ports.
import { limits } from "../../shared/base/limits.ts";
import type { PodRuns } from "./pod-runs.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { placedOf } from "./output.ts";
import { hostnameOf } from "./run/hosts.ts";
import { softwareName } from "./images/image-lookup.ts";
import { filesAt } from "./run/files-at.ts";
import { execIn } from "./run/run.ts";
import { type Placed, presentRun } from "./run/shared.ts";
import { isLine, nextDataChangeMs, type VisitEdits } from "./run/visits.ts";
import type { ClusterView } from "./run/world.ts";
import type { ServerAnswer, PortRequest } from "../../shared/k8s/port-request.ts";
import type { Edit, Files } from "./shell/files.ts";
import { type Contact, portKey, type Protocol, type Reached } from "./shell/contact.ts";
import { addressIn, getentCommand } from "./shell/programs/names/getent.ts";
import { unknownServer } from "./shell/not-simulated.ts";
import { type ClusterReader, dated, type Ran } from "./shell/server.ts";
import type { Trace } from "./shell/trace.ts";
import type { VisitCalls } from "./wasm/visit-calls.ts";
import { visitEdit } from "./wasm/visits.ts";
import { stableHex } from "../../shared/base/stable.ts";

export interface PortVisit extends PortRequest {
  readonly port: number;
  /** Default: TCP. */
  readonly protocol?: Protocol;
  /** The bytes of a client that does not speak HTTP. */
  readonly data?: string;
  readonly nowMs: number;
  /** If set, an unknown server answers only at ports that its container names, because others share the address. */
  readonly isNamed?: boolean;
  /** The address of the client; undefined for a proxy of the API. */
  readonly from?: string;
  /** The address that a server sees for a proxy; default: as with the clusters' default ranges. */
  readonly proxyAddress?: string;
  /** Effects of requests that the server's run does not include yet; those of the requesting run come first. */
  readonly earlier?: readonly VisitEdits[];
  /** Receives the units of work that the server does for the request. */
  readonly pays?: ((units: number) => void) | undefined;
}

/** How far a run is followed ahead, so that the next request need not follow it again. */
const aheadMs = 60_000;
/** The number of file changes that one unit of work can search. */
const editsPerUnit = 500;
/** The work of following a run, in addition to what the run does. */
const followWork = 50;

/** Returns the runs of a pod's containers. `except`: a container to leave out. `limit`: the work that following all of them may take. */
export function runsOf(pod: Pod, view: ClusterView, except?: string, limit?: number): PodRuns {
  const runsByContainer = new Map<string, { readonly run: Trace; readonly untilMs: number }>();
  let work = 0;
  const containers = placedOf(pod);
  const running = containers.filter(({ spec, status }) => status.state.running && spec.name !== except);
  const knownOf = ({ spec }: Placed, nowMs: number) => {
    const cachedRun = runsByContainer.get(spec.name);
    const isKnown = cachedRun && (cachedRun.run.isSpent || Math.max(cachedRun.run.knownMs, cachedRun.untilMs) > nowMs);
    return isKnown ? cachedRun.run : undefined;
  };
  const at: PodRuns["at"] = (nowMs) =>
    running.flatMap((placed) => {
      const untilMs = nowMs + aheadMs;
      const cachedRun = knownOf(placed, nowMs);
      // The answers of a program's own server follow from its visits; its ports do not.
      const bounds = { untilMs, isVisited: false, ...(limit === undefined ? {} : { work: limit / running.length }) };
      const run = cachedRun ?? presentRun({ pod, view, containers, alone: new Map() }, placed, bounds);
      if (run && !cachedRun) {
        runsByContainer.set(placed.spec.name, { run, untilMs });
        work += run.work + followWork;
      }
      return run ? [{ placed, run }] : [];
    });
  return {
    at,
    knows: (nowMs) => running.every((placed) => knownOf(placed, nowMs) !== undefined),
    haveNoConnections: () => [...runsByContainer.values()].every(({ run }) => !run.hasAsked) && !hasMountedObjects(pod),
    work: () => work,
    nextListenMs: (port, afterMs) => {
      const times = at(afterMs).map(({ run }) => run.ports.get(port) ?? Number.POSITIVE_INFINITY);
      return Math.min(Number.POSITIVE_INFINITY, ...times.filter((ms) => ms > afterMs));
    },
    nextChangeMs: (afterMs) =>
      at(afterMs).reduce((nextMs, { run: { edits, outside, knownMs } }) => {
        work += (edits.length + outside.length) / editsPerUnit;
        const knownUntilMs = knownMs > afterMs ? knownMs : Number.POSITIVE_INFINITY;
        return Math.min(nextMs, knownUntilMs, nextDataChangeMs(edits, afterMs), nextDataChangeMs(outside, afterMs));
      }, Number.POSITIVE_INFINITY),
  };
}

/** Reports whether files of the pod change with objects of the cluster. Tokens of service accounts change nothing that a program prints. */
function hasMountedObjects({ spec: { volumes = [] } }: Pod): boolean {
  return volumes.some(
    ({ name, configMap, secret, downwardAPI, projected }) =>
      configMap || secret || downwardAPI || (projected && !name.startsWith("kube-api-access-")),
  );
}

export interface PortAnswered extends ServerAnswer {
  /** The changes that the answer makes in a container. */
  readonly changes?: { readonly container: string; readonly edits: readonly Edit[] };
  /** The keys of what the server asked for its answer: see `Reached`. */
  readonly dependsOn?: readonly string[];
  /** The connections that a program's own server opened for the answer. */
  readonly onward?: Pick<VisitCalls, "changesData" | "validUntilMs"> | undefined;
  /** The time that the answer takes; Infinity if it is never given. */
  readonly tookMs?: number;
}

/** Returns the answer of a pod; undefined if nothing listens at the port. `view`: the cluster in which the server may send requests. */
export function portAnswer(pod: Pod, runs: PodRuns, visit: PortVisit, view?: ClusterView): PortAnswered | undefined {
  const { nowMs } = visit;
  const port = portKey(visit.port, visit.protocol);
  const all = runs.at(nowMs);
  const listener =
    all.find(({ run }) => (run.ports.get(port) ?? Number.POSITIVE_INFINITY) <= nowMs) ??
    all.find(({ run, placed }) => run.server === unknownServer && names(placed, visit.port)) ??
    (visit.isNamed ? undefined : all.find(({ run }) => run.server === unknownServer));
  if (!listener) return undefined;
  const { run, placed } = listener;
  const files = filesAt(
    run,
    nowMs,
    (visit.earlier ?? []).map(({ data }) => data),
  );
  if (run.visited) return visitAnswered(run.visited, placed.spec.name, visit, view && new Errand(pod, view, visit));
  const server = run.server ?? unknownServer;
  const from = visit.from ?? visit.proxyAddress ?? proxyAddress;
  const image = softwareName(placed.spec.image, view ?? {});
  const serverFacts = { files, host: hostnameOf(pod), address: pod.status.podIP ?? "", image };
  const errand = view && new Errand(pod, view, visit);
  const clusterAccess = errand && {
    reach: (contact: Contact) => errand.reach(contact),
    cluster: errand.cluster(),
    pays: (units: number) => errand.pay(units),
    run: (script: string) => errand.run(placed, run, files, script),
    resolve: (host: string) => errand.resolve(placed, run, files, host),
  };
  const recent = () => logLinesOf(run.outside, visit.earlier);
  const sinceMs = run.ports.get(port) ?? nowMs;
  // Two equal requests of a proxy's client at the same time count as two: the server has written more by the second.
  const number = visit.from === undefined ? files.bytes : numberOf(visit);
  const { edits = [], ...page } = server.answer({
    ...visit,
    ...serverFacts,
    ...clusterAccess,
    from,
    recent,
    sinceMs,
    number,
  });
  const atMs = nowMs + (page.tookMs ?? 0);
  const datedEdits = edits.map((edit) => dated(edit, atMs));
  const dependsOn = errand?.waitsFor ?? [];
  return {
    status: 200,
    ...page,
    ...(dependsOn.length > 0 ? { dependsOn } : {}),
    ...(datedEdits.length > 0 ? { changes: { container: placed.spec.name, edits: datedEdits } } : {}),
  };
}

/** Returns the stored log lines of visitors, with those of this run. */
function logLinesOf(storedEdits: readonly Edit[], earlier: readonly VisitEdits[] = []): readonly Edit[] {
  return [...storedEdits.filter(isLine), ...earlier.flatMap(({ lines }) => lines)].sort((a, b) => a.atMs - b.atMs);
}

/** The time that a program may take for a visitor. */
const visitMs = 30_000;

/** Lets a program's own code answer. The request is stored as an input of the program's run, with the connections that the program opened for it. */
function visitAnswered(
  visited: NonNullable<Trace["visited"]>,
  container: string,
  visit: PortVisit,
  errand: Errand | undefined,
): PortAnswered {
  const { method, path, headers, body, port, nowMs, data } = visit;
  const from = visit.from ?? visit.proxyAddress ?? proxyAddress;
  const request = { method, path, headers, body: data ?? body, port, from };
  const identifiedVisit = { id: stableHex(JSON.stringify([nowMs, numberOf(visit), request]), 16), ...request };
  const { answer, calls, work } = visited(identifiedVisit, {
    atMs: nowMs,
    limitMs: visitMs,
    earlier: visit.earlier?.flatMap(({ data }) => data.filter(({ atMs }) => atMs <= nowMs)),
    reach: errand && ((contact) => errand.reach(contact)),
  });
  visit.pays?.(work);
  const edits = [{ atMs: nowMs, ...visitEdit(calls ? { ...identifiedVisit, calls: calls.stored } : identifiedVisit) }];
  const recorded = { changes: { container, edits }, onward: calls };
  if (!answer)
    return { status: 504, contentType: "text/plain", body: "", tookMs: Number.POSITIVE_INFINITY, ...recorded };
  // The program closed the connection without an answer.
  if (answer.status === 0) return { status: 502, contentType: "text/plain", body: "", ...recorded };
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
    ...recorded,
  };
}

/** The default address of the API's proxies, as a server of the cluster sees them. */
const proxyAddress = "10.128.0.1";

/** The cluster access of a server during one request. The client pays for the work, and past a bound nothing more is done. */
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

  /** Opens a connection from the pod. */
  reach(contact: Contact): Reached {
    this.pay(dialWork);
    if (this.#left <= 0) return { kind: "dropped" };
    this.#reach ??= this.#view.network?.(this.#pod);
    const reached = this.#reach?.({ ...contact, pays: (units) => this.pay(units) }) ?? { kind: "dropped" };
    const { waitsFor, through, dependsOn = [] } = reached;
    for (const key of [waitsFor, through, ...dependsOn]) if (key !== undefined) this.#heed(key);
    return reached;
  }

  /** The keys of what would change the answers that the server got, as many as are remembered. */
  get waitsFor(): readonly string[] {
    return [...this.#waitsFor];
  }

  #heed(key: string): void {
    if (this.#waitsFor.size < maxWaitsFor) this.#waitsFor.add(key);
  }

  /** Returns a reader of the cluster's objects; undefined if the view has none. */
  cluster(): ClusterReader | undefined {
    const { client } = this.#view;
    return client && { client, pays: (units) => this.pay(units), isSpent: () => this.#left <= 0 };
  }

  /** Runs a script in the server's container. */
  run({ spec }: Placed, { ports }: Trace, files: Files, script: string): Ran {
    if (this.#left <= 0) return { text: "", exitCode: killedCode, edits: [] };
    const words = ["/bin/sh", "-c", script];
    const { nowMs } = this.#visit;
    const bounds = { nowMs, untilMs: nowMs + scriptMs, work: this.#left };
    const done = execIn({ pod: this.#pod, container: spec, view: this.#view, words, files, ports, ...bounds });
    if ("missing" in done) return { text: `${done.missing}\n`, exitCode: 127, edits: [] };
    this.pay(done.work + followWork);
    for (const key of done.waitsFor) this.#heed(key);
    const text = done.chunks.map((chunk) => chunk.text).join("");
    return { text, exitCode: done.end?.exitCode ?? killedCode, edits: done.edits };
  }

  /** Resolves a name to an address. */
  resolve(placed: Placed, run: Trace, files: Files, host: string): string | undefined {
    return addressIn(this.run(placed, run, files, getentCommand(host)).text);
  }

  pay(units: number): void {
    this.#left -= units;
    this.#visit.pays?.(units);
  }
}

/** The work of opening a connection, in addition to what the other end does. */
const dialWork = 20;
const maxWaitsFor = 50;
/** The time limit of a script that a server runs. */
const scriptMs = 30_000;
const killedCode = 137;

/** Returns how much a run did at this server before, which distinguishes two equal requests from one request that is computed again. */
function numberOf({ earlier: [runEffects] = [] }: PortVisit): number {
  return runEffects ? runEffects.data.length + runEffects.lines.length : 0;
}

function names({ spec }: Placed, port: number): boolean {
  return spec.ports?.some((containerPort) => containerPort.containerPort === port) ?? false;
}
