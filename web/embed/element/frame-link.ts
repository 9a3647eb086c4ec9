// The element's side of the protocol with its frame. It accepts messages only from this frame, and queues calls until the frame is ready.
import {
  type EmbedEvent,
  embedEvents,
  type EmbedMethod,
  type Look,
  readToPage,
  type ToFrame,
  type ToPage,
  wrapped,
} from "../../../shared/contract/hosted/embed-messages.ts";
import { turnOf } from "./turns.ts";

/** A refusal by the frame. `code` is an error code of the control API, or `failed`. */
export class EmbedError extends Error {
  override name = "EmbedError";
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

export interface FrameLink {
  readonly frame: HTMLIFrameElement;
  look(look: Look): void;
  call(method: EmbedMethod, text: string): Promise<unknown>;
  end(): void;
}

export interface LinkOptions {
  readonly frame: HTMLIFrameElement;
  /** The origin of the service. */
  readonly origin: string;
  readonly key: string;
  look(): Look;
  event(event: EmbedEvent): void;
  height(pixels: number): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: EmbedError): void;
}

export function newFrameLink(options: LinkOptions): FrameLink {
  const { frame, origin, key, look } = options;
  const waiting = new Map<number, Waiting>();
  const unsent: ToFrame[] = [];
  let calls = 0;
  let isThere = false;
  let isWaiting = false;
  let worn = "";
  let endTurn: (() => void) | undefined;
  const post = (message: ToFrame) => frame.contentWindow?.postMessage(wrapped(message), origin);
  const hello = async () => {
    isWaiting = true;
    endTurn = await turnOf(key);
    const now = look();
    worn = JSON.stringify(now);
    post({ type: "hello", look: now });
    isThere = true;
    for (const message of unsent.splice(0)) post(message);
  };
  const take = (message: ToPage) => {
    if (message.type === "loaded") return void hello();
    if (message.type === "moved") return tellOthers(key, post);
    if (message.type === "height") return options.height(message.pixels);
    if (message.type === "answer") return answered(waiting, message);
    if (message.type === "ready" || message.type === "refused") endTurn?.();
    if (isEvent(message)) options.event(message);
  };
  const hear = ({ source, origin: from, data }: MessageEvent<unknown>) => {
    if (source !== frame.contentWindow || from !== origin) return;
    const message = readToPage(data);
    if (message) take(message);
  };
  addEventListener("message", hear);
  all.set(post, key);
  frame.addEventListener("load", () => {
    setTimeout(() => {
      if (!isThere && !isWaiting) options.event(notShown);
    }, silentMs);
  });
  return {
    frame,
    look: (now) => {
      // Most changes of a page do not affect its look.
      const text = JSON.stringify(now);
      if (!isThere || text === worn) return;
      worn = text;
      post({ type: "look", look: now });
    },
    call: (method, text) => {
      calls += 1;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(calls, { resolve, reject });
      const message: ToFrame = { type: "call", id: calls, method, text };
      if (isThere) post(message);
      else unsent.push(message);
      return promise;
    },
    end: () => {
      removeEventListener("message", hear);
      all.delete(post);
      endTurn?.();
      for (const call of waiting.values())
        call.reject(new EmbedError({ code: "gone", message: "the element is gone" }));
    },
  };
}

/** The time in milliseconds after which an unresponsive frame shows a message. */
const silentMs = 2_000;
const notShown = {
  type: "refused",
  code: "not_shown",
  message: "the service shows a sentence in the cluster's place",
} as const;

/** The senders of all frames of the page, with their keys. */
const all = new Map<(message: ToFrame) => void, string>();

function tellOthers(key: string, me: (message: ToFrame) => void): void {
  for (const [post, ofKey] of all) if (ofKey === key && post !== me) post({ type: "moved" });
}

function answered(waiting: Map<number, Waiting>, answer: Extract<ToPage, { type: "answer" }>): void {
  const call = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ("error" in answer) call?.reject(new EmbedError(answer.error));
  else call?.resolve(answer.value);
}

function isEvent(message: ToPage): message is EmbedEvent {
  return embedEvents.some((eventName) => eventName === message.type);
}
