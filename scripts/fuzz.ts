// `node scripts/fuzz.ts [--seed N] [--scale N] [--rounds N] [target ...]`: runs the fuzzer for as long as it is told, and prints every fault with its input.
import { parseArgs } from "node:util";
import { fuzz } from "../test/fuzz/run.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    scale: { type: "string", default: "10" },
    rounds: { type: "string", default: "1" },
  },
});
let faults = 0;
for (let round = 0; round < Number(values.rounds); round++) {
  const seed = Number(values.seed) + round;
  console.log(`seed ${seed}, scale ${values.scale}`);
  const report = ({
    target,
    runs,
    faults,
    ms,
    slowest,
  }: Parameters<NonNullable<Parameters<typeof fuzz>[0]["report"]>>[0]) => {
    console.log(
      `${target}: ${runs} inputs in ${Math.round(ms)} ms, ${faults.length} kinds of faults, the slowest ${Math.round(slowest.ms)} ms`,
    );
    if (slowest.ms > 500)
      console.log(`  slow: ${JSON.stringify(slowest.input.slice(0, 300))} (${slowest.input.length} characters)`);
  };
  const reports = await fuzz({ seed, scale: Number(values.scale), names: positionals, report });
  for (const { target, input, fault } of reports.flatMap((one) => one.faults)) {
    faults++;
    console.log(
      `FAULT ${JSON.stringify({ target, input: input.length > 3000 ? `${input.slice(0, 3000)}... (${input.length})` : input })}\n${fault}\n`,
    );
  }
}
process.exitCode = faults > 0 ? 1 : 0;
