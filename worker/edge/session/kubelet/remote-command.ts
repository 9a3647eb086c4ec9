// The client's end of a command's SPDY connection to a kubelet (upstream: client-go's `remotecommand`, protocol v4): one stream each for the
// status, input, output, errors and sizes of the terminal.
import { joinBytes } from "../../../../shared/base/byte-text.ts";
import { channels } from "../channels.ts";
import { dataFrame, newFrameReader, openFrame, pingFrame, type SpdyFrame } from "../spdy/frames.ts";
import { newHeaderWriter } from "../spdy/headers.ts";

export interface RemoteStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface RemoteCommandEnd {
  /** Sends bytes to the kubelet. */
  send(bytes: Uint8Array): void;
  /** Receives output of the channel `stdout` or `stderr`. */
  output(channel: number, bytes: Uint8Array): void;
  /** Handles the end of all streams with the command's Status as JSON; empty for success. */
  end(status: string): void;
  /** Handles bytes that are not SPDY. */
  broken(): void;
}

export interface RemoteCommand {
  receive(bytes: Uint8Array): void;
  /** Sends a client's data of the channel `stdin` or `resize`. */
  send(channel: number, bytes: Uint8Array): void;
  /** Ends the input. */
  closeInput(): void;
}

/** The maximum bytes of a command's Status. */
const statusBytes = 65_536;
const nothing = new Uint8Array();

/** Opens the streams. */
export function newRemoteCommand(wanted: RemoteStreams, end: RemoteCommandEnd): RemoteCommand {
  const readFrames = newFrameReader();
  const writeHeaders = newHeaderWriter();
  const names: readonly (readonly [name: string, channel: number, isWanted: boolean])[] = [
    ["error", channels.error, true],
    ["stdin", channels.stdin, wanted.stdin],
    ["stdout", channels.stdout, wanted.stdout],
    ["stderr", channels.stderr, wanted.stderr],
    ["resize", channels.resize, wanted.tty],
  ];
  const streams = new Map<number, number>();
  for (const [streamtype, channel, isWanted] of names) {
    if (!isWanted) continue;
    const id = 2 * streams.size + 1;
    streams.set(channel, id);
    end.send(openFrame(id, writeHeaders({ streamtype })));
  }
  const channelOf = new Map([...streams].map(([channel, id]) => [id, channel]));
  const open = new Set([channels.error, channels.stdout, channels.stderr].filter((channel) => streams.has(channel)));
  const status: Uint8Array[] = [];
  let statusSize = 0;
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    end.end(new TextDecoder().decode(joinBytes(status)));
  };
  const close = (stream: number) => {
    open.delete(channelOf.get(stream) ?? -1);
    if (open.size === 0) finish();
  };
  const take = (stream: number, bytes: Uint8Array) => {
    const channel = channelOf.get(stream);
    if (channel === undefined || bytes.length === 0 || !open.has(channel)) return;
    if (channel !== channels.error) return end.output(channel, bytes);
    statusSize += bytes.length;
    if (statusSize <= statusBytes) status.push(bytes);
  };
  const handle = (frame: SpdyFrame) => {
    if (frame.type === "data") take(frame.stream, frame.bytes);
    if (frame.type === "reset") close(frame.stream);
    else if ((frame.type === "data" || frame.type === "headers") && frame.isLast) close(frame.stream);
    // Even ids are the kubelet's own pings.
    else if (frame.type === "ping" && frame.id % 2 === 0) end.send(pingFrame(frame.id));
    else if (frame.type === "leave") finish();
  };
  const sendTo = (channel: number, bytes: Uint8Array, isLast: boolean) => {
    const stream = streams.get(channel);
    if (stream !== undefined && !isOver) end.send(dataFrame(stream, bytes, isLast));
  };
  return {
    receive: (bytes) => {
      const frames = readFrames(bytes);
      if (!frames) return end.broken();
      for (const frame of frames) handle(frame);
    },
    send: (channel, bytes) => sendTo(channel, bytes, false),
    closeInput: () => {
      sendTo(channels.stdin, nothing, true);
      streams.delete(channels.stdin);
    },
  };
}
