// Runs probes and hooks against a running container and formats their results (upstream: `pkg/probe`, `pkg/kubelet/lifecycle`).
import type { Container, HTTPGetAction, LifecycleHandler, Probe } from "../../../shared/k8s/api/core-v1.ts";
import type { Assumption, Effect, HttpRequest, RunningContainer, RuntimeService, Wrote } from "../../containers/cri.ts";

export interface ProbedContainer extends RunningContainer {
  readonly runtime: RuntimeService;
  /** The maximum work of a command. By default, the maximum of a hook. */
  readonly work?: number;
}

export interface Answer {
  readonly ok: boolean;
  /** The message of a failure. */
  readonly message: string;
  /** Whether the probe itself failed, so that its result is discarded. */
  readonly errored?: boolean;
  readonly exitCode?: number;
  /** The software that was assumed to exist because the simulator lacks it. */
  readonly assumed?: readonly Assumption[];
  /** The work that computing the answer took. */
  readonly work?: number | undefined;
  /** The simulated duration of the probe or hook. */
  readonly tookMs: number;
  /** The answer stays the same until this time. */
  readonly untilMs: number;
  /** The lines that the request adds to servers' logs, in order. */
  readonly wrote?: readonly Wrote[];
  /** The objects whose changes can change the answer: `service/<namespace>/<name>`. */
  readonly waitsFor?: readonly string[] | undefined;
}

/** The answer of a hook, and its effects on containers. */
export interface HookAnswer extends Answer {
  readonly effects: readonly Effect[];
}

/** The time and timeout of a request. Requests of hooks are recorded. */
interface Call {
  readonly atMs: number;
  readonly timeoutMs: number;
  readonly isRecorded: boolean;
  readonly work?: number | undefined;
}

/** Runs a hook and records its effects. Any status of the server counts as success. */
export function runHook(
  container: ProbedContainer,
  hook: LifecycleHandler,
  timeoutMs: number,
  nowMs: number,
): HookAnswer {
  return answerTo(container, hook, { atMs: nowMs, timeoutMs, isRecorded: true, work: container.work });
}

export function runProbe(container: ProbedContainer, probe: Probe, timeoutMs: number, nowMs: number): Answer {
  return answerTo(container, probe, { atMs: nowMs, timeoutMs, isRecorded: false, work: container.work });
}

const forever = Number.POSITIVE_INFINITY;
const success: HookAnswer = { ok: true, message: "", tookMs: 0, untilMs: forever, effects: [] };

/** Runs a handler. If the simulator lacks the program and assumes that it exists, a failure counts as success. */
function answerTo(container: ProbedContainer, handler: Probe | LifecycleHandler, call: Call): HookAnswer {
  const answer = handlerAnswer(container, handler, call);
  const { ok, assumed = [] } = answer;
  if (ok || (assumed.length === 0 && !container.run.isAssumed)) return answer;
  const assumedSoftware = handler.exec?.command?.join(" ") ?? (handler.httpGet?.path || "the answer of its port");
  const { errored: _, ...excused } = { ...answer, ok: true, exitCode: 0, message: "", tookMs: 0 };
  return { ...excused, assumed: [...assumed, { atMs: call.atMs, what: assumedSoftware }] };
}

function handlerAnswer(container: ProbedContainer, handler: Probe | LifecycleHandler, call: Call): HookAnswer {
  if (handler.exec) return execute(container, handler.exec.command ?? [], call);
  if ("sleep" in handler && handler.sleep) return { ...success, tookMs: handler.sleep.seconds * 1000 };
  if (handler.httpGet) return httpGet(container, handler.httpGet, call);
  if (handler.tcpSocket) {
    if (handler.tcpSocket.host) return success;
    const problem = (address: string) => `dial tcp ${address}: connect: connection refused`;
    return checkPort(container, portOf(container.container, handler.tcpSocket.port), call, problem);
  }
  if ("grpc" in handler && handler.grpc) {
    const seconds = Math.round(call.timeoutMs / 1000);
    return checkPort(
      container,
      handler.grpc.port,
      call,
      (address) => `timeout: failed to connect service "${address}" within ${seconds}s: context deadline exceeded`,
    );
  }
  return success;
}

/** Returns the number of a port, which may be given by its name in the container. */
function portOf({ ports }: Container, port: number | string): number {
  if (typeof port === "number") return port;
  return ports?.find((containerPort) => containerPort.name === port)?.containerPort ?? (Number(port) || 0);
}

/** The number of redirects that upstream's client follows. A probe follows only those on the same host. */
const maxRedirects = 10;

function httpGet(
  container: ProbedContainer,
  { host, path = "", port: named, scheme = "HTTP", httpHeaders = [] }: HTTPGetAction,
  call: Call,
): HookAnswer {
  const port = portOf(container.container, named);
  const requestHeaders = httpHeaders.map(({ name, value }) => [name, value] as const);
  const isElsewhere = host !== undefined && host !== "" && host !== container.podIp;
  const request: Omit<HttpRequest, "path"> = {
    ...call,
    host: isElsewhere ? host : container.podIp,
    port,
    scheme: scheme.toLowerCase(),
    headers: isElsewhere
      ? [["Host", `${host}:${port}`], ...requestHeaders]
      : probeHeaders(requestHeaders, `${container.podIp}:${port}`),
  };
  const wrote: Wrote[] = [];
  let currentPath = path.startsWith("/") ? path : `/${path}`;
  for (let count = 0; ; count++) {
    const { location, ...answer } = fetchOnce(container, { ...request, path: currentPath });
    wrote.push(...(answer.wrote ?? []));
    if (location === undefined || call.isRecorded || !location.startsWith("/") || count >= maxRedirects)
      return { ...answer, wrote };
    currentPath = location;
  }
}

const kubeletAgent = "kube-probe/1.36";

/** Adds the headers of a kubelet's client to those that the probe sets. */
function probeHeaders(headers: HttpRequest["headers"], host: string): HttpRequest["headers"] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const defaultHeaders = [["Host", host] as const, ["User-Agent", kubeletAgent] as const, ["Accept", "*/*"] as const];
  return [
    ...defaultHeaders.filter(([name]) => !names.has(name.toLowerCase())),
    ...headers,
    ["Connection", "close"] as const,
  ];
}

function fetchOnce(
  container: ProbedContainer,
  request: HttpRequest,
): HookAnswer & { readonly location?: string | undefined } {
  const { host, port, path, isRecorded } = request;
  const response = container.runtime.network.httpGet(container, request);
  const { tookMs, untilMs, waitsFor, work, wrote = [], effects } = response;
  const answer = { tookMs, untilMs, waitsFor, work, wrote, effects };
  if (response.error !== undefined) {
    const message = `Get "${request.scheme}://${host}:${port}${path}": ${response.error}`;
    return { ...answer, ok: false, message };
  }
  const { status } = response;
  const location = status >= 300 ? response.location : undefined;
  if (isRecorded || (status >= 200 && status < 400)) return { ...answer, ok: true, message: "", location };
  const connectionClosed = `Get "http://${host}:${port}${path}": EOF`;
  return {
    ...answer,
    ok: false,
    message: status === 0 ? connectionClosed : `HTTP probe failed with statuscode: ${status}`,
    location,
  };
}

function checkPort(
  container: ProbedContainer,
  port: number,
  { atMs }: Call,
  problem: (address: string) => string,
): HookAnswer {
  const { isOpen, untilMs } = container.runtime.network.connect(container, port, atMs);
  if (isOpen) return { ...success, untilMs };
  return { ...success, ok: false, message: problem(`${container.podIp}:${port}`), untilMs };
}

function execute(container: ProbedContainer, command: readonly string[], call: Call): HookAnswer {
  const response = container.runtime.execSync(container, { ...call, command });
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
