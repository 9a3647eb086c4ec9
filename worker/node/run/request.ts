// Questions that a kubelet asks a running container: a command, an HTTP request, a connection.
import { limits } from "../../../shared/base/limits.ts";
import type { Container, HTTPGetAction, LifecycleHandler, Pod, Probe } from "../../../shared/k8s/api/core-v1.ts";
import type { PortRequest } from "../../../shared/k8s/port-request.ts";
import type { Edit, Files } from "../shell/files.ts";
import { streamOf } from "../shell/from-outside.ts";
import type { Chunk, Contact, Reached } from "../shell/process.ts";
import { addressIn, askForName } from "../shell/programs/names/asked.ts";
import { dated, type PageEdit } from "../shell/programs/page.ts";
import { unknownServer } from "../shell/programs.ts";
import { pageOf } from "../shell/programs/pages.ts";
import { statusChangesMs, statusOf } from "../shell/programs/servers.ts";
import type { Trace } from "../shell/trace.ts";
import { must } from "../../../shared/base/assert.ts";
import { visitEdit, visitPath } from "../wasm/visits.ts";
import { filesAt } from "./files-at.ts";
import { hostnameOf } from "./hosts.ts";
import { execIn } from "./run.ts";
import type { Affects, ClusterView } from "./world.ts";

export interface ProbedContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly view: ClusterView;
  readonly podIp: string;
  readonly run: Trace;
  /** Other containers of the pod: they share its network. */
  readonly beside: readonly Beside[];
  /** Units of work that a command may cost; a hook's, if it is not said. */
  readonly work?: number;
}

export interface Beside {
  readonly container: Container;
  readonly run: Trace;
}

/** What asking did to a container. */
export interface Effect {
  readonly pod: Pod;
  readonly container: string;
  readonly edits: readonly Edit[];
}

export interface Answer {
  readonly ok: boolean;
  /** What is said of a failure. */
  readonly message: string;
  /** It was not answered: the result is thrown away. */
  readonly errored?: boolean;
  readonly exitCode?: number;
  /** Units of work that finding it out took. */
  readonly work?: number;
  /** How long it took. */
  readonly tookMs: number;
  /** The same answer is given before this moment. */
  readonly untilMs: number;
  /** The lines that a server's log has of it, in the order in which they were written. */
  readonly wrote?: readonly Wrote[];
  /** What would make it another: `service/<namespace>/<name>`, as containers wait for it. */
  readonly waitsFor?: readonly string[];
}

/** What a server writes of one visitor, at any moment at which that one might come; or the visit, where a program's own code writes. */
export type Wrote = { readonly container: string } & (
  | { readonly stream: Chunk["stream"]; readonly textAt: (atMs: number) => string }
  | { readonly editAt: (atMs: number) => Edit }
);

/** What a hook found, and what it did to containers. */
export interface HookAnswer extends Answer {
  readonly effects: readonly Effect[];
}

/** A hook is asked once, and what comes of it elsewhere is kept; a server's word is enough, whatever its status. */
export function askHook(asked: ProbedContainer, hook: LifecycleHandler, timeoutMs: number, nowMs: number): HookAnswer {
  const effects: Effect[] = [];
  const affects: Affects = (pod, container, edits) => void effects.push({ pod, container, edits });
  const view = asked.view.affecting?.(affects) ?? asked.view;
  return { ...ask({ ...asked, view }, hook, timeoutMs, nowMs, affects), effects };
}

/** What asking a container costs, beside what it does. */
const askWork = 30;
const forever = Number.POSITIVE_INFINITY;

/** `affects`: told of what a hook does to the pod's own servers; absent for a probe. */
export function ask(
  asked: ProbedContainer,
  handler: Probe | LifecycleHandler,
  timeoutMs: number,
  nowMs: number,
  affects?: Affects,
): Answer {
  if (handler.exec) return execute(asked, handler.exec.command ?? [], timeoutMs, nowMs);
  if ("sleep" in handler && handler.sleep) {
    return { ok: true, message: "", tookMs: handler.sleep.seconds * 1000, untilMs: forever };
  }
  if (handler.httpGet) return httpGet(asked, handler.httpGet, timeoutMs, nowMs, affects);
  if (handler.tcpSocket) {
    if (handler.tcpSocket.host) return fine;
    return connected(asked, portOf(asked.container, handler.tcpSocket.port), nowMs, (address) => refused(address));
  }
  if ("grpc" in handler && handler.grpc) {
    const seconds = Math.round(timeoutMs / 1000);
    return connected(
      asked,
      handler.grpc.port,
      nowMs,
      (address) => `timeout: failed to connect service "${address}" within ${seconds}s: context deadline exceeded`,
    );
  }
  return fine;
}

const fine: Answer = { ok: true, message: "", tookMs: 0, untilMs: forever };

function refused(address: string): string {
  return `dial tcp ${address}: connect: connection refused`;
}

/** A port by number, or by the name that the container gives it. */
function portOf({ ports }: Container, port: number | string): number {
  if (typeof port === "number") return port;
  return ports?.find((one) => one.name === port)?.containerPort ?? (Number(port) || 0);
}

/** Which container of the pod listens there; undefined if none does. */
function listener(
  { run, container, beside }: ProbedContainer,
  port: number,
  nowMs: number,
): Beside | "any" | undefined {
  const runs = [{ container, run }, ...beside];
  const found = runs.find((one) => (one.run.ports.get(port) ?? forever) <= nowMs);
  if (found) return found;
  return runs.some((one) => one.run.server === unknownServer) ? "any" : undefined;
}

/** When what listens may change. */
function changesMs({ run, beside }: ProbedContainer, nowMs: number): number {
  const times = [run, ...beside.map((one) => one.run)].flatMap((one) => [
    ...one.ports.values(),
    statusChangesMs(one.server, one.ports, nowMs),
  ]);
  return Math.min(forever, ...times.filter((time) => time > nowMs));
}

/** A server may send a probe on so often; it follows within the pod. */
const mostRedirects = 10;

function httpGet(
  asked: ProbedContainer,
  { host, path = "", port: named, scheme = "HTTP", httpHeaders = [] }: HTTPGetAction,
  timeoutMs: number,
  nowMs: number,
  affects: Affects | undefined,
): Answer {
  const port = portOf(asked.container, named);
  const headers = httpHeaders.map(({ name, value }) => [name, value] as const);
  const wanted = { port, scheme: scheme.toLowerCase(), headers };
  let way = path.startsWith("/") ? path : `/${path}`;
  if (host && host !== asked.podIp) return fetchedElsewhere(asked, host, { ...wanted, path: way }, nowMs, affects);
  const wrote: Wrote[] = [];
  for (let count = 0; ; count++) {
    const answer = fetched(asked, { ...wanted, path: way }, timeoutMs, nowMs, affects);
    wrote.push(...(answer.wrote ?? []));
    const to = answer.location;
    if (to === undefined || affects || !to.startsWith("/") || count >= mostRedirects) return { ...answer, wrote };
    way = to;
  }
}

/** Whom a server sees: the node's end of the pod's link, or the node itself where the pod is on its network. */
function kubeletAddress({ pod, podIp }: Pick<ProbedContainer, "pod" | "podIp">): string {
  if (pod.spec.hostNetwork) return pod.status.hostIP ?? podIp;
  return `${podIp.slice(0, Math.max(podIp.lastIndexOf("."), podIp.lastIndexOf(":")) + 1)}1`;
}

/** What a kubelet's client sends beside what the probe says. */
function probeHeaders(headers: PortRequest["headers"], host: string): PortRequest["headers"] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const own = [["Host", host] as const, ["User-Agent", kubeletAgent] as const, ["Accept", "*/*"] as const];
  return [...own.filter(([name]) => !names.has(name.toLowerCase())), ...headers, ["Connection", "close"] as const];
}

interface Wanted {
  readonly path: string;
  readonly port: number;
  readonly scheme: string;
  readonly headers: PortRequest["headers"];
}

function fetched(
  asked: ProbedContainer,
  { path, port, scheme, headers }: Wanted,
  timeoutMs: number,
  nowMs: number,
  affects: Affects | undefined,
): Answer & { readonly location?: string } {
  const found = listener(asked, port, nowMs);
  let untilMs = changesMs(asked, nowMs);
  if (found === "any") return { ...fine, untilMs };
  const { pod, podIp } = asked;
  const failed = (why: string, tookMs = 0): Answer => {
    const message = `Get "${scheme}://${podIp}:${port}${path}": ${why}`;
    return { ok: false, message, tookMs, untilMs };
  };
  if (!found) return failed(refused(`${podIp}:${port}`));
  const { run, container } = found;
  untilMs = Math.min(untilMs, editedMs(run, nowMs));
  const files = filesAt(run, nowMs);
  const server = run.server ?? "";
  const status = statusOf({ server, ports: run.ports, files }, port, path, nowMs) ?? 200;
  const own = { server, files, host: hostnameOf(pod), address: podIp, image: container.image ?? "", port, status };
  const request = { method: "GET", path, headers: probeHeaders(headers, `${podIp}:${port}`), body: "" };
  if (run.visited) return visitedBy(asked, found, { ...request, port }, timeoutMs, nowMs, { untilMs, affects, failed });
  const onward = onwardFrom(asked, found, files, nowMs);
  const isTls = scheme === "https";
  const page = pageOf({ ...request, ...own, ...onward, isTls, nowMs, from: kubeletAddress(asked) });
  untilMs = Math.min(untilMs, onward.newsMs());
  const waitsFor = onward.waitsFor();
  const tookMs = page.tookMs ?? 0;
  const wrote = wroteOf(container.name, page.edits);
  if (tookMs >= timeoutMs)
    return {
      ...failed("context deadline exceeded (Client.Timeout exceeded while awaiting headers)", timeoutMs),
      wrote,
      waitsFor,
    };
  if (page.edits?.length)
    affects?.(
      pod,
      container.name,
      page.edits.map((one) => dated(one, nowMs)),
    );
  const code = page.status ?? status;
  const ok = affects !== undefined || (code >= 200 && code < 400);
  const location = code >= 300 ? page.headers?.find(([name]) => name.toLowerCase() === "location")?.[1] : undefined;
  const message = ok ? "" : `HTTP probe failed with statuscode: ${code}`;
  return { ok, message, tookMs, untilMs, wrote, waitsFor, ...(location === undefined ? {} : { location }) };
}

/** How the server asks others for a probe: what they say may be otherwise later, and something may tell when. */
function onwardFrom(
  { pod, view, work = limits.probeWork }: ProbedContainer,
  { run, container }: Beside,
  files: Files,
  nowMs: number,
) {
  const waitsFor = new Set<string>();
  let newsMs = forever;
  const open = view.network?.(pod);
  const reach = (contact: Contact): Reached => {
    const reached = open?.(contact) ?? { kind: "dropped" };
    if (reached.newsMs !== undefined && reached.newsMs > nowMs) newsMs = Math.min(newsMs, reached.newsMs);
    for (const one of [reached.waitsFor, reached.through]) if (one !== undefined) waitsFor.add(one);
    return reached;
  };
  const resolve = (host: string) => {
    const words = ["/bin/sh", "-c", askForName(host)];
    const done = execIn({
      pod,
      container,
      view,
      words,
      files,
      ports: run.ports,
      nowMs,
      untilMs: nowMs + resolveMs,
      work,
    });
    if ("missing" in done) return undefined;
    for (const one of done.waitsFor) waitsFor.add(one);
    return addressIn(done.chunks.map(({ text }) => text).join(""));
  };
  return { ...(open ? { reach } : {}), resolve, newsMs: () => newsMs, waitsFor: () => [...waitsFor] };
}

/** A resolver is given up after that. */
const resolveMs = 10_000;

function wroteOf(container: string, edits: readonly PageEdit[] = []): Wrote[] {
  return edits.flatMap(({ path, text = "", textAt = () => text }) => {
    const stream = streamOf(path);
    return stream === undefined ? [] : [{ container, stream, textAt }];
  });
}

/** A program's own code answers. What it says holds until something changes, unless it looked at its clock. */
function visitedBy(
  { pod, podIp }: ProbedContainer,
  { run, container }: Beside,
  request: PortRequest & { readonly port: number },
  timeoutMs: number,
  nowMs: number,
  asked: {
    readonly untilMs: number;
    readonly affects: Affects | undefined;
    readonly failed: (why: string, tookMs?: number) => Answer;
  },
): Answer & { readonly location?: string } {
  const visitAt = (atMs: number) => ({ id: `probe/${atMs}`, ...request, from: kubeletAddress({ pod, podIp }) });
  const visit = visitAt(nowMs);
  const { answer, work } = must(run.visited, "a program that answers")(visit, nowMs, timeoutMs);
  const wrote = [{ container: container.name, editAt: (atMs: number) => ({ atMs, ...visitEdit(visitAt(atMs)) }) }];
  const { affects, failed } = asked;
  affects?.(pod, container.name, [{ atMs: nowMs, ...visitEdit(visit) }]);
  if (!answer) {
    const why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    return { ...failed(why, timeoutMs), untilMs: nowMs + 1, work, wrote };
  }
  const untilMs = answer.isPassing ? nowMs + 1 : asked.untilMs;
  const code = answer.status;
  const ok = affects !== undefined || (code >= 200 && code < 400);
  const location = code >= 300 ? answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1] : undefined;
  const message = ok
    ? ""
    : code === 0
      ? `Get "http://${podIp}:${request.port}${request.path}": EOF`
      : `HTTP probe failed with statuscode: ${code}`;
  const tookMs = answer.atMs - nowMs;
  return { ok, message, tookMs, untilMs, work, wrote, ...(location === undefined ? {} : { location }) };
}

const kubeletAgent = "kube-probe/1.36";

/** A host of the user's own is asked over the network; what is outside is fine. */
function fetchedElsewhere(
  { pod, view }: ProbedContainer,
  host: string,
  { path, port, scheme, headers }: Wanted,
  nowMs: number,
  affects: Affects | undefined,
): Answer {
  const request = { method: "GET", path, headers: [["Host", `${host}:${port}`] as const, ...headers], body: "" };
  const reached = view.network?.(pod)({ address: host, port, atMs: nowMs, request });
  if (!reached || reached.kind === "outside") return fine;
  const failed = (message: string) => ({ ok: false, message, tookMs: 0, untilMs: forever });
  const { answer } = reached;
  if (!answer) return failed(`Get "${scheme}://${host}:${port}${path}": ${refused(`${host}:${port}`)}`);
  if (affects || (answer.status >= 200 && answer.status < 400)) return fine;
  return failed(`HTTP probe failed with statuscode: ${answer.status}`);
}

/** When a run's files change next, or are not known any more. */
function editedMs({ edits, outside, knownMs }: Trace, nowMs: number): number {
  const next = [edits, outside].map((those) => {
    return (
      those.find(({ atMs, path }) => atMs > nowMs && (!path.startsWith("/proc/") || path === visitPath))?.atMs ??
      forever
    );
  });
  return Math.min(...next, knownMs > nowMs ? knownMs : forever);
}

function connected(asked: ProbedContainer, port: number, nowMs: number, problem: (address: string) => string): Answer {
  const untilMs = changesMs(asked, nowMs);
  if (listener(asked, port, nowMs)) return { ...fine, untilMs };
  return { ok: false, message: problem(`${asked.podIp}:${port}`), tookMs: 0, untilMs };
}

function execute(asked: ProbedContainer, words: readonly string[], timeoutMs: number, nowMs: number): Answer {
  const { pod, container, view, run } = asked;
  const untilMs = Math.min(editedMs(run, nowMs), changesMs(asked, nowMs));
  const done = execIn({
    pod,
    container,
    view,
    words,
    files: filesAt(run, nowMs),
    ports: portsOf(asked),
    nowMs,
    untilMs: nowMs + timeoutMs,
    work: asked.work ?? limits.probeWork,
  });
  if ("missing" in done) {
    const message = `rpc error: code = Unknown desc = failed to exec in container: failed to start exec: OCI runtime exec failed: exec failed: unable to start container process: ${done.missing}`;
    return { ok: false, errored: true, message, tookMs: 0, untilMs };
  }
  if (!done.end) {
    const seconds = Math.round(timeoutMs / 1000);
    return {
      ok: false,
      message: `command timed out: "${words.join(" ")}" timed out after ${seconds}s`,
      tookMs: timeoutMs,
      untilMs,
      work: done.work + askWork,
    };
  }
  const message = done.chunks.map((one) => one.text).join("");
  const { exitCode, atMs } = done.end;
  return { ok: exitCode === 0, exitCode, message, tookMs: atMs - nowMs, untilMs, work: done.work + askWork };
}

function portsOf({ run, beside }: ProbedContainer): ReadonlyMap<number, number> {
  return new Map([run, ...beside.map((one) => one.run)].flatMap((one) => [...one.ports]));
}
