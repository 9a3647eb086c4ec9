// The open tunnels of a cluster: hibernatable sockets, each for one Service or one node; the newest of each is the one that is called. A
// call waits in memory alone. An answer in pieces goes to a hibernatable socket of the edge, so that it keeps nobody awake.
import { deadlineExceeded } from "../../../shared/base/fetch-failures.ts";
import { limits } from "../../../shared/base/limits.ts";
import {
  pieceCharacters,
  tunnelAnswer,
  type TunnelEnded,
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

/** The attachment of a hibernated socket. A node's tunnel has no namespace. */
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

/** The namespace in the attachment of a node's tunnel. */
const nodes = "";
const replaced = "a newer tunnel serves this node";

/** The maximum characters of a message: a whole answer in base64, with its headers. */
const messageCharacters = Math.ceil((limits.outsideAnswerBytes * 4) / 3) + pieceCharacters;

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
    const before = this.#openSockets(tagOf(namespace, name)).at(-1);
    // Each is later than the one before, so that the newest is known.
    const openedMs = Math.max(Date.now(), before ? attachmentOf(before).openedMs + 1 : 0);
    const { client, server } = acceptSocket(this.#state, "tunnel", credential, [tagOf(namespace, name), id]);
    const endsMs = credential?.endsMs;
    server.serializeAttachment({ id, namespace, name, openedMs, endsMs } satisfies Attachment);
    this.#nextEndMs = undefined;
    this.#onChange(namespace, name);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Opens the tunnel of a node, which replaces its earlier ones: streams continue on the one before until they end. */
  openForNode(name: string, credential: Credential | undefined): Response {
    const previous = this.#openSockets(tagOf(nodes, name));
    const answer = this.open(nodes, name, credential);
    for (const socket of previous.slice(0, -1)) endReplaced(socket);
    this.#endReplaced(name);
    return answer;
  }

  hasNode(name: string): boolean {
    return this.has(nodes, name);
  }

  askNode(name: string, question: Omit<TunnelCall, "id">): Promise<TransportAnswer> {
    return this.ask(nodes, name, question);
  }

  streamNode(name: string, question: Omit<TunnelCall, "id">, credential: Credential | undefined): Response | undefined {
    return this.stream(nodes, name, question, credential);
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
    if (!socket)
      return { error: `no tunnel is open for ${namespace === nodes ? "node" : "service"} ${JSON.stringify(name)}` };
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
    if (typeof message !== "string" || message.length > messageCharacters)
      return closeSocket(socket, 1009, "a message of the tunnel is too long");
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
    const isBounded = typeof message === "string" && message.length <= pieceCharacters;
    if (isTheirs && isBounded && stream.readyState === open) stream.send(message);
    else if ("piece" in piece.data) say(tunnel, { id, stop: true });
    if (isTheirs && !isBounded) closeSocket(stream, 1009, "a message of the tunnel is too long");
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
      this.#streamEnded(streamAttachmentOf(socket));
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
    const sinceMs = Date.now() - limits.tunnelMs;
    const newest = this.#openSockets(tagOf(namespace, name)).at(-1);
    return newest && attachmentOf(newest).openedMs > sinceMs ? newest : undefined;
  }

  /** Returns the open sockets with a tag, the newest last. The platform promises no order. */
  #openSockets(tag: string): WebSocket[] {
    const sockets = this.#state.getWebSockets(tag).filter((socket) => socket.readyState === open);
    return sockets.sort((a, b) => attachmentOf(a).openedMs - attachmentOf(b).openedMs);
  }

  /** Closes the tunnels of a node that another one has replaced, and that have no streams. */
  #endReplaced(node: string, endedStream?: string): void {
    for (const socket of this.#openSockets(tagOf(nodes, node)).slice(0, -1)) {
      const streams = this.#state.getWebSockets(streamsOf(attachmentOf(socket).id));
      const isUsed = streams.some(
        (stream) => stream.readyState === open && streamAttachmentOf(stream).id !== endedStream,
      );
      if (!isUsed) endReplaced(socket);
    }
  }

  #streamEnded({ id, tunnel }: StreamAttachment): void {
    const [socket] = this.#state.getWebSockets(tunnel);
    const attachment = socket && attachmentOf(socket);
    if (attachment?.namespace === nodes) this.#endReplaced(attachment.name, id);
  }
}

function endReplaced(socket: WebSocket): void {
  socket.send(JSON.stringify({ ended: replaced } satisfies TunnelEnded));
  closeSocket(socket, endedCode, replaced);
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

/** Returns the tag of a target's tunnels. The platform's maximum is 256 characters, and a node's name has up to 253. */
function tagOf(namespace: string, name: string): string {
  return namespace === nodes ? `n:${name}` : `tunnel:${namespace}/${name}`;
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
