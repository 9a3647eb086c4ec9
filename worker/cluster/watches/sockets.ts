// The WebSockets of a cluster's object. Tags give the kind of each and the token that opened it; they survive the object's hibernation.
import { isRefusedAsFull } from "../../store/full.ts";
import { endedCode } from "../../../shared/contract/endings.ts";
import type { Credential } from "../../api/api-server.ts";

const kinds = ["watch", "tunnel", "stream", "lifeline", "log", "changes"] as const;

/**
 * The kinds of sockets:
 *
 * - `watch`: sends the events of a live watch.
 * - `tunnel`: the connection of a tunnel client, which accepts the cluster's calls to addresses outside.
 * - `stream`: carries the bytes of one call through a tunnel.
 * - `lifeline`: silent; closed when the edge must end a client's connection.
 * - `log`: signals that a followed log may continue.
 * - `changes`: signals a change to the readers of the timeline.
 */
export type SocketKind = (typeof kinds)[number];

/** Creates a WebSocket pair and accepts the object's end. `tags` are added to those of the kind and the token. */
export function acceptSocket(
  state: DurableObjectState,
  kind: SocketKind,
  credential: Credential | undefined,
  tags: readonly string[] = [],
): { readonly client: WebSocket; readonly server: WebSocket } {
  const { 0: client, 1: server } = new WebSocketPair();
  state.acceptWebSocket(server, [kind, ...tags, ...(credential ? [tagOfToken(credential.id)] : [])]);
  return { client, server };
}

export function kindOf(state: DurableObjectState, socket: WebSocket): SocketKind {
  const [kind = ""] = state.getTags(socket);
  // An older version tagged no watches, so untagged sockets are watches.
  return kinds.find((socketKind) => socketKind === kind) ?? "watch";
}

/** Closes all sockets that a token opened. */
export function endSocketsOf(state: DurableObjectState, tokenId: string, why: string): void {
  for (const socket of state.getWebSockets(tagOfToken(tokenId))) closeSocket(socket, endedCode, why);
}

export function endAllSockets(state: DurableObjectState, why: string): void {
  for (const socket of state.getWebSockets()) closeSocket(socket, endedCode, why);
}

export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason);
  } catch {
    // The socket is closed already.
  }
}

function tagOfToken(id: string): string {
  return `token:${id}`;
}

/** Answers the close of a watch's socket by the other side. */
export function answerClose(socket: WebSocket): void {
  try {
    socket.close(1000, "the watch has ended");
  } catch {
    // The platform has answered the close already.
  }
}

interface SocketHolders {
  /** Reports whether the socket was a tunnel's. */
  readonly tunnels: { drop(socket: WebSocket): boolean };
  readonly watches: { drop(socket: WebSocket): void };
}

/** Removes a socket that has closed from the tunnels or watches of an open cluster. */
export function dropSocket(open: SocketHolders | undefined, socket: WebSocket): void {
  try {
    if (!open?.tunnels.drop(socket)) open?.watches.drop(socket);
  } catch (error) {
    // If the storage is full, the watch's saved state cannot be deleted and stays.
    if (!isRefusedAsFull(error)) throw error;
  }
}
