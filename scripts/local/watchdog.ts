// Ends a Worker that answers nothing any more, so that it is started again. The platform ends what computes for 30 seconds; here nobody
// else does. What hung it is then found by the cluster that it was in: see `worker/runtime/poison-guard.ts`.

export interface WatchdogOptions {
  /** Resolves when the Worker has answered. */
  ask(signal: AbortSignal): Promise<unknown>;
  /** Ends it; whoever started it starts it again. */
  kill(): void;
  log(line: string): void;
}

/** Between two questions, and for an answer. */
const pauseMs = 5_000;
const answerMs = 5_000;
/** So many in a row without an answer are half a minute. */
const missesAllowed = 3;

/** To be opened once the Worker has answered. Does not keep the process alive. Returns what ends it. */
export function openWatchdog({ ask, kill, log }: WatchdogOptions): () => void {
  let misses = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async () => {
    const startMs = Date.now();
    const hasAnswered = await answers(ask);
    // Timers stand still while the machine sleeps, and the time of day does not: such a silence says nothing.
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

/** Reports whether the Worker answers within the bound of one question. */
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
