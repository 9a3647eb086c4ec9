// The input of a client in a session, with times of the cluster.
import { newByteReader } from "../../../shared/base/byte-text.ts";
import { channels, type Frame } from "./channels.ts";
import type { SessionOptions } from "./options.ts";
import { newTerminal } from "./terminal.ts";

export interface SessionInput {
  readonly typed: readonly { readonly atMs: number; readonly text: string }[];
  hasEnded(): boolean;
  /** Records that the cluster has processed the input up to a time; later input gets later times. */
  acknowledge(nowMs: number): void;
  take(frame: Frame): "news" | "nothing" | "too much";
  /** Appends a completion from the program to the current line. */
  complete(addition: string): void;
}

/** The limit of a session's input in the encoding for the cluster. More ends the session. */
const mostTyped = 2_800_000;

export function newInput(
  { protocol, tty, stdin, opened, nowMs }: SessionOptions,
  echo: (text: string) => void,
): SessionInput {
  const aheadMs = opened.nowMs - nowMs();
  const typed: { atMs: number; text: string }[] = [];
  const reader = newByteReader();
  const terminal = newTerminal();
  let size = 0;
  let hasEnded = !stdin;
  let lastMs = opened.nowMs;
  const type = (text: string) => {
    // Binary data is longer in JSON.
    size += JSON.stringify(text).length;
    lastMs = Math.max(lastMs, nowMs() + aheadMs);
    typed.push({ atMs: lastMs, text });
  };
  const read = (bytes: Uint8Array) => {
    const text = reader.read(bytes);
    if (!tty) {
      if (text !== "") type(text);
      return;
    }
    const keyed = terminal.type(text);
    if (keyed.echo !== "") echo(keyed.echo);
    for (const piece of keyed.pieces) type(piece);
    hasEnded ||= keyed.hasEnded;
  };
  return {
    typed,
    hasEnded: () => hasEnded,
    complete: (addition) => void terminal.complete(addition),
    acknowledge: (ms) => {
      lastMs = Math.max(lastMs, ms);
    },
    take: ({ channel, bytes }) => {
      if (hasEnded) return "nothing";
      const before = typed.length;
      if (channel === channels.stdin) read(bytes);
      else if (channel === channels.close && protocol.tellsClose && bytes[0] === channels.stdin) {
        const rest = reader.end();
        if (rest !== "") type(rest);
        hasEnded = true;
      }
      if (size > mostTyped) return "too much";
      return hasEnded || typed.length > before ? "news" : "nothing";
    },
  };
}
