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
  /** Announces the frame. Resolves when the page answers, or after a timeout: the page of a plain iframe never answers. */
  hello(): Promise<void>;
}

export interface PageMessageHandlers {
  look(look: Look): void;
  call(call: Extract<ToFrame, { type: "call" }>): void;
  /** Called after another frame of the page advanced in the lesson. */
  moved(): void;
}

/** The timeout in milliseconds. It is longer for a custom element, whose page may open other frames before this one. */
const helloMs = { plain: 300, element: 20_000 } as const;

export function newPageLink(page: Window, origin: string, isElement: boolean, handlers: PageMessageHandlers): PageLink {
  const first = Promise.withResolvers<void>();
  addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== page || event.origin !== origin) return;
    const message = readToFrame(event.data);
    if (message?.type === "hello") first.resolve();
    if (message?.type === "moved") handlers.moved();
    if (message?.type === "hello" || message?.type === "look") handlers.look(message.look);
    if (message?.type === "call") handlers.call(message);
  });
  const send = (message: ToPage) => page.postMessage(wrapped(message), origin);
  return {
    send,
    hello: () => {
      send({ type: "loaded" });
      return Promise.race([first.promise, timeout(isElement ? helloMs.element : helloMs.plain)]);
    },
  };
}

function timeout(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}
