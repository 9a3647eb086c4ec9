// One forwarded connection: what the client asks goes to the cluster, one question after the other, and what the pod answers goes back.
import type { ForwardStep, ForwardStepped } from "../../../../shared/contract/cluster-object.ts";
import { type Conversation, type Held, newShare, tooMuch } from "./conversation.ts";
import { newHttpConversation } from "./http.ts";
import { newRespConversation } from "./resp.ts";

export interface ForwardOptions {
  nowMs(): number;
  /** Undefined if the cluster cannot say any more. */
  ask(step: ForwardStep): Promise<ForwardStepped | undefined>;
}

export interface ConnectionOptions extends ForwardOptions {
  readonly port: number;
  readonly held: Held;
  /** A piece of what the pod says, of 32 KB at most. */
  send(bytes: Uint8Array): void;
}

export interface Connection {
  receive(bytes: Uint8Array): void;
  /** The client will send no more, but may read. */
  finish(): void;
  /** The client is gone. */
  drop(): void;
  /** How it came to its end: what went wrong, if something did. Never rejects. */
  readonly done: Promise<Ending>;
}

interface Ending {
  readonly error?: string;
}

const pieceSize = 32_768;
const unanswered: Ending = { error: "the cluster does not answer" };

export function newConnection({ port, held, nowMs, ask, send }: ConnectionOptions): Connection {
  let problem: string | undefined;
  let hasFinished = false;
  let isGone = false;
  let wake = () => {};
  const early = newEarly(held);
  let talk: Conversation = early;
  const sendAll = (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += pieceSize) send(bytes.subarray(at, at + pieceSize));
  };
  const run = async (): Promise<Ending> => {
    // As upstream does, it is connected before anything is said.
    const first = await ask({ port });
    if (!first) return unanswered;
    if ("refused" in first) return { error: first.refused };
    if (isGone) return {};
    const parts = early.parts();
    talk = first.language === "resp" ? newRespConversation(held) : newHttpConversation(sendAll, nowMs, held);
    for (const part of parts) problem ??= talk.take(part);
    while (!isGone) {
      const exchange = talk.next();
      if (exchange) {
        const said = exchange.step && (await ask({ port, ...exchange.step }));
        if (isGone) break;
        if (exchange.step && !said) return unanswered;
        if (said && "refused" in said) return { error: said.refused };
        sendAll(exchange.answer(said));
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
      // Nothing is kept of what cannot be understood.
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

/** What comes before it is known which language the pod speaks. */
function newEarly(held: Held): Conversation & { parts(): readonly Uint8Array[] } {
  let kept: Uint8Array[] = [];
  const share = newShare(held);
  const end = () => {
    kept = [];
    share.set(0);
  };
  return {
    next: () => undefined,
    end,
    parts: () => {
      const all = kept;
      end();
      return all;
    },
    take: (part) => {
      kept.push(part);
      share.set(share.bytes() + part.length);
      return share.isTooMuch() ? tooMuch : undefined;
    },
  };
}
