// The sockets of a cluster's object: what each is for, and which token it came with. Their tags say both, also after a sleep.
import { isRefusedAsFull } from "../../store/full.ts";
import { endedCode } from "../../../shared/contract/endings.ts";
import type { Credential } from "../../api/api-server.ts";

const kinds = ["watch", "tunnel", "stream", "lifeline", "log", "changes"] as const;

/**
 * `lifeline`: silent, closed when the edge must end a client's connection; `log`: signals that a followed log may continue; `changes`:
 * signals a change to those who follow the timeline.
 */
export type SocketKind = (typeof kinds)[number];

/** Makes a pair and accepts the object's end; `tags` are further ones by which it is found. */
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
  // Those of a version that had no tags for them are watches.
  return kinds.find((socketKind) => socketKind === kind) ?? "watch";
}

/** Ends all that came with a token. */
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
    // It is closed already.
  }
}

function tagOfToken(id: string): string {
  return `token:${id}`;
}

/** The other side has closed a watch's socket. */
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
    // What the watch had stored stays where there is no room to write that it is gone.
    if (!isRefusedAsFull(error)) throw error;
  }
}
