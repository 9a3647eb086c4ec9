// A command's session on a machine: translates between the channels of a client's WebSocket and the kubelet's SPDY connection (upstream:
// the API server's `StreamTranslatorHandler`).
import { bytesOfText } from "../../../../shared/base/byte-text.ts";
import { ApiError } from "../../../../shared/k8s/status.ts";
import { newPipe } from "../../outside/pipe.ts";
import { channels, decodeFrame, encodeFrame, type Frame, type Protocol } from "../channels.ts";
import type { SessionSocket } from "../run.ts";
import type { Listener } from "../upgrade.ts";
import type { ClientStreams } from "../spdy/streams.ts";
import { closeReason } from "./close-reason.ts";
import { newEarlyFrames, tooEarly } from "./early-frames.ts";
import { newRemoteCommand, type RemoteStreams } from "./remote-command.ts";

export interface RemoteSessionOptions extends RemoteStreams {
  readonly protocol: Protocol;
  /** The cluster's socket, which carries the connection to the kubelet. */
  readonly cluster: WebSocket;
}

/** The characters of a kubelet's error response that are sent to the client. */
const errorCharacters = 4_096;
const succeeded = { metadata: {}, status: "Success" };

export function newRemoteSession(socket: SessionSocket, options: RemoteSessionOptions): Listener {
  const { protocol, cluster, ...streams } = options;
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const decoder = new TextDecoder();
  let command: ClientStreams | undefined;
  let refusal: string | undefined;
  let isOver = false;
  const early = newEarlyFrames();
  const tell = (channel: number, bytes: Uint8Array) => {
    if (!isOver) socket.send(encodeFrame(protocol, channel, bytes));
  };
  const finish = (status: string, reason = "") => {
    if (isOver) return;
    const words = status === "" ? undefined : endingOf(protocol, status);
    if (words !== undefined) tell(channels.error, bytesOfText(words));
    isOver = true;
    socket.close(1000, closeReason(reason));
    pipe.close();
    resolve();
  };
  const fail = (error: ApiError) => finish(JSON.stringify(error.toStatus()), error.message);
  const begin = (status: number) => {
    if (status !== 101) {
      refusal = "";
      return;
    }
    command = newRemoteCommand(streams, {
      send: (bytes) => pipe.write(bytes),
      output: tell,
      // Older protocols of kubelets report a success by nothing.
      end: (text) => finish(text === "" ? JSON.stringify(succeeded) : text),
      broken: () => fail(ApiError.internal("the kubelet does not speak SPDY")),
    });
    // An empty message tells the client that the connection stands.
    tell(streams.stdout ? channels.stdout : streams.stderr ? channels.stderr : channels.error, new Uint8Array());
    for (const frame of early.release()) input(frame);
  };
  const pipe = newPipe(cluster, {
    begin,
    receive: (bytes) => {
      if (command) command.take(bytes);
      else if (refusal !== undefined && refusal.length < errorCharacters)
        refusal += decoder.decode(bytes, { stream: true });
    },
    end: (why) => fail(ApiError.internal(failureOf({ why, refusal, hasBegun: command !== undefined }))),
    buffered: () => socket.bufferedAmount ?? 0,
  });
  const input = ({ channel, bytes }: Frame) => {
    if (channel === channels.stdin || channel === channels.resize) command?.write(channel, bytes);
    else if (channel === channels.close && protocol.tellsClose && bytes[0] === channels.stdin)
      command?.finish(channels.stdin);
  };
  return {
    done,
    leave: () => finish(""),
    end: fail,
    receive: (data) => {
      const frame = isOver ? undefined : decodeFrame(protocol, data);
      if (frame && command) input(frame);
      else if (frame && !early.keep(frame)) fail(ApiError.internal(tooEarly));
    },
  };
}

interface Failure {
  readonly why: string | undefined;
  /** The text of the kubelet's error response. */
  readonly refusal: string | undefined;
  readonly hasBegun: boolean;
}

function failureOf({ why = "EOF", refusal, hasBegun }: Failure): string {
  if (refusal !== undefined) return `unable to upgrade connection: ${refusal.trim()}`;
  return hasBegun ? `the connection to the kubelet broke: ${why}` : `error dialing backend: ${why}`;
}

/** Returns the text of the error channel. Older protocols have only the message of a failure. */
function endingOf({ tellsStatus }: Protocol, status: string): string | undefined {
  if (tellsStatus) return status;
  try {
    const { status: outcome, message } = JSON.parse(status) as { status?: unknown; message?: unknown };
    return outcome === "Failure" ? String(message) : undefined;
  } catch {
    return status;
  }
}
