// The cache of compiled patterns of schemas and expressions.
import { limits } from "./limits.ts";
import { compilePattern, compileUnits, isPattern, type NoPattern, type Pattern, type Spend } from "./pattern.ts";

/** The patterns, the least recently used first. */
const cachedPatterns = new Map<string, Pattern>();
let keptSize = 0;

/** The minimum size of a pattern, because its automaton needs memory too. */
const leastSize = 100;

export function keptPattern(source: string, spend: Spend): Pattern | NoPattern {
  const cachedPattern = cachedPatterns.get(source);
  if (cachedPattern) {
    cachedPatterns.delete(source);
    cachedPatterns.set(source, cachedPattern);
    return cachedPattern;
  }
  if (!spend(compileUnits(source))) return { error: "error parsing regexp: expressions too large" };
  const compiled = compilePattern(source, { withoutGroups: true });
  if (isPattern(compiled)) keep(source, compiled);
  return compiled;
}

function keep(source: string, pattern: Pattern): void {
  cachedPatterns.set(source, pattern);
  keptSize += Math.max(pattern.size, leastSize);
  for (const [oldest, { size }] of cachedPatterns) {
    if (keptSize <= limits.keptPatternInstructions) return;
    cachedPatterns.delete(oldest);
    keptSize -= Math.max(size, leastSize);
  }
}
