// Limits the time of a wait.

/** Rejects after a timeout; the work continues without a listener. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const late = new Promise<never>((_, fail) => {
    const end = () => fail(new Error(`there was no answer within ${ms} ms`));
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
  return Promise.race([work, late]);
}
