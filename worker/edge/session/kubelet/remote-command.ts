// The client's end of a command's SPDY connection to a kubelet (upstream: client-go's `remotecommand`, protocol v4): one stream each for the
// status, input, output, errors and sizes of the terminal.
import { joinBytes } from "../../../../shared/base/byte-text.ts";
import { channels } from "../channels.ts";
import { type ClientStreams, newClientStreams, type StreamsEnd } from "../spdy/streams.ts";

export interface RemoteStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface RemoteCommandEnd extends Pick<StreamsEnd, "send" | "broken"> {
  /** Receives output of the channel `stdout` or `stderr`. */
  output(channel: number, bytes: Uint8Array): void;
  /** Handles the end of all streams with the command's Status as JSON; empty for success. */
  end(status: string): void;
}

/** The maximum bytes of a command's Status. */
const statusBytes = 65_536;

/** Opens the streams. */
export function newRemoteCommand(used: RemoteStreams, end: RemoteCommandEnd): ClientStreams {
  const all: readonly (readonly [name: string, channel: number, isWanted: boolean])[] = [
    ["error", channels.error, true],
    ["stdin", channels.stdin, used.stdin],
    ["stdout", channels.stdout, used.stdout],
    ["stderr", channels.stderr, used.stderr],
    ["resize", channels.resize, used.tty],
  ];
  const opened = all.flatMap(([streamtype, channel, isWanted]) =>
    isWanted ? [[channel, { streamtype }] as const] : [],
  );
  const awaited = new Set<number>([channels.error, channels.stdout, channels.stderr]);
  for (const channel of awaited) if (!opened.some(([candidate]) => candidate === channel)) awaited.delete(channel);
  const status: Uint8Array[] = [];
  let statusSize = 0;
  let isOver = false;
  const finish = () => {
    if (isOver) return;
    isOver = true;
    end.end(new TextDecoder().decode(joinBytes(status)));
  };
  return newClientStreams(opened, {
    send: (bytes) => {
      if (!isOver) end.send(bytes);
    },
    receive: (channel, bytes) => {
      if (channel === channels.stdout || channel === channels.stderr) return end.output(channel, bytes);
      statusSize += channel === channels.error ? bytes.length : 0;
      if (channel === channels.error && statusSize <= statusBytes) status.push(bytes);
    },
    closed: (channel) => {
      if (awaited.delete(channel) && awaited.size === 0) finish();
    },
    left: finish,
    broken: () => end.broken(),
  });
}
