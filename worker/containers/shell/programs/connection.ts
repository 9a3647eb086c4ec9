// How programs open connections: the name, the address, and what comes of it in the time that there is.
import type { Task } from "../../../../shared/shell/task.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import type { PortRequest } from "../../../../shared/k8s/port-request.ts";
import { streamOf } from "../from-outside.ts";
import { edit, heed, type Process } from "../process.ts";
import { type Contact, portKey, type Protocol, type Reached } from "../contact.ts";
import { driveInside } from "../drive.ts";
import { connect, sleep } from "../system-call.ts";
import { type Found, hasServer, resolve } from "./names/resolve.ts";

export interface Opened {
  /** Absent: there is no such name. */
  readonly address?: string;
  readonly reached: Reached | { readonly kind: "unresolved" | "timeout"; readonly answer?: undefined };
  readonly tookMs: number;
}

/** What a connection costs to be worked out, beside what runs at its other end. */
const connectWork = 20;
/** What an answer takes, and what an address that nobody has. Loops of requests are followed in rounds of this length. */
const answerMs = 10;
const unreachableMs = 3_100;
/** A resolver asks twice. */
const resolveMs = 10_000;
/** After so long the kernel gives a connection up. */
export const kernelMs = 133_000;

export interface Wish {
  readonly host: string;
  readonly port: number;
  readonly request?: PortRequest;
  /** TCP, if it is not said. */
  readonly protocol?: Protocol;
  /** What is sent, where it is no request of HTTP. */
  readonly data?: string;
  readonly limitMs: number;
  /** Told of the address before the time passes. */
  readonly tries?: (address: string, reached: Reached) => void;
}

/** Lets the time pass that it takes; a process that is over by then is paused. */
export function* open(process: Process, { host, port, request, protocol, data, limitMs, tries }: Wish): Task<Opened> {
  const startMs = process.clockMs;
  charge(process, connectWork);
  const found = yield* resolve(process, host);
  const [address] = found?.addresses ?? [];
  if (!found || address === undefined) {
    if (!(yield* hasServer(process))) yield* sleep(process, resolveMs);
    return { reached: { kind: "unresolved" }, tookMs: process.clockMs - startMs };
  }
  const pays = (units: number) => void charge(process, units);
  const asked = {
    ...(request ? { request } : {}),
    ...(protocol ? { protocol } : {}),
    ...(data === undefined ? {} : { data }),
  };
  const reached = yield* reachedBy(process, found, { address, port, atMs: process.clockMs, pays, ...asked });
  heed(process, reached);
  tries?.(address, reached);
  const waits = { dropped: kernelMs, unreachable: unreachableMs }[reached.kind as string];
  const tookMs = waits ?? answerMs + (reached.tookMs ?? 0);
  yield* sleep(process, Math.min(tookMs, limitMs));
  if (tookMs > limitMs) return { address, reached: { kind: "timeout" }, tookMs: limitMs };
  return { address, reached, tookMs };
}

function* reachedBy(process: Process, found: Found, contact: Contact): Task<Reached> {
  const { address, port } = contact;
  const own =
    address === process.self.address || /^127\.|^::1$|^0\.0\.0\.0$/.test(address)
      ? yield* itself(process, contact)
      : undefined;
  if (own) return own;
  if (found.isOutside) {
    const said = yield* connect(process, contact);
    return said?.kind === "dropped" ? said : { kind: "outside" };
  }
  const answered = yield* connect(process, contact);
  if (answered) return answered;
  // Nothing is known of a network.
  if (process.ports.size === 0 && /^127\./.test(address)) return { kind: "open" };
  const { answersMs } = found;
  if (/^127\./.test(address) || answersMs === undefined) return { kind: "refused" };
  return answersMs <= process.clockMs
    ? { kind: port === 0 ? "refused" : "outside" }
    : { kind: "refused", newsMs: answersMs };
}

/** What the process serves itself, or has begun beside it. */
function* itself(process: Process, contact: Contact): Task<Reached | undefined> {
  const { port, request, data, protocol, atMs } = contact;
  const { ports, files, host, self, beside } = process;
  const key = portKey(port, protocol);
  if ((ports.get(key) ?? Number.POSITIVE_INFINITY) > atMs) return undefined;
  // What it runs beside answers with the files as this process has left them.
  const isBeside = beside?.ports.has(key) ?? false;
  const server = isBeside ? beside?.server : process.server;
  if (server === undefined || (isBeside && server.needsNetwork)) {
    const said = yield* connect(process, { ...contact, address: "127.0.0.1" });
    return said && said.kind !== "refused" ? said : { kind: "open" };
  }
  if (!request && data === undefined) return { kind: "open" };
  charge(process, files.bytes / 4096);
  const asked = request ?? { method: "GET", path: "/", headers: [], body: "" };
  const own = { files, host, address: self.address, image: self.image, port, from: contact.address };
  const sent = { ...(data === undefined ? {} : { data }), ...(protocol ? { protocol } : {}) };
  const others = {
    reach: process.world.reach,
    resolve: (name: string) => driveInside(resolve(process, name))?.addresses[0],
    pays: (units: number) => void charge(process, units),
  };
  const recent = () => process.outside.filter((one) => streamOf(one.path) !== undefined && one.atMs <= atMs);
  const sinceMs = ports.get(key) ?? atMs;
  const page = server.answer({ ...asked, ...sent, ...own, ...others, recent, sinceMs, nowMs: atMs });
  if (page.isMute) return { kind: "open" };
  // Whoever visits the container's own server from within leaves lines in its log as others do.
  for (const { textAt: _, ...one } of isBeside ? (page.edits ?? []) : []) edit(process, one);
  return { kind: "answered", answer: { status: 200, ...page }, tookMs: page.tookMs };
}
