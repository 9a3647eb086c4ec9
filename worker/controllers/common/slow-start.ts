// Repeats an operation in batches that double while all succeed and end with the first failure.

const slowStartInitialBatchSize = 1;

/**
 * Calls `attempt` up to `count` times, or until the turn is over. After a failure the rest of its batch is still tried, but no later batch.
 * So pods that a quota forbids cost one batch of rejections, not a thousand.
 */
export function slowStartBatch<Failure>(
  count: number,
  attempt: () => Failure | undefined,
  isBudgetSpent: () => boolean = () => false,
): Failure | undefined {
  let remaining = count;
  for (let batch = Math.min(remaining, slowStartInitialBatchSize); batch > 0; batch = Math.min(2 * batch, remaining)) {
    let failure: Failure | undefined;
    for (let at = 0; at < batch; at++) {
      if (isBudgetSpent()) return failure;
      const outcome = attempt();
      failure ??= outcome;
    }
    if (failure !== undefined) return failure;
    remaining -= batch;
  }
  return undefined;
}
