// The open tunnels of a cluster: hibernatable sockets, each for one Service. What is asked waits in memory alone; the newest tunnel of
// a Service is the one that is asked.
import { limits } from "../../../shared/base/limits.ts";
import { tunnelAnswer, type TunnelQuestion } from "../../../shared/contract/tunnel.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Tunnels as TunnelsOfApi } from "../../api/service.ts";
import { bytesOf } from "./base64.ts";
import { type Carried, deadlineExceeded } from "./carriers.ts";

/** What a hibernated socket keeps. */
interface Attachment {
  readonly namespace: string;
  readonly name: string;
  readonly openedMs: number;
}

interface Waiting {
  readonly socket: WebSocket;
  settle(carried: Carried): void;
}

/** Every tunnel's socket has it, and no other. */
export const tunnelTag = "tunnel";
/** The command gives up a moment after whoever asks would. */
const graceMs = 250;

export class Tunnels implements TunnelsOfApi {
  readonly #state: DurableObjectState;
  readonly #waiting = new Map<string, Waiting>();
  /** Told which Service a tunnel has come or gone for. */
  readonly #onChange: (namespace: string, name: string) => void;

  constructor(state: DurableObjectState, onChange: (namespace: string, name: string) => void) {
    this.#state = state;
    this.#onChange = onChange;
  }

  open(namespace: string, name: string): Response {
    if (this.#state.getWebSockets(tunnelTag).length >= limits.tunnels) {
      throw new ApiError(429, "TooManyRequests", `${limits.tunnels} tunnels of this sandbox are open already`, {});
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#state.acceptWebSocket(server, [tunnelTag, tagOf(namespace, name)]);
    server.serializeAttachment({ namespace, name, openedMs: Date.now() } satisfies Attachment);
    this.#onChange(namespace, name);
    return new Response(null, { status: 101, webSocket: client });
  }

  has(namespace: string, name: string): boolean {
    return this.#newest(namespace, name) !== undefined;
  }

  async ask(namespace: string, name: string, question: Omit<TunnelQuestion, "id">): Promise<Carried> {
    const socket = this.#newest(namespace, name);
    if (!socket) return { error: `no tunnel is open for service ${JSON.stringify(name)}` };
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<Carried>();
    this.#waiting.set(id, { socket, settle: resolve });
    const timer = setTimeout(() => resolve({ error: deadlineExceeded }), question.timeoutMs + graceMs);
    try {
      socket.send(JSON.stringify({ id, ...question } satisfies TunnelQuestion));
      return await promise;
    } catch {
      return { error: "EOF" };
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** A frame of a socket that is a tunnel's. */
  hear(socket: WebSocket, message: string | ArrayBuffer): void {
    const answer = tunnelAnswer.safeParse(parsed(message));
    if (!answer.success) return;
    const waiting = this.#waiting.get(answer.data.id);
    // Only whom it was asked may answer.
    if (waiting?.socket !== socket) return;
    waiting.settle(carriedOf(answer.data));
  }

  /** Whether the socket was a tunnel's. */
  drop(socket: WebSocket): boolean {
    if (!isTunnel(this.#state, socket)) return false;
    for (const waiting of this.#waiting.values()) if (waiting.socket === socket) waiting.settle({ error: "EOF" });
    const { namespace, name } = attachmentOf(socket);
    this.#onChange(namespace, name);
    return true;
  }

  #newest(namespace: string, name: string): WebSocket | undefined {
    const sockets = this.#state.getWebSockets(tagOf(namespace, name)).filter((one) => one.readyState === open);
    const sinceMs = Date.now() - limits.tunnelMs;
    const known = sockets.map((socket) => ({ socket, openedMs: attachmentOf(socket).openedMs }));
    const young = known.filter(({ openedMs }) => openedMs > sinceMs);
    // The platform gives them in no order that is promised; of two of one moment the last will do.
    return young.sort((a, b) => a.openedMs - b.openedMs).at(-1)?.socket;
  }
}

/** `WebSocket.OPEN`. */
const open = 1;

export function isTunnel(state: DurableObjectState, socket: WebSocket): boolean {
  return state.getTags(socket).includes(tunnelTag);
}

function tagOf(namespace: string, name: string): string {
  return `${tunnelTag}:${namespace}/${name}`;
}

function attachmentOf(socket: WebSocket): Attachment {
  // `open` wrote it.
  return socket.deserializeAttachment() as Attachment;
}

function carriedOf(answer: ReturnType<typeof tunnelAnswer.parse>): Carried {
  if ("error" in answer) return { error: answer.error };
  try {
    return { status: answer.status, headers: answer.headers, body: bytesOf(answer.body) };
  } catch {
    return { error: "the tunnel's answer is no base64" };
  }
}

function parsed(message: string | ArrayBuffer): unknown {
  try {
    return typeof message === "string" ? JSON.parse(message) : undefined;
  } catch {
    return undefined;
  }
}
