// Kills a Worker that no longer answers, so that it is restarted. The platform ends computations after 30 seconds; a local run needs the
// watchdog for that. The cluster that hung then finds the cause: see `worker/runtime/poison-guard.ts`.

export interface WatchdogOptions {
  /** Resolves when the Worker has answered. */
  ask(signal: AbortSignal): Promise<unknown>;
  /** Kills the Worker, which its supervisor restarts. */
  kill(): void;
  log(line: string): void;
}

/** Milliseconds between two requests, and for an answer. */
const pauseMs = 5_000;
const answerMs = 5_000;
/** The number of unanswered requests in a row before the Worker is killed: half a minute. */
const missesAllowed = 3;

/** Starts the watchdog, once the Worker has answered. It does not keep the process alive. Returns the function that stops it. */
export function openWatchdog({ ask, kill, log }: WatchdogOptions): () => void {
  let misses = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async () => {
    const startMs = Date.now();
    const hasAnswered = await answers(ask);
    // Timers stand still while the machine sleeps, but the time of day goes on: such a pause is no failure.
    const hasSlept = Date.now() - startMs > 2 * answerMs;
    misses = hasAnswered || hasSlept ? 0 : misses + 1;
    if (isClosed) return;
    if (misses >= missesAllowed) {
      misses = 0;
      log(`Sandbar answered nothing for ${(missesAllowed * (pauseMs + answerMs)) / 1000} seconds and is started again`);
      kill();
    }
    wait();
  };
  const wait = () => {
    timer = setTimeout(() => void round(), pauseMs).unref();
  };
  wait();
  return () => {
    isClosed = true;
    clearTimeout(timer);
  };
}

/** Reports whether the Worker answers within the time limit of one request. */
export async function answers(ask: WatchdogOptions["ask"]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort();
    resolve(false);
  }, answerMs).unref();
  ask(late.signal).then(
    () => resolve(true),
    () => resolve(false),
  );
  return promise.finally(() => clearTimeout(timer));
}
