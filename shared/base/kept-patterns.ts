// The patterns of schemas and expressions, compiled once and kept while they are used.
import { limits } from "./limits.ts";
import { compilePattern, compileUnits, isPattern, type NoPattern, type Pattern, type Spend } from "./pattern.ts";

/** The least recently used first. */
const kept = new Map<string, Pattern>();
let keptSize = 0;

/** An automaton takes room as well. */
const leastSize = 100;

export function keptPattern(source: string, spend: Spend): Pattern | NoPattern {
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
