// The key of whoever is signed in, handed from one tab of this origin to the next, so that it stays in memory and is asked for once.

/** Milliseconds that a new tab waits for another to answer. */
const answerMs = 150;
const channelName = "sandbar.session";

type Message =
  | { readonly ask: string }
  | { readonly answer: string; readonly key: string }
  | { readonly ended: string };

export interface Tabs {
  /** Returns the key of another tab; undefined if none has one. */
  ask(): Promise<string | undefined>;
  /** Says that the key is signed out. */
  end(key: string): void;
}

interface Options {
  own(): string | undefined;
  /** Called if another tab has signed out with the same key. */
  ended(): void;
}

export function shareKey({ own, ended }: Options): Tabs {
  const channel = new BroadcastChannel(channelName);
  const say = (message: Message) => channel.postMessage(message);
  let answered: ((key: string) => void) | undefined;
  let asked = "";
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    const key = own();
    if ("ask" in data && key !== undefined) say({ answer: data.ask, key });
    else if ("answer" in data && data.answer === asked) answered?.(data.key);
    else if ("ended" in data && data.ended === key) ended();
  });
  return {
    ask: () =>
      new Promise((done) => {
        const timer = setTimeout(() => done(undefined), answerMs);
        asked = crypto.randomUUID();
        answered = (key) => {
          clearTimeout(timer);
          done(key);
        };
        say({ ask: asked });
      }),
    end: (key) => say({ ended: key }),
  };
}
