// Shares the user's key between tabs of this origin, so that it stays in memory and is entered only once.

/** The time in milliseconds that a new tab waits for an answer. */
const answerMs = 150;
const channelName = "sandbar.session";

type Message =
  | { readonly ask: string }
  | { readonly answer: string; readonly key: string }
  | { readonly ended: string };

export interface Tabs {
  /** Returns the key of another tab, or undefined. */
  ask(): Promise<string | undefined>;
  /** Announces that the user signed out with the key. */
  end(key: string): void;
}

interface Options {
  ownKey(): string | undefined;
  /** Called when another tab signed out with the same key. */
  ended(): void;
}

export function shareKey({ ownKey, ended }: Options): Tabs {
  const channel = new BroadcastChannel(channelName);
  const say = (message: Message) => channel.postMessage(message);
  let answered: ((key: string) => void) | undefined;
  let requestId = "";
  channel.addEventListener("message", ({ data }: MessageEvent<Message>) => {
    const key = ownKey();
    if ("ask" in data && key !== undefined) say({ answer: data.ask, key });
    else if ("answer" in data && data.answer === requestId) answered?.(data.key);
    else if ("ended" in data && data.ended === key) ended();
  });
  return {
    ask: () =>
      new Promise((done) => {
        const timer = setTimeout(() => done(undefined), answerMs);
        requestId = crypto.randomUUID();
        answered = (key) => {
          clearTimeout(timer);
          done(key);
        };
        say({ ask: requestId });
      }),
    end: (key) => say({ ended: key }),
  };
}
