// `node scripts/fuzz.ts [--seed N] [--scale N] [--rounds N] [target ...]`: runs the fuzzer for as long as it is told, and prints every fault with its input.
import { type FuzzReport, fuzz } from "../test/fuzz/run.ts";
import { readWords } from "./command-words.ts";

const usage = "Usage: node scripts/fuzz.ts [--seed N] [--scale N] [--rounds N] [target ...]";
const { values, positionals } = readWords(usage, {
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    scale: { type: "string", default: "10" },
    rounds: { type: "string", default: "1" },
  },
});
/** Inputs that take longer are printed. */
const slowMs = 250;
let faults = 0;
const report = ({ target, runs, faults: all, ms, slowest }: FuzzReport) => {
  const times = `${runs} inputs in ${Math.round(ms)} ms, the slowest ${Math.round(slowest.ms)} ms`;
  console.log(`${target}: ${times}, ${all.length} kinds of faults`);
  if (slowest.ms > slowMs) console.log(`  slow: ${textOf(slowest.input)}`);
  for (const { input, fault } of all) console.log(`  FAULT ${textOf(input)}\n  ${fault.replaceAll("\n", "\n  ")}`);
  faults += all.length;
};

for (let round = 0; round < Number(values.rounds); round++) {
  const seed = Number(values.seed) + round;
  console.log(`seed ${seed}, scale ${values.scale}`);
  const reports = await fuzz({ seed, scale: Number(values.scale), names: positionals, report });
  const last = reports.at(-1);
  // The report of the thread does not contain the input that ended the run.
  if (last?.runs === 0) report(last);
}
process.exitCode = faults > 0 ? 1 : 0;

function textOf(input: string): string {
  return input.length > 2000
    ? `${JSON.stringify(input.slice(0, 2000))} and more: ${input.length} characters`
    : JSON.stringify(input);
}
