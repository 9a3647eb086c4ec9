// Opens connections for programs: resolves the name, connects, and waits for the answer within a time limit.
import type { Task } from "../../../../shared/shell/task.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import type { PortRequest } from "../../../../shared/k8s/port-request.ts";
import { streamOf } from "../outside-input.ts";
import { edit, heed, type Process } from "../process.ts";
import { type Contact, portKey, type Protocol, type Reached } from "../contact.ts";
import { driveInside } from "../drive.ts";
import { connect, sleep } from "../system-call.ts";
import { type ResolvedName, hasServer, resolve } from "./names/resolve.ts";

export interface Opened {
  /** Undefined if the name does not exist. */
  readonly address?: string;
  readonly reached: Reached | { readonly kind: "unresolved" | "timeout"; readonly answer?: undefined };
  readonly tookMs: number;
}

/** The work of opening a connection, in addition to what the other end does. */
const connectWork = 20;
/** The duration of an answer, and the time until an address without a host is reported as unreachable. */
const answerMs = 10;
const unreachableMs = 3_100;
/** The time until a resolver gives up after two queries. */
const resolveMs = 10_000;
/** The time after which the kernel gives up a connection. */
export const kernelMs = 133_000;

export interface ConnectionRequest {
  readonly host: string;
  readonly port: number;
  readonly request?: PortRequest;
  /** Default: TCP. */
  readonly protocol?: Protocol;
  /** The bytes of a client that does not speak HTTP. */
  readonly data?: string;
  readonly limitMs: number;
  /** Called with the address and the result before the program waits for the answer. */
  readonly onReached?: (address: string, reached: Reached) => void;
}

/** Opens a connection, and sleeps for the time that it takes or until its limit. */
export function* open(
  process: Process,
  { host, port, request, protocol, data, limitMs, onReached: tries }: ConnectionRequest,
): Task<Opened> {
  const startMs = process.clockMs;
  charge(process, connectWork);
  const resolved = yield* resolve(process, host);
  const [address] = resolved?.addresses ?? [];
  if (!resolved || address === undefined) {
    if (!(yield* hasServer(process))) yield* sleep(process, resolveMs);
    return { reached: { kind: "unresolved" }, tookMs: process.clockMs - startMs };
  }
  const pays = (units: number) => void charge(process, units);
  const payload = {
    ...(request ? { request } : {}),
    ...(protocol ? { protocol } : {}),
    ...(data === undefined ? {} : { data }),
  };
  const reached = yield* connectTo(process, resolved, { address, port, atMs: process.clockMs, pays, ...payload });
  heed(process, reached);
  tries?.(address, reached);
  const failureMs = { dropped: kernelMs, unreachable: unreachableMs }[reached.kind as string];
  const tookMs = failureMs ?? answerMs + (reached.tookMs ?? 0);
  yield* sleep(process, Math.min(tookMs, limitMs));
  if (tookMs > limitMs) return { address, reached: { kind: "timeout" }, tookMs: limitMs };
  return { address, reached, tookMs };
}

function* connectTo(process: Process, resolved: ResolvedName, contact: Contact): Task<Reached> {
  const { address, port } = contact;
  const localResult =
    address === process.self.address || /^127\.|^::1$|^0\.0\.0\.0$/.test(address)
      ? yield* connectLocally(process, contact)
      : undefined;
  if (localResult) return localResult;
  if (resolved.isOutside) {
    const outsideResult = yield* connect(process, contact);
    return outsideResult?.kind === "dropped" ? outsideResult : { kind: "outside" };
  }
  const answered = yield* connect(process, contact);
  if (answered) return answered;
  // Without a network and without listening ports, a connection to loopback succeeds.
  if (process.ports.size === 0 && /^127\./.test(address)) return { kind: "open" };
  const { answersMs } = resolved;
  if (/^127\./.test(address) || answersMs === undefined) return { kind: "refused" };
  return answersMs <= process.clockMs
    ? { kind: port === 0 ? "refused" : "outside" }
    : { kind: "refused", validUntilMs: answersMs };
}

/** Connects to a server of the process itself or of its container. */
function* connectLocally(process: Process, contact: Contact): Task<Reached | undefined> {
  const { port, request, data, protocol, atMs } = contact;
  const { ports, files, host, self, beside } = process;
  const key = portKey(port, protocol);
  if ((ports.get(key) ?? Number.POSITIVE_INFINITY) > atMs) return undefined;
  // The server of the container's main program reads the files as this process has changed them.
  const isBeside = beside?.ports.has(key) ?? false;
  const server = isBeside ? beside?.server : process.server;
  if (server === undefined || (isBeside && server.needsNetwork)) {
    const loopbackResult = yield* connect(process, { ...contact, address: "127.0.0.1" });
    return loopbackResult && loopbackResult.kind !== "refused" ? loopbackResult : { kind: "open" };
  }
  if (!request && data === undefined) return { kind: "open" };
  charge(process, files.bytes / 4096);
  const visitRequest = request ?? { method: "GET", path: "/", headers: [], body: "" };
  const serverFacts = { files, host, address: self.address, image: self.image, port, from: contact.address };
  const sent = { ...(data === undefined ? {} : { data }), ...(protocol ? { protocol } : {}) };
  const clusterAccess = {
    reach: process.world.reach,
    resolve: (name: string) => driveInside(resolve(process, name))?.addresses[0],
    pays: (units: number) => void charge(process, units),
  };
  const recent = () =>
    process.outside.filter((chunkEdit) => streamOf(chunkEdit.path) !== undefined && chunkEdit.atMs <= atMs);
  const sinceMs = ports.get(key) ?? atMs;
  const page = server.answer({
    ...visitRequest,
    ...sent,
    ...serverFacts,
    ...clusterAccess,
    recent,
    sinceMs,
    nowMs: atMs,
  });
  if (page.isMute) return { kind: "open" };
  // A request from within the container leaves lines in the server's log as others do.
  for (const { textAt: _, ...pageEdit } of isBeside ? (page.edits ?? []) : []) edit(process, pageEdit);
  return { kind: "answered", answer: { status: 200, ...page }, tookMs: page.tookMs };
}
