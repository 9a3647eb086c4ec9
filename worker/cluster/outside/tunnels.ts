// The open tunnels of a cluster: hibernatable sockets, each for one Service; the newest of a Service is the one that is asked. What is
// asked waits in memory alone. An answer in pieces goes to a hibernatable socket of the edge, so that it keeps nobody awake.
import { deadlineExceeded } from "../../../shared/base/fetch-failures.ts";
import { limits } from "../../../shared/base/limits.ts";
import {
  tunnelAnswer,
  type TunnelOrder,
  tunnelOrder,
  tunnelPiece,
  type TunnelCall,
} from "../../../shared/contract/tunnel.ts";
import { endedCode, endings } from "../../../shared/contract/endings.ts";
import { limitExceeded } from "../../../shared/k8s/bounds/limit-exceeded.ts";
import type { Credential, Tunnels as TunnelsOfApi } from "../../api/api-server.ts";
import { acceptSocket, closeSocket, kindOf } from "../watches/sockets.ts";
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import type { SandboxLimits } from "../../../shared/contract/sandbox-limits.ts";
import type { TransportAnswer } from "./transports.ts";

/** The attachment of a hibernated socket. */
interface Attachment {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly openedMs: number;
  /** When the token ends that it was opened with; absent: with the sandbox. */
  readonly endsMs?: number | undefined;
}

/** The same for a stream's: `id` is that of its question. */
interface StreamAttachment {
  readonly id: string;
  readonly tunnel: string;
}

interface Waiting {
  readonly socket: WebSocket;
  settle(answer: TransportAnswer): void;
}

/** The command gives up a moment after whoever asks would. */
const graceMs = 250;

export class Tunnels implements TunnelsOfApi {
  readonly #state: DurableObjectState;
  readonly #bounds: Pick<SandboxLimits, "tunnels">;
  readonly #waiting = new Map<string, Waiting>();
  #nextEndMs: number | undefined;
  /** Told which Service a tunnel has come or gone for. */
  readonly #onChange: (namespace: string, name: string) => void;

  /** `bounds`: how many may be open; looked at whenever one is opened. */
  constructor(
    state: DurableObjectState,
    bounds: Pick<SandboxLimits, "tunnels">,
    onChange: (namespace: string, name: string) => void,
  ) {
    this.#state = state;
    this.#bounds = bounds;
    this.#onChange = onChange;
  }

  open(namespace: string, name: string, credential: Credential | undefined): Response {
    const used = this.#state.getWebSockets("tunnel").length;
    const { tunnels: limited } = this.#bounds;
    if (used >= limited) throw limitExceeded("tunnels", { used, limited });
    this.#state.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    const id = crypto.randomUUID();
    const { client, server } = acceptSocket(this.#state, "tunnel", credential, [tagOf(namespace, name), id]);
    const endsMs = credential?.endsMs;
    server.serializeAttachment({ id, namespace, name, openedMs: Date.now(), endsMs } satisfies Attachment);
    this.#nextEndMs = undefined;
    this.#onChange(namespace, name);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** When the next of them is to end with its token; infinity: none is. */
  nextEndMs(): number {
    this.#nextEndMs ??= Math.min(...this.#state.getWebSockets("tunnel").map((socket) => endOf(socket)));
    return this.#nextEndMs;
  }

  /** Ends those whose token has expired. */
  endExpired(nowMs: number): void {
    if (this.nextEndMs() > nowMs) return;
    this.#nextEndMs = undefined;
    for (const socket of this.#state.getWebSockets("tunnel")) {
      if (endOf(socket) <= nowMs) closeSocket(socket, endedCode, endings.expired);
    }
  }

  has(namespace: string, name: string): boolean {
    return this.#newest(namespace, name) !== undefined;
  }

  async ask(namespace: string, name: string, question: Omit<TunnelCall, "id">): Promise<TransportAnswer> {
    const socket = this.#newest(namespace, name);
    if (!socket) return { error: `no tunnel is open for service ${JSON.stringify(name)}` };
    const id = crypto.randomUUID();
    const { promise, resolve } = Promise.withResolvers<TransportAnswer>();
    this.#waiting.set(id, { socket, settle: resolve });
    const timer = setTimeout(() => resolve({ error: deadlineExceeded }), question.timeoutMs + graceMs);
    try {
      socket.send(JSON.stringify({ id, ...question } satisfies TunnelCall));
      return await promise;
    } catch {
      return { error: "EOF" };
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  /** The sockets of answers in pieces. */
  get streams(): number {
    return this.#state.getWebSockets("stream").length;
  }

  stream(
    namespace: string,
    name: string,
    question: Omit<TunnelCall, "id">,
    credential: Credential | undefined,
  ): Response | undefined {
    const tunnel = this.#newest(namespace, name);
    if (!tunnel) return undefined;
    const id = crypto.randomUUID();
    const { id: of } = attachmentOf(tunnel);
    const { client, server } = acceptSocket(this.#state, "stream", credential, [id, streamsOf(of)]);
    server.serializeAttachment({ id, tunnel: of } satisfies StreamAttachment);
    tunnel.send(JSON.stringify({ id, ...question } satisfies TunnelCall));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** A frame of a socket that is a tunnel's, or a stream's. */
  hear(socket: WebSocket, message: string | ArrayBuffer): void {
    if (isStream(this.#state, socket)) this.#order(socket, message);
    else if (!this.#relay(socket, message)) this.#receiveAnswer(socket, message);
  }

  /** Whether it is a piece of an answer that someone waits for, or has waited for. */
  #relay(tunnel: WebSocket, message: string | ArrayBuffer): boolean {
    const piece = tunnelPiece.safeParse(parseMessage(message));
    if (!piece.success || this.#waiting.has(piece.data.id)) return false;
    const { id } = piece.data;
    const [stream] = this.#state.getWebSockets(id);
    // Only whom it was asked may answer.
    const isTheirs =
      stream && isStream(this.#state, stream) && streamAttachmentOf(stream).tunnel === attachmentOf(tunnel).id;
    if (isTheirs && typeof message === "string" && stream.readyState === open) stream.send(message);
    else if ("piece" in piece.data) say(tunnel, { id, stop: true });
    return true;
  }

  /** The edge says how far it has come. */
  #order(stream: WebSocket, message: string | ArrayBuffer): void {
    const order = tunnelOrder.safeParse(parseMessage(message));
    if (order.success) this.#sendOrder(stream, order.data);
  }

  #sendOrder(stream: WebSocket, order: TunnelOrder): void {
    const { id, tunnel } = streamAttachmentOf(stream);
    for (const socket of this.#state.getWebSockets(tunnel)) say(socket, { ...order, id });
  }

  #receiveAnswer(socket: WebSocket, message: string | ArrayBuffer): void {
    const answer = tunnelAnswer.safeParse(parseMessage(message));
    if (!answer.success) return;
    const waiting = this.#waiting.get(answer.data.id);
    // Only whom it was asked may answer.
    if (waiting?.socket !== socket) return;
    waiting.settle(transportAnswerOf(answer.data));
  }

  /** Whether the socket was a tunnel's, or a stream's. */
  drop(socket: WebSocket): boolean {
    if (!isTunnels(this.#state, socket)) return false;
    if (isStream(this.#state, socket)) {
      this.#sendOrder(socket, { id: "", stop: true });
      return true;
    }
    for (const waiting of this.#waiting.values()) if (waiting.socket === socket) waiting.settle({ error: "EOF" });
    this.#nextEndMs = undefined;
    const { id, namespace, name } = attachmentOf(socket);
    for (const stream of this.#state.getWebSockets(streamsOf(id))) stream.close(1011, "EOF");
    this.#onChange(namespace, name);
    return true;
  }

  #newest(namespace: string, name: string): WebSocket | undefined {
    const sockets = this.#state.getWebSockets(tagOf(namespace, name)).filter((socket) => socket.readyState === open);
    const sinceMs = Date.now() - limits.tunnelMs;
    const openTunnels = sockets.map((socket) => ({ socket, openedMs: attachmentOf(socket).openedMs }));
    const young = openTunnels.filter(({ openedMs }) => openedMs > sinceMs);
    // The platform gives them in no order that is promised; of two of one moment the last will do.
    return young.sort((a, b) => a.openedMs - b.openedMs).at(-1)?.socket;
  }
}

/** `WebSocket.OPEN`. */
const open = 1;

/** Whether a socket is of a tunnel: its own, or a stream's. */
export function isTunnels(state: DurableObjectState, socket: WebSocket): boolean {
  const kind = kindOf(state, socket);
  return kind === "tunnel" || kind === "stream";
}

function isStream(state: DurableObjectState, socket: WebSocket): boolean {
  return kindOf(state, socket) === "stream";
}

function streamsOf(tunnel: string): string {
  return `of:${tunnel}`;
}

function say(tunnel: WebSocket, order: TunnelOrder): void {
  if (tunnel.readyState === open) tunnel.send(JSON.stringify(order));
}

function tagOf(namespace: string, name: string): string {
  return `tunnel:${namespace}/${name}`;
}

function endOf(socket: WebSocket): number {
  return socket.readyState === open
    ? (attachmentOf(socket).endsMs ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
}

function attachmentOf(socket: WebSocket): Attachment {
  // `open` wrote it.
  return socket.deserializeAttachment() as Attachment;
}

function streamAttachmentOf(socket: WebSocket): StreamAttachment {
  // `stream` wrote it.
  return socket.deserializeAttachment() as StreamAttachment;
}

function transportAnswerOf(answer: ReturnType<typeof tunnelAnswer.parse>): TransportAnswer {
  if ("error" in answer) return { error: answer.error };
  try {
    return { status: answer.status, headers: answer.headers, body: bytesOfBase64(answer.body) };
  } catch {
    return { error: "the tunnel's answer is no base64" };
  }
}

function parseMessage(message: string | ArrayBuffer): unknown {
  try {
    return typeof message === "string" ? JSON.parse(message) : undefined;
  } catch {
    return undefined;
  }
}
