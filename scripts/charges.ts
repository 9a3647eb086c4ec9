// Compares what turns over tenants' inputs charge with what they take: `node scripts/charges.ts [--long] [--every 2] [--from 1] [--lenience 2] [--slowest 20]
// [text of names]`. The corpus is test/charges. Exits with 1 if a turn is too long or charges too little, and names its hottest functions.
// `!` marks a known fault that still fails, `?` one that keeps well within the bounds and can leave test/charges/known-faults.txt.
import { containerTurns } from "../test/charges/containers.ts";
import { controlPlaneTurns } from "../test/charges/control-plane.ts";
import { documentTurns } from "../test/charges/documents.ts";
import { hottestFunctions } from "../test/charges/hottest.ts";
import { isKnownFault, shortened } from "../test/charges/known-faults.ts";
import { processorFactor, processorMicroseconds } from "../test/charges/processor.ts";
import { bounds, isWellWithin, measure, type Measurement } from "../test/charges/verdict.ts";
import "../test/interpreters.ts";

const words = process.argv.slice(2);
const isLong = words.includes("--long");
const slowest = numberAfter("--slowest", 10);
/** Runs only each nth input. */
const every = numberAfter("--every", 1);
/** The index of the first input that is run. */
const from = numberAfter("--from", 0);
/** Multiplies the longest turn and divides the least share, for a machine that other work disturbs. */
const lenience = numberAfter("--lenience", 1);
const texts = words.filter(
  (word, at) => !word.startsWith("--") && !/^--(?:slowest|every|from|lenience)$/.test(words[at - 1] ?? ""),
);

const turns = [...containerTurns(), ...documentTurns(), ...controlPlaneTurns()]
  .filter(({ name }) => texts.every((text) => name.includes(text)))
  .filter((_, at) => at % every === from);

// The first rounds let V8 compile the loop.
const warmRounds = 30;
const factor = processorFactor(warmRounds);
const clock = { read: processorMicroseconds, factor: () => processorFactor(2) };
const startedMs = performance.now();
const limits = {
  ...bounds,
  longestMicroseconds: bounds.longestMicroseconds * lenience,
  leastShare: bounds.leastShare / lenience,
};
const runs = isLong ? 4 * bounds.runs : bounds.runs;
const measurements: Measurement[] = [];
let failed = 0;
let knownFaultCount = 0;
for (const turn of turns) {
  const measurement = await measure(turn, clock, { ...limits, runs });
  measurements.push(measurement);
  if (isKnownFault(turn.name)) {
    knownFaultCount++;
    if (measurement.complaint !== undefined) console.log(`! ${shortened(turn.name)}`);
    else if (isWellWithin(measurement, bounds)) console.log(`? ${shortened(turn.name)}`);
    continue;
  }
  if (measurement.complaint === undefined) continue;
  failed++;
  const hottest = (await hottestFunctions(turn)).join(", ");
  console.log(`✗ ${shortened(turn.name)}\n    ${measurement.complaint}; hottest: ${hottest}`);
}
for (const measurement of [...measurements].sort((a, b) => b.tookMicroseconds - a.tookMicroseconds).slice(0, slowest)) {
  console.log(line(measurement));
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
console.log(
  `${measurements.length} inputs, ${failed} refused, ${knownFaultCount} known faults, ${seconds} s; a reference microsecond takes ${factor.toFixed(2)} here`,
);
process.exitCode = failed > 0 || measurements.length === 0 ? 1 : 0;

function numberAfter(word: string, fallback: number): number {
  const at = words.indexOf(word);
  return at < 0 ? fallback : Number(words[at + 1]);
}

function line({ name, tookMicroseconds, chargedMicroseconds }: Measurement): string {
  const [took, charged] = [tookMicroseconds, chargedMicroseconds].map((microseconds) =>
    (microseconds / 1000).toFixed(1).padStart(7),
  );
  return `  took ${took} ms, charged ${charged} ms: ${shortened(name)}`;
}
