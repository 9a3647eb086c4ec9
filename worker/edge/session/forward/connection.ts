// A forwarded connection. The client's requests go to the cluster one after the other, and the pod's responses go back.
import type { ForwardStep, ForwardStepped } from "../../../../shared/contract/cluster-object.ts";
import { type Conversation, type SessionBuffer, newShare, tooMuch } from "./conversation.ts";
import { newHttpConversation } from "./http.ts";
import { newRespConversation } from "./resp.ts";

export interface ForwardOptions {
  nowMs(): number;
  /** Returns undefined if the cluster no longer answers. */
  ask(step: ForwardStep): Promise<ForwardStepped | undefined>;
}

export interface ConnectionOptions extends ForwardOptions {
  readonly port: number;
  readonly buffer: SessionBuffer;
  /** Sends a chunk of at most 32 KB from the pod. */
  send(bytes: Uint8Array): void;
}

export interface Connection {
  receive(bytes: Uint8Array): void;
  /** Ends the client's input; the client may still read. */
  finish(): void;
  /** Drops the connection after the client has disconnected. */
  drop(): void;
  /** Resolves to the end of the connection and its error, if there is one. Never rejects. */
  readonly done: Promise<Ending>;
}

interface Ending {
  readonly error?: string;
}

const pieceSize = 32_768;
const unanswered: Ending = { error: "the cluster does not answer" };

export function newConnection({ port, buffer, nowMs, ask, send }: ConnectionOptions): Connection {
  let problem: string | undefined;
  let hasFinished = false;
  let isGone = false;
  let wake = () => {};
  const early = newEarly(buffer);
  let talk: Conversation = early;
  const sendAll = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += pieceSize) send(bytes.subarray(at, at + pieceSize));
  };
  const run = async (): Promise<Ending> => {
    // Connects before any data is sent, as upstream does.
    const first = await ask({ port });
    if (!first) return unanswered;
    if ("refused" in first) return { error: first.refused };
    if (isGone) return {};
    const chunks = early.takeChunks();
    talk = first.language === "resp" ? newRespConversation(buffer) : newHttpConversation(sendAll, nowMs, buffer);
    for (const chunk of chunks) problem ??= talk.take(chunk);
    while (!isGone) {
      const exchange = talk.next();
      if (exchange) {
        const reply = exchange.step && (await ask({ port, ...exchange.step }));
        if (isGone) break;
        if (exchange.step && !reply) return unanswered;
        if (reply && "refused" in reply) return { error: reply.refused };
        sendAll(exchange.answer(reply));
        exchange.done?.();
        if (exchange.isLast) return {};
      } else if (problem !== undefined) {
        return { error: problem };
      } else if (hasFinished) {
        return {};
      } else {
        await new Promise<void>((resolve) => void (wake = resolve));
      }
    }
    return {};
  };
  const end = () => {
    isGone = true;
    talk.end();
  };
  return {
    receive: (bytes) => {
      // Data that cannot be parsed is not stored.
      if (problem === undefined && !isGone) problem = talk.take(bytes);
      wake();
    },
    finish: () => {
      hasFinished = true;
      wake();
    },
    drop: () => {
      end();
      wake();
    },
    done: run()
      .catch(() => unanswered)
      .finally(end),
  };
}

/** Buffers input until the pod's protocol is known. */
function newEarly(buffer: SessionBuffer): Conversation & { takeChunks(): readonly Uint8Array[] } {
  let buffered: Uint8Array[] = [];
  const share = newShare(buffer);
  const end = () => {
    buffered = [];
    share.set(0);
  };
  return {
    next: () => undefined,
    end,
    takeChunks: () => {
      const all = buffered;
      end();
      return all;
    },
    take: (chunk) => {
      buffered.push(chunk);
      share.set(share.bytes() + chunk.length);
      return share.isTooMuch() ? tooMuch : undefined;
    },
  };
}
