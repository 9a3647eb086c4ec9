// Runs a command's session: sends the input to the cluster and the output to the client.
import type { SessionStepped } from "../../../shared/contract/cluster-object.ts";
import { withoutAdditions } from "../../../shared/base/completion.ts";
import { bytesOfText } from "../../../shared/base/byte-text.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";
import { channels, decodeFrame, encodeFrame, type Protocol } from "./channels.ts";
import { newInput } from "./input.ts";
import type { SessionOptions } from "./options.ts";

/** The client's socket. */
export interface SessionSocket {
  /** The bytes that are sent and not transmitted yet. */
  readonly bufferedAmount?: number;
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

export interface Session {
  /** Receives a message of the client. */
  receive(data: string | ArrayBuffer): void;
  /** Ends the session after the client has disconnected. */
  leave(): void;
  /** Ends the session and sends the reason to the client. */
  end(why: ApiError): void;
  /** Resolves at the end. */
  readonly done: Promise<void>;
}

const tooMuch = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: "the input is longer than a simulated container reads",
  reason: "InternalError",
  code: 500,
};
/** The time during which input is gathered into one request. */
const gatherMs = 15;

export function newSession(socket: SessionSocket, options: SessionOptions): Session {
  const { protocol, opened } = options;
  let isGone = false;
  let isEnded = false;
  const bell = newBell();
  const { news } = bell;
  const leave = () => {
    isGone = true;
    news();
  };
  const tell = (channel: number, text: string) => {
    if (!isGone) socket.send(encodeFrame(protocol, channel, bytesOfText(text)));
  };
  const end = (why: ApiError) => {
    if (isGone) return;
    const words = ending(protocol, why.toStatus());
    if (words !== undefined) tell(channels.error, words);
    isEnded = true;
    socket.close(1000, why.message);
    leave();
  };
  const input = newInput(options, (echo) => tell(channels.stdout, echo));
  const run = async () => {
    // An empty message confirms the connection.
    tell(options.stdout ? channels.stdout : options.stderr ? channels.stderr : channels.error, "");
    let { sent } = opened;
    const step = () => ({
      startMs: opened.nowMs,
      startRealMs: opened.realMs,
      sent,
      typed: input.typed,
      hasEnded: input.hasEnded(),
    });
    while (!isGone) {
      bell.hush();
      const stepped = await options.ask(step()).catch(() => undefined);
      if (isEnded) return;
      if (!stepped) return socket.close(1011, "the session has failed");
      if ("refused" in stepped) return end(stepped.refused);
      sent = stepped.sent;
      input.acknowledge(stepped.nowMs);
      for (const { channel, text } of encodeOutput(stepped, options, (addition) => input.complete(addition)))
        tell(channel, text);
      if (stepped.status) {
        const words = ending(protocol, stepped.status);
        if (words !== undefined) tell(channels.error, words);
        return socket.close(1000, "");
      }
      const rang = await bell.rings((stepped.nextMs ?? stepped.nowMs + 1000) - stepped.nowMs);
      if (rang) await new Promise<void>((resolve) => void setTimeout(resolve, gatherMs));
    }
    if (isEnded) return;
    // A detached client sends no more input.
    await options.ask({ ...step(), hasEnded: true, hasLeft: true });
    socket.close(1000, "");
  };
  const receive = (data: string | ArrayBuffer) => {
    const frame = isGone ? undefined : decodeFrame(protocol, data);
    const taken = frame ? input.take(frame) : "nothing";
    if (taken === "too much") {
      if (protocol.tellsStatus) tell(channels.error, JSON.stringify(tooMuch));
      leave();
    }
    if (taken === "news") news();
  };
  return { receive, leave, end, done: run() };
}

/** Signals input, or that the client has disconnected. */
function newBell() {
  let isNews = false;
  let wake = () => {};
  return {
    news: () => {
      isNews = true;
      wake();
    },
    hush: () => {
      isNews = false;
    },
    /** Waits for a signal up to a timeout; resolves to whether there was one. */
    rings: async (ms: number): Promise<boolean> => {
      if (isNews) return true;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return isNews;
    },
  };
}

function encodeOutput(
  { output }: SessionStepped,
  { stdout, stderr, tty }: SessionOptions,
  complete: (addition: string) => void,
) {
  return output.flatMap(({ stream, text }): { readonly channel: number; readonly text: string }[] => {
    // A terminal has one stream, and needs carriage returns.
    if (tty)
      return stdout
        ? [{ channel: channels.stdout, text: withoutAdditions(text, complete).replace(/\r?\n/g, "\r\n") }]
        : [];
    if (stream === "stdout") return stdout ? [{ channel: channels.stdout, text }] : [];
    return stderr ? [{ channel: channels.stderr, text }] : [];
  });
}

function ending({ tellsStatus }: Protocol, status: object): string | undefined {
  if (tellsStatus) return JSON.stringify(status);
  return "message" in status ? String(status.message) : undefined;
}
