// Forwards the ports of a pod over channels of one WebSocket. Each port has a data and an error channel, which both begin with the port
// number.
import { endedCode } from "../../../../shared/contract/endings.ts";
import type { ApiError } from "../../../../shared/k8s/status.ts";
import { decodeFrame, encodeFrame } from "../channels.ts";
import type { SessionSocket } from "../run.ts";
import type { Listener } from "../upgrade.ts";
import { type Connection, type ForwardOptions, newConnection } from "./connection.ts";

export interface PortChannelsOptions extends ForwardOptions {
  /** The ports, each with one connection that opens at the start. A port can occur twice. */
  readonly ports: readonly number[];
  /** True if frames are text: a digit, and bytes in base64. */
  readonly isText: boolean;
}

const good = 1000;

export function newPortChannels(socket: SessionSocket, options: PortChannelsOptions): Listener {
  const { ports, isText } = options;
  let isOver = false;
  const send = (channel: number, bytes: Uint8Array) => {
    if (!isOver) socket.send(encodeFrame({ isText }, channel, bytes));
  };
  const fail = (at: number, why: string) => send(2 * at + 1, new TextEncoder().encode(why));
  for (const [at, port] of ports.entries()) {
    const bytes = Uint8Array.of(port & 0xff, port >>> 8);
    send(2 * at, bytes);
    send(2 * at + 1, bytes);
  }
  const buffer = { bytes: 0 };
  const open = new Map<number, Connection>(
    ports.map((port, at) => [at, newConnection({ ...options, port, buffer, send: (bytes) => send(2 * at, bytes) })]),
  );
  const end = (code: number, why: string) => {
    if (isOver) return;
    isOver = true;
    for (const connection of open.values()) connection.drop();
    socket.close(code, why);
  };
  // A channel cannot be closed, so the socket closes when the last port is complete.
  const endings = [...open].map(async ([at, connection]) => {
    const { error } = await connection.done;
    open.delete(at);
    if (error !== undefined) fail(at, error);
  });
  return {
    done: Promise.all(endings).then(() => end(good, "")),
    leave: () => end(good, ""),
    end: (why: ApiError) => {
      for (const at of open.keys()) fail(at, why.message);
      end(endedCode, why.message);
    },
    receive: (data) => {
      const frame = decodeFrame({ isText }, data);
      // Input on error channels and unknown channels is ignored.
      if (frame && frame.channel % 2 === 0) open.get(frame.channel / 2)?.receive(frame.bytes);
    },
  };
}
