// Questions that a kubelet asks a running container: a command, an HTTP request, a connection.
import { limits } from "../../../shared/base/limits.ts";
import type { Container, LifecycleHandler, Pod, Probe } from "../../../shared/k8s/api/core-v1.ts";
import { applyEdit, type Edit, type Files } from "../shell/files.ts";
import { unknownServer } from "../shell/programs.ts";
import { statusChangesMs, statusOf } from "../shell/programs/servers.ts";
import type { Trace } from "../shell/trace.ts";
import { execIn } from "./run.ts";
import type { ClusterView } from "./world.ts";

export interface ProbedContainer {
  readonly pod: Pod;
  readonly container: Container;
  readonly view: ClusterView;
  readonly podIp: string;
  readonly run: Trace;
  /** Other containers of the pod: they share its network. */
  readonly beside: readonly Trace[];
  /** Units of work that a command may cost; a hook's, if it is not said. */
  readonly work?: number;
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
}

/** What asking a container costs, beside what it does. */
const askWork = 30;
const forever = Number.POSITIVE_INFINITY;

export function ask(
  asked: ProbedContainer,
  handler: Probe | LifecycleHandler,
  timeoutMs: number,
  nowMs: number,
): Answer {
  if (handler.exec) return execute(asked, handler.exec.command ?? [], timeoutMs, nowMs);
  if ("sleep" in handler && handler.sleep) {
    return { ok: true, message: "", tookMs: handler.sleep.seconds * 1000, untilMs: forever };
  }
  if (handler.httpGet) {
    const { host, path = "", port, scheme = "HTTP" } = handler.httpGet;
    if (host) return fine;
    return fetched(asked, { path, port: portOf(asked.container, port), scheme: scheme.toLowerCase() }, nowMs);
  }
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

interface Served {
  readonly server: string | undefined;
  readonly ports: ReadonlyMap<number, number>;
  readonly files: Files;
}

/** Which container of the pod listens there; undefined if none does. */
function listener({ run, beside }: ProbedContainer, port: number, nowMs: number): Served | "any" | undefined {
  const runs = [run, ...beside];
  const found = runs.find((one) => (one.ports.get(port) ?? forever) <= nowMs);
  if (found) return { server: found.server, ports: found.ports, files: filesAt(found, nowMs) };
  return runs.some((one) => one.server === unknownServer) ? "any" : undefined;
}

/** When what listens may change. */
function changesMs({ run, beside }: ProbedContainer, nowMs: number): number {
  const times = [run, ...beside].flatMap((one) => [
    ...one.ports.values(),
    statusChangesMs(one.server, one.ports, nowMs),
  ]);
  return Math.min(forever, ...times.filter((time) => time > nowMs));
}

function fetched(
  asked: ProbedContainer,
  { path, port, scheme }: { readonly path: string; readonly port: number; readonly scheme: string },
  nowMs: number,
): Answer {
  const served = listener(asked, port, nowMs);
  const untilMs = changesMs(asked, nowMs);
  if (served === "any") return { ...fine, untilMs };
  const way = path.startsWith("/") ? path : `/${path}`;
  if (!served) {
    const message = `Get "${scheme}://${asked.podIp}:${port}${way}": ${refused(`${asked.podIp}:${port}`)}`;
    return { ok: false, message, tookMs: 0, untilMs };
  }
  const status = statusOf(served, port, way, nowMs) ?? 200;
  const ok = status >= 200 && status < 400;
  return { ok, message: ok ? "" : `HTTP probe failed with statuscode: ${status}`, tookMs: 0, untilMs };
}

function connected(asked: ProbedContainer, port: number, nowMs: number, problem: (address: string) => string): Answer {
  const untilMs = changesMs(asked, nowMs);
  if (listener(asked, port, nowMs)) return { ...fine, untilMs };
  return { ok: false, message: problem(`${asked.podIp}:${port}`), tookMs: 0, untilMs };
}

function execute(asked: ProbedContainer, words: readonly string[], timeoutMs: number, nowMs: number): Answer {
  const { pod, container, view, run } = asked;
  const nextMs = [run.edits, run.outside].map((edits) => edits.find((edit) => edit.atMs > nowMs)?.atMs ?? forever);
  const untilMs = Math.min(...nextMs, changesMs(asked, nowMs), run.knownMs > nowMs ? run.knownMs : forever);
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
  return new Map([run, ...beside].flatMap((one) => [...one.ports]));
}

/** What a run's files were at the moment that was asked for last. */
interface Moment {
  readonly edits: readonly Edit[];
  /** Those before it have been applied. */
  readonly at: number;
  readonly nowMs: number;
  readonly files: Files;
}

/** Questions about a run go on in time: each begins where the last one was. */
const moments = new WeakMap<Trace, Moment>();

/** The files of a container at a moment of its run. */
export function filesAt(run: Trace, nowMs: number): Files {
  const known = moments.get(run);
  const isLater = known !== undefined && known.nowMs <= nowMs;
  const edits = known?.edits ?? [...run.outside, ...run.edits].sort((a, b) => a.atMs - b.atMs);
  const files = (isLater ? known.files : run.initial).copy();
  let at = isLater ? known.at : 0;
  for (let edit; (edit = edits[at]) && edit.atMs <= nowMs; at++) applyEdit(files, edit);
  moments.set(run, { edits, at, nowMs, files: files.copy() });
  return files;
}
