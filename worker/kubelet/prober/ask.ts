// What a kubelet asks a running container by its probes and hooks, and what it says of the answer (upstream: `pkg/probe`,
// `pkg/kubelet/lifecycle`).
import type { Container, HTTPGetAction, LifecycleHandler, Probe } from "../../../shared/k8s/api/core-v1.ts";
import type { Assumption, Effect, HttpRequest, RunningContainer, RuntimeService, Wrote } from "../../containers/cri.ts";

export interface ProbedContainer extends RunningContainer {
  readonly runtime: RuntimeService;
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
  /** What was assumed of software that the simulator lacks. */
  readonly assumed?: readonly Assumption[];
  /** Units of work that finding it out took. */
  readonly work?: number | undefined;
  /** How long it took. */
  readonly tookMs: number;
  /** The same answer is given before this moment. */
  readonly untilMs: number;
  /** The lines that a server's log has of it, in the order in which they were written. */
  readonly wrote?: readonly Wrote[];
  /** What would make it another: `service/<namespace>/<name>`, as containers wait for it. */
  readonly waitsFor?: readonly string[] | undefined;
}

/** The answer of a hook, and what it did to containers. */
export interface HookAnswer extends Answer {
  readonly effects: readonly Effect[];
}

/** When and for how long something is asked; hooks are recorded. */
interface Call {
  readonly atMs: number;
  readonly timeoutMs: number;
  readonly isRecorded: boolean;
  readonly work?: number | undefined;
}

/** A hook is asked once, and its effects are recorded. Whatever status a server answers with is enough. */
export function askHook(asked: ProbedContainer, hook: LifecycleHandler, timeoutMs: number, nowMs: number): HookAnswer {
  return answerTo(asked, hook, { atMs: nowMs, timeoutMs, isRecorded: true, work: asked.work });
}

export function ask(asked: ProbedContainer, probe: Probe, timeoutMs: number, nowMs: number): Answer {
  return answerTo(asked, probe, { atMs: nowMs, timeoutMs, isRecorded: false, work: asked.work });
}

const forever = Number.POSITIVE_INFINITY;
const fine: HookAnswer = { ok: true, message: "", tookMs: 0, untilMs: forever, effects: [] };

/** Asks a container. A failure says nothing about a program that is only assumed, so it is excused. */
function answerTo(asked: ProbedContainer, handler: Probe | LifecycleHandler, call: Call): HookAnswer {
  const answer = knownAnswer(asked, handler, call);
  const { ok, assumed = [] } = answer;
  if (ok || (assumed.length === 0 && !asked.run.isAssumed)) return answer;
  const what = handler.exec?.command?.join(" ") ?? (handler.httpGet?.path || "the answer of its port");
  const { errored: _, ...excused } = { ...answer, ok: true, exitCode: 0, message: "", tookMs: 0 };
  return { ...excused, assumed: [...assumed, { atMs: call.atMs, what }] };
}

function knownAnswer(asked: ProbedContainer, handler: Probe | LifecycleHandler, call: Call): HookAnswer {
  if (handler.exec) return execute(asked, handler.exec.command ?? [], call);
  if ("sleep" in handler && handler.sleep) return { ...fine, tookMs: handler.sleep.seconds * 1000 };
  if (handler.httpGet) return httpGet(asked, handler.httpGet, call);
  if (handler.tcpSocket) {
    if (handler.tcpSocket.host) return fine;
    const problem = (address: string) => `dial tcp ${address}: connect: connection refused`;
    return connected(asked, portOf(asked.container, handler.tcpSocket.port), call, problem);
  }
  if ("grpc" in handler && handler.grpc) {
    const seconds = Math.round(call.timeoutMs / 1000);
    return connected(
      asked,
      handler.grpc.port,
      call,
      (address) => `timeout: failed to connect service "${address}" within ${seconds}s: context deadline exceeded`,
    );
  }
  return fine;
}

/** A port by number, or by the name that the container gives it. */
function portOf({ ports }: Container, port: number | string): number {
  if (typeof port === "number") return port;
  return ports?.find((one) => one.name === port)?.containerPort ?? (Number(port) || 0);
}

/** Upstream's client follows so many redirects; a probe's stays with the host that it asks. */
const mostRedirects = 10;

function httpGet(
  asked: ProbedContainer,
  { host, path = "", port: named, scheme = "HTTP", httpHeaders = [] }: HTTPGetAction,
  call: Call,
): HookAnswer {
  const port = portOf(asked.container, named);
  const given = httpHeaders.map(({ name, value }) => [name, value] as const);
  const isElsewhere = host !== undefined && host !== "" && host !== asked.podIp;
  const request: Omit<HttpRequest, "path"> = {
    ...call,
    host: isElsewhere ? host : asked.podIp,
    port,
    scheme: scheme.toLowerCase(),
    headers: isElsewhere ? [["Host", `${host}:${port}`], ...given] : probeHeaders(given, `${asked.podIp}:${port}`),
  };
  const wrote: Wrote[] = [];
  let way = path.startsWith("/") ? path : `/${path}`;
  for (let count = 0; ; count++) {
    const { location, ...answer } = fetched(asked, { ...request, path: way });
    wrote.push(...(answer.wrote ?? []));
    if (location === undefined || call.isRecorded || !location.startsWith("/") || count >= mostRedirects)
      return { ...answer, wrote };
    way = location;
  }
}

const kubeletAgent = "kube-probe/1.36";

/** The headers of a kubelet's client, beside those that the probe names. */
function probeHeaders(headers: HttpRequest["headers"], host: string): HttpRequest["headers"] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const own = [["Host", host] as const, ["User-Agent", kubeletAgent] as const, ["Accept", "*/*"] as const];
  return [...own.filter(([name]) => !names.has(name.toLowerCase())), ...headers, ["Connection", "close"] as const];
}

function fetched(
  asked: ProbedContainer,
  request: HttpRequest,
): HookAnswer & { readonly location?: string | undefined } {
  const { host, port, path, isRecorded } = request;
  const response = asked.runtime.network.httpGet(asked, request);
  const { tookMs, untilMs, waitsFor, work, wrote = [], effects } = response;
  const answer = { tookMs, untilMs, waitsFor, work, wrote, effects };
  if (response.error !== undefined) {
    const message = `Get "${request.scheme}://${host}:${port}${path}": ${response.error}`;
    return { ...answer, ok: false, message };
  }
  const { status } = response;
  const location = status >= 300 ? response.location : undefined;
  if (isRecorded || (status >= 200 && status < 400)) return { ...answer, ok: true, message: "", location };
  const closed = `Get "http://${host}:${port}${path}": EOF`;
  return {
    ...answer,
    ok: false,
    message: status === 0 ? closed : `HTTP probe failed with statuscode: ${status}`,
    location,
  };
}

function connected(
  asked: ProbedContainer,
  port: number,
  { atMs }: Call,
  problem: (address: string) => string,
): HookAnswer {
  const { isOpen, untilMs } = asked.runtime.network.connect(asked, port, atMs);
  if (isOpen) return { ...fine, untilMs };
  return { ...fine, ok: false, message: problem(`${asked.podIp}:${port}`), untilMs };
}

function execute(asked: ProbedContainer, command: readonly string[], call: Call): HookAnswer {
  const response = asked.runtime.execSync(asked, { ...call, command });
  const { tookMs, untilMs, waitsFor, work, effects, assumed = [] } = response;
  const answer = { tookMs, untilMs, waitsFor, work, effects, assumed };
  if (response.error !== undefined) return { ...answer, ok: false, errored: true, message: response.error };
  if (response.exitCode === undefined) {
    const seconds = Math.round(call.timeoutMs / 1000);
    return { ...answer, ok: false, message: `command timed out: "${command.join(" ")}" timed out after ${seconds}s` };
  }
  const { exitCode, output } = response;
  return { ...answer, ok: exitCode === 0, exitCode, message: output };
}
