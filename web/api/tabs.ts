// Shares the user's key between tabs of this origin, so that it stays in memory and is entered only once.

/** The time in milliseconds that a new tab waits for the answer of a tab that is signed in. */
const answerMs = 3000;
/** The wait where the browser has no locks, so that nobody knows whether another tab is signed in. */
const answerWithoutLocksMs = 150;
/** Name of the channel, and of the lock that each signed-in tab holds. */
const channelName = "sandbar.session";

type Message =
  | { readonly ask: string }
  | { readonly answer: string; readonly key: string }
  | { readonly ended: string };

export interface Tabs {
  /** Returns the key of another tab, or undefined. */
  ask(): Promise<string | undefined>;
  /** Shows other tabs that this one has a key, until `release`. */
  hold(): void;
  release(): void;
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
  let releaseLock: (() => void) | undefined;
  return {
    ask: async () => {
      const waitMs = await answerTime();
      if (waitMs === 0) return undefined;
      return new Promise((done) => {
        const timer = setTimeout(() => done(undefined), waitMs);
        requestId = crypto.randomUUID();
        answered = (key) => {
          clearTimeout(timer);
          done(key);
        };
        say({ ask: requestId });
      });
    },
    hold: () => {
      if (releaseLock) return;
      const held = new Promise<void>((done) => {
        releaseLock = done;
      });
      void locks()?.request(channelName, { mode: "shared" }, () => held);
    },
    release: () => {
      releaseLock?.();
      releaseLock = undefined;
    },
    end: (key) => say({ ended: key }),
  };
}

/** Returns how long to wait for an answer, in milliseconds: not at all if no tab is signed in. */
async function answerTime(): Promise<number> {
  const { held } = (await locks()?.query()) ?? {};
  if (!held) return answerWithoutLocksMs;
  return held.some(({ name }) => name === channelName) ? answerMs : 0;
}

/** Returns the browser's locks, which it has only on secure origins. */
function locks(): LockManager | undefined {
  return navigator.locks;
}
