// A second meter beside the costs: what a call really does, where its cost does not say it (equal trees, texts that grow).
import { spend } from "../k8s/bounds/work.ts";
import { CostExceeded } from "./cost-exceeded.ts";

/** More than a list may have whose items are all compared within the limit of costs. */
const most = 3_000_000;
let spent = 0;

/** Counts items looked at, or ten characters made; throws when it is too much. */
export function work(units: number): void {
  spent += units;
  spend(units);
  if (spent > most) throw new CostExceeded();
}

/** Runs an evaluation with an effort of its own. Evaluations may be inside one another, and are never interleaved. */
export function withEffort<T>(run: () => T): T {
  const outer = spent;
  spent = 0;
  try {
    return run();
  } finally {
    spent = outer;
  }
}
