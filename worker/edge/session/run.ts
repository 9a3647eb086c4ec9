// A command's session from its beginning to its end: asks the cluster what comes of what is typed, and tells the client.
import type { SessionStep, SessionStepped } from "../../../shared/contract/cluster-object.ts";
import { channels, decodeFrame, encodeFrame, type Protocol } from "./channels.ts";
import { newTerminal } from "./terminal.ts";

/** The client's end of the socket. */
export interface SessionSocket {
  send(frame: string | Uint8Array): void;
  close(code: number, reason: string): void;
}

export interface SessionOptions {
  readonly protocol: Protocol;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  /** When it began, and how much of the output the client is not to be told, both as the cluster says. */
  readonly opened: { readonly nowMs: number; readonly sent: number };
  nowMs(): number;
  /** Undefined if the cluster cannot say any more. */
  ask(step: SessionStep): Promise<SessionStepped | undefined>;
}

export interface Session {
  /** What the client has sent. */
  receive(data: string | ArrayBuffer): void;
  /** The client is gone. */
  leave(): void;
  /** Resolves at the end. */
  readonly done: Promise<void>;
}

/** What is typed within so long is asked about once. */
const gatherMs = 15;
/** A session's input may grow to this; more ends it. */
const mostTyped = 4_000_000;

export function newSession(socket: SessionSocket, options: SessionOptions): Session {
  const { protocol, opened, tty } = options;
  const aheadMs = opened.nowMs - options.nowMs();
  const typed: { atMs: number; text: string }[] = [];
  const decoder = new TextDecoder();
  const terminal = newTerminal();
  const encoder = new TextEncoder();
  let size = 0;
  let hasEnded = !options.stdin;
  let lastMs = opened.nowMs;
  let isGone = false;
  let isNews = false;
  let wake = () => {};
  const tell = (channel: number, text: string) => {
    if (!isGone) socket.send(encodeFrame(protocol, channel, encoder.encode(text)));
  };
  const news = () => {
    isNews = true;
    wake();
  };
  const type = (text: string) => {
    size += text.length;
    if (size > mostTyped) return leave();
    lastMs = Math.max(lastMs, options.nowMs() + aheadMs);
    typed.push({ atMs: lastMs, text });
  };
  const leave = () => {
    isGone = true;
    news();
  };
  const read = (bytes: Uint8Array) => {
    const text = decoder.decode(bytes, { stream: true });
    if (!tty) {
      if (text !== "") type(text);
      return;
    }
    const keyed = terminal(text);
    if (keyed.echo !== "") tell(channels.stdout, keyed.echo);
    for (const piece of keyed.pieces) type(piece);
    hasEnded ||= keyed.hasEnded;
  };
  const receive = (data: string | ArrayBuffer) => {
    const frame = decodeFrame(protocol, data);
    if (!frame || hasEnded || isGone) return;
    if (frame.channel === channels.stdin) read(frame.bytes);
    else if (frame.channel === channels.close && protocol.tellsClose && frame.bytes[0] === channels.stdin)
      hasEnded = true;
    else return;
    news();
  };
  /** Until something is typed, or it is time to ask. */
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      if (isNews) return resolve();
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const run = async () => {
    // So that the client knows that it is connected.
    tell(options.stdout ? channels.stdout : options.stderr ? channels.stderr : channels.error, "");
    let { sent } = opened;
    while (!isGone) {
      isNews = false;
      const stepped = await options.ask({ startMs: opened.nowMs, sent, typed, hasEnded });
      if (!stepped) return socket.close(1011, "the session has failed");
      sent = stepped.sent;
      lastMs = Math.max(lastMs, stepped.nowMs);
      for (const { channel, text } of shown(stepped, options)) tell(channel, text);
      if (stepped.status) {
        const words = ending(protocol, stepped.status);
        if (words !== undefined) tell(channels.error, words);
        return socket.close(1000, "");
      }
      await pause((stepped.nextMs ?? stepped.nowMs + 1000) - stepped.nowMs);
      if (isNews) await new Promise<void>((resolve) => void setTimeout(resolve, gatherMs));
    }
    // Who was attached types no more.
    await options.ask({ startMs: opened.nowMs, sent, typed, hasEnded: true });
    socket.close(1000, "");
  };
  return { receive, leave, done: run() };
}

function shown({ output }: SessionStepped, { stdout, stderr, tty }: SessionOptions) {
  return output.flatMap(({ stream, text }): { readonly channel: number; readonly text: string }[] => {
    // A terminal has one stream, and begins lines where they begin.
    if (tty) return stdout ? [{ channel: channels.stdout, text: text.replace(/\r?\n/g, "\r\n") }] : [];
    if (stream === "stdout") return stdout ? [{ channel: channels.stdout, text }] : [];
    return stderr ? [{ channel: channels.stderr, text }] : [];
  });
}

function ending({ tellsStatus }: Protocol, status: object): string | undefined {
  if (tellsStatus) return JSON.stringify(status);
  return "message" in status ? String(status.message) : undefined;
}
