// Doing the same thing many times, carefully: batches double while all goes well and end with the first that fails.

const slowStartInitialBatchSize = 1;

/**
 * Calls `attempt` up to `count` times, or until the turn is over. The rest of a batch is still tried after a failure in it,
 * later batches are not, so that pods which a quota forbids cost one refusal and not a thousand.
 */
export function slowStartBatch<Failure>(
  count: number,
  attempt: () => Failure | undefined,
  isTurnOver: () => boolean = () => false,
): Failure | undefined {
  let remaining = count;
  for (let batch = Math.min(remaining, slowStartInitialBatchSize); batch > 0; batch = Math.min(2 * batch, remaining)) {
    let failure: Failure | undefined;
    for (let at = 0; at < batch; at++) {
      if (isTurnOver()) return failure;
      const outcome = attempt();
      failure ??= outcome;
    }
    if (failure !== undefined) return failure;
    remaining -= batch;
  }
  return undefined;
}
