// Keeps a tunnel open: answers its calls, detects a dead tunnel, and opens a new one.
import { setTimeout as wait } from "node:timers/promises";
import {
  tunnelOrder,
  tunnelPath,
  type TunnelAnswer,
  type TunnelCall,
  tunnelCall,
  tunnelEnded,
} from "../../shared/contract/tunnel.ts";
import { endedCode } from "../../shared/contract/endings.ts";
import { perform } from "./perform.ts";
import type { Target } from "./kubeconfig.ts";
import { newStreams, type Streams } from "./streams.ts";

/**
 * Milliseconds after which a tunnel is replaced. A sandbox uses only tunnels that are younger than an hour. The new one is opened before
 * the old one is closed.
 */
const renewMs = 30 * 60_000;
const pingMs = 20_000;
const retryMs = { first: 500, most: 30_000 };

/** The server at this end of a tunnel. */
export interface TunnelEnd {
  /** The query that names what the tunnel is for. */
  readonly query: string;
  /** The name in messages. */
  readonly title: string;
  /** The server: scheme, host and port. */
  readonly to: string;
  /** The client certificate of calls to the server, in PEM. The server is this machine's own, so its certificate is not verified. */
  readonly client?: TunnelCall["client"];
}

export interface TunnelOptions {
  /** Prints a message when a tunnel is opened or lost, and for each call that it answered. */
  say(text: string): void;
  /** The machine's own authorities, in PEM. */
  readonly trusted: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Runs until the signal aborts. Throws an error that trying again would not change. */
export async function holdTunnel(target: Target, end: TunnelEnd, options: TunnelOptions): Promise<void> {
  const url = `${target.server.replace(/^http/, "ws")}${tunnelPath}?${end.query}`;
  let before: WebSocket | undefined;
  let pauseMs = retryMs.first;
  while (!options.signal.aborted) {
    const socket = open(url, target.token);
    const opened = await isOpened(socket);
    if (opened) {
      before?.close();
      pauseMs = retryMs.first;
      options.say(`${end.title} is served from ${end.to}`);
      const why = await serve(socket, end, options);
      before = why === "renew" ? socket : undefined;
      if (why === "lost" && !options.signal.aborted) options.say("the tunnel is lost: opening another");
      if (why !== "lost") continue;
    } else {
      const refusal = await refusalOf(url, target.token);
      if (refusal) throw new Error(refusal);
      options.say("the sandbox cannot be reached: trying again");
    }
    await wait(pauseMs, undefined, { signal: options.signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, retryMs.most);
  }
  before?.close();
}

function open(url: string, token: string): WebSocket {
  return new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
}

async function isOpened(socket: WebSocket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.addEventListener("open", () => resolve(true), { once: true });
  socket.addEventListener("error", () => resolve(false), { once: true });
  socket.addEventListener("close", () => resolve(false), { once: true });
  return promise;
}

/**
 * Serves a tunnel until it is old, lost, or the signal aborts. Throws if it was ended for good. An old tunnel still answers calls that it
 * received.
 */
async function serve(
  socket: WebSocket,
  tunnelEnd: TunnelEnd,
  options: TunnelOptions,
): Promise<"renew" | "lost" | "ended"> {
  const { promise, resolve, reject } = Promise.withResolvers<"renew" | "lost" | "ended">();
  let heard = true;
  const ping = setInterval(() => {
    // A closed socket may wait for the server's end of the connection for long.
    if (!heard || socket.readyState !== WebSocket.OPEN) {
      resolve("lost");
      socket.close();
      return;
    }
    heard = false;
    socket.send("ping");
  }, pingMs);
  const renew = setTimeout(() => resolve("renew"), renewMs);
  const end = () => resolve("ended");
  options.signal.addEventListener("abort", end, { once: true });
  const streams = newStreams(socket, tunnelEnd.to, options);
  socket.addEventListener("message", ({ data }) => {
    heard = true;
    const ended = tunnelEnded.safeParse(typeof data === "string" ? parsed(data) : undefined);
    if (ended.success) reject(new Error(`the tunnel is closed: ${ended.data.ended}`));
    else if (data !== "pong") void answer(socket, data, { end: tunnelEnd, options, streams });
  });
  // An old tunnel continues its streams until it is closed.
  socket.addEventListener("close", () => streams.end());
  socket.addEventListener("close", ({ code, reason }) => {
    if (code === endedCode) reject(new Error(`the tunnel is closed: ${reason}`));
    else resolve("lost");
  });
  socket.addEventListener("error", () => resolve("lost"));
  const why = await promise.finally(() => {
    clearInterval(ping);
    clearTimeout(renew);
    options.signal.removeEventListener("abort", end);
  });
  if (why === "ended") socket.close();
  return why;
}

async function answer(
  socket: WebSocket,
  data: unknown,
  {
    end,
    options: { say, trusted },
    streams,
  }: { readonly end: TunnelEnd; readonly options: TunnelOptions; readonly streams: Streams },
): Promise<void> {
  const message = typeof data === "string" ? parsed(data) : undefined;
  const order = tunnelOrder.safeParse(message);
  if (order.success) return streams.order(order.data);
  const parsedCall = tunnelCall.safeParse(message);
  if (!parsedCall.success) return;
  const { client } = end;
  const question = client ? { ...parsedCall.data, caBundle: undefined, insecure: true, client } : parsedCall.data;
  if (question.stream) return streams.open(question);
  const answered: TunnelAnswer = await perform(question, end.to, trusted);
  const { method, path } = question;
  say(`${method} ${path} ${"error" in answered ? answered.error : answered.status}`);
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(answered));
}

/** Returns why a WebSocket was refused, which the WebSocket does not report. A plain request is refused for the same reasons. */
async function refusalOf(url: string, token: string): Promise<string | undefined> {
  try {
    const response = await fetch(url.replace(/^ws/, "http"), { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    if (![401, 403, 404, 410].includes(response.status)) return undefined;
    return messageOf(text) ?? `the sandbox answers ${response.status}`;
  } catch {
    return undefined;
  }
}

function messageOf(text: string): string | undefined {
  const value = parsed(text);
  const isStatus = typeof value === "object" && value !== null && "message" in value;
  return isStatus && typeof value.message === "string" ? value.message : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
