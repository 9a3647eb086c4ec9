// The frame's side of the talk with the page around it: only that page is heard, and only pages of the origin that it was given out for.
import {
  type Look,
  readToFrame,
  type ToFrame,
  type ToPage,
  wrapped,
} from "../../../shared/contract/hosted/embed-messages.ts";

export interface PageLink {
  send(message: ToPage): void;
  /** Until the page says how it looks, or for so long: a plain frame's page never does. */
  hello(keepsNothing: boolean): Promise<Extract<ToFrame, { type: "hello" }> | undefined>;
}

export interface Heard {
  look(look: Look): void;
  call(call: Extract<ToFrame, { type: "call" }>): void;
}

/** Milliseconds that the page is waited for: a page that keeps a frame's visitor may have another frame before it. */
const helloMs = 300;
const keptHelloMs = 20_000;

export function newPageLink(around: Window, origin: string, heard: Heard): PageLink {
  const first = Promise.withResolvers<Extract<ToFrame, { type: "hello" }>>();
  addEventListener("message", (event: MessageEvent<unknown>) => {
    if (event.source !== around || event.origin !== origin) return;
    const message = readToFrame(event.data);
    if (message?.type === "hello") first.resolve(message);
    if (message?.type === "hello" || message?.type === "look") heard.look(message.look);
    if (message?.type === "call") heard.call(message);
  });
  const send = (message: ToPage) => around.postMessage(wrapped(message), origin);
  return {
    send,
    hello: (keepsNothing) => {
      send({ type: "loaded", keepsNothing });
      return Promise.race([first.promise, late(keepsNothing ? keptHelloMs : helloMs)]);
    },
  };
}

function late(ms: number): Promise<undefined> {
  return new Promise((done) => void setTimeout(() => done(undefined), ms));
}
