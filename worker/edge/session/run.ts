// A command's session from its beginning to its end: asks the cluster what comes of what is typed, and tells the client.
import type { SessionStepped } from "../../../shared/contract/cluster-object.ts";
import { withoutAdditions } from "../../../shared/base/completion.ts";
import { bytesOfText } from "../../../shared/base/byte-text.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";
import { channels, decodeFrame, encodeFrame, type Protocol } from "./channels.ts";
import { newInput } from "./input.ts";
import type { SessionOptions } from "./options.ts";

/** The client's end of the socket. */
export interface SessionSocket {
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

export interface Session {
  /** What the client has sent. */
  receive(data: string | ArrayBuffer): void;
  /** The client is gone. */
  leave(): void;
  /** The client is told why it is not served any more. */
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
/** What is typed within so long is asked about once. */
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
    // So that the client knows that it is connected.
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
      input.seen(stepped.nowMs);
      for (const { channel, text } of shown(stepped, options, (addition) => input.complete(addition)))
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
    // Who was attached types no more.
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

/** Something was typed, or the client is gone. */
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
    /** Until there is news, but no longer than so many milliseconds; whether there is. */
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

function shown({ output }: SessionStepped, { stdout, stderr, tty }: SessionOptions, told: (addition: string) => void) {
  return output.flatMap(({ stream, text }): { readonly channel: number; readonly text: string }[] => {
    // A terminal has one stream, and begins lines where they begin.
    if (tty)
      return stdout ? [{ channel: channels.stdout, text: withoutAdditions(text, told).replace(/\r?\n/g, "\r\n") }] : [];
    if (stream === "stdout") return stdout ? [{ channel: channels.stdout, text }] : [];
    return stderr ? [{ channel: channels.stderr, text }] : [];
  });
}

function ending({ tellsStatus }: Protocol, status: object): string | undefined {
  if (tellsStatus) return JSON.stringify(status);
  return "message" in status ? String(status.message) : undefined;
}
