// The patterns of schemas and expressions, compiled once and kept while they are used; and the work that one request or reconcile
// may put into compiling and matching them.
import { limits } from "./limits.ts";
import {
  budgetOf,
  compilePattern,
  compileUnits,
  isPattern,
  type NoPattern,
  type Pattern,
  type Spend,
} from "./pattern.ts";

let current: Spend | undefined;

/** Runs something whose patterns share one budget: that of what is around it, if there is one. */
export function withPatternBudget<T>(run: () => T): T {
  if (current) return run();
  current = budgetOf(limits.patternUnits);
  try {
    return run();
  } finally {
    current = undefined;
  }
}

/** What is left of the budget; where nobody has set one, a whole one. */
export function patternBudget(): Spend {
  return current ?? budgetOf(limits.patternUnits);
}

/** The least recently used first. */
const kept = new Map<string, Pattern>();
let keptSize = 0;

/** An automaton takes room as well. */
const leastSize = 100;

export function keptPattern(source: string, spend: Spend = patternBudget()): Pattern | NoPattern {
  const known = kept.get(source);
  if (known) {
    kept.delete(source);
    kept.set(source, known);
    return known;
  }
  if (!spend(compileUnits(source))) return { error: "error parsing regexp: expressions too large" };
  const made = compilePattern(source, { withoutGroups: true });
  if (isPattern(made)) keep(source, made);
  return made;
}

function keep(source: string, pattern: Pattern): void {
  kept.set(source, pattern);
  keptSize += Math.max(pattern.size, leastSize);
  for (const [oldest, { size }] of kept) {
    if (keptSize <= limits.keptPatternInstructions) return;
    kept.delete(oldest);
    keptSize -= Math.max(size, leastSize);
  }
}
