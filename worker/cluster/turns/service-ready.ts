// The start of a local service, for which alarms wait: those that are due when it starts could hang it before it says that it is ready.
import { openedPath } from "../../../shared/contract/tunnel.ts";

/** Returns a function that resolves when the service is ready: at once if there is no Node beside it. It asks once. */
export function serviceReadiness(node: Pick<Fetcher, "fetch"> | undefined): () => Promise<void> {
  let isReady = node === undefined;
  return async () => {
    if (isReady) return;
    const answer = await node?.fetch(`http://node${openedPath}`).catch(() => undefined);
    await answer?.body?.cancel();
    isReady = true;
  };
}
