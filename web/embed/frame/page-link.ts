// The frame's side of the protocol with the surrounding page. It accepts messages only from that page and its allowed origin.
import {
  type Look,
  readToFrame,
  type ToFrame,
  type ToPage,
  wrapped,
} from "../../../shared/contract/hosted/embed-messages.ts";

export interface PageLink {
  send(message: ToPage): void;
  /** Resolves at this frame's turn, or after a timeout because the page of a plain frame sends no messages. */
  hello(): Promise<void>;
}

export interface Heard {
  look(look: Look): void;
  call(call: Extract<ToFrame, { type: "call" }>): void;
  /** Another frame has come further in the lesson. */
  moved(): void;
}

/** Milliseconds that the page is waited for: the page of an element may have another frame before this one. */
const helloMs = { plain: 300, element: 20_000 } as const;

export function newPageLink(around: Window, origin: string, isElement: boolean, heard: Heard): PageLink {
  const first = Promise.withResolvers<void>();
  addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== around || event.origin !== origin) return;
    const message = readToFrame(event.data);
    if (message?.type === "hello") first.resolve();
    if (message?.type === "moved") heard.moved();
    if (message?.type === "hello" || message?.type === "look") heard.look(message.look);
    if (message?.type === "call") heard.call(message);
  });
  const send = (message: ToPage) => around.postMessage(wrapped(message), origin);
  return {
    send,
    hello: () => {
      send({ type: "loaded" });
      return Promise.race([first.promise, late(isElement ? helloMs.element : helloMs.plain)]);
    },
  };
}

function late(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}
