// Forwards the ports of a pod on a machine over channels of one WebSocket. A port has two channels, which both begin with its number, and the
// kubelet has two streams for a connection.
import { endedCode } from "../../../../shared/contract/endings.ts";
import { newPipe } from "../../outside/pipe.ts";
import { decodeFrame, encodeFrame } from "../channels.ts";
import type { SessionSocket } from "../run.ts";
import { closeReason } from "./close-reason.ts";
import { type ClientStreams, newClientStreams } from "../spdy/streams.ts";
import type { Listener } from "../upgrade.ts";
import { newEarlyFrames, tooEarly } from "./early-frames.ts";

export interface ForwardChannelsOptions {
  readonly ports: readonly number[];
  /** True if frames are text: a digit, and bytes in base64. */
  readonly isText: boolean;
  /** The cluster's socket, which carries the connection to the kubelet. */
  readonly cluster: WebSocket;
}

const codes = { good: 1000, failed: 1011 } as const;

export function newForwardChannels(socket: SessionSocket, options: ForwardChannelsOptions): Listener {
  const { ports, isText, cluster } = options;
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const early = newEarlyFrames();
  let streams: ClientStreams | undefined;
  let failure: string | undefined;
  let isOver = false;
  const close = (code: number, why: string) => {
    if (isOver) return;
    isOver = true;
    socket.close(code, closeReason(why));
    pipe.close();
    resolve();
  };
  const tell = (channel: number, bytes: Uint8Array) => {
    if (!isOver) socket.send(encodeFrame({ isText }, channel, bytes));
  };
  const begin = () => {
    const opened = ports.flatMap((port, at) => {
      const of = { port: String(port), requestid: String(at) };
      return [[2 * at + 1, { ...of, streamtype: "error" }] as const, [2 * at, { ...of, streamtype: "data" }] as const];
    });
    const open = new Set(opened.map(([channel]) => channel));
    streams = newClientStreams(opened, {
      send: (bytes) => pipe.write(bytes),
      receive: tell,
      closed: (channel) => {
        if (open.delete(channel) && open.size === 0) close(codes.good, "");
      },
      left: () => close(codes.good, ""),
      broken: () => close(codes.failed, "the kubelet does not speak SPDY"),
    });
    for (const [at, port] of ports.entries()) {
      const bytes = Uint8Array.of(port & 0xff, port >>> 8);
      tell(2 * at, bytes);
      tell(2 * at + 1, bytes);
    }
    for (const { channel, bytes } of early.release()) streams.write(channel, bytes);
  };
  const pipe = newPipe(cluster, {
    begin: (status) => {
      if (status === 101) begin();
      else failure = `the kubelet answers ${status}`;
    },
    receive: (bytes) => streams?.take(bytes),
    end: (why) => close(codes.failed, failure ?? why ?? "EOF"),
    buffered: () => socket.bufferedAmount ?? 0,
  });
  return {
    done,
    leave: () => close(codes.good, ""),
    end: (why) => close(endedCode, why.message),
    receive: (data) => {
      const frame = isOver ? undefined : decodeFrame({ isText }, data);
      // Input on error channels is ignored.
      if (!frame || frame.channel % 2 === 1) return;
      if (streams) streams.write(frame.channel, frame.bytes);
      else if (!early.keep(frame)) close(codes.failed, tooEarly);
    },
  };
}
