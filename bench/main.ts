// `npm run bench`: measures the service and a bare Worker in the same process. `--large` adds figures that take minutes; names of figures
// run only those. `--strict` fails if a limit is missed; `--profile` prints the functions in which the processor time of each figure was
// spent. Other words with `--` are options of a figure.
import { availableParallelism, loadavg } from "node:os";
import { must } from "../shared/base/assert.ts";
import { refuseWords } from "../scripts/command-words.ts";
import { profiled } from "./profiled.ts";
import { openBench, type Bench } from "./service.ts";
import { type Figure, printTable } from "./table.ts";
import { checks } from "./figures/checks.ts";
import { creates } from "./figures/creates.ts";
import { access } from "./figures/access.ts";
import { customResources } from "./figures/custom-resources.ts";
import { fanOut } from "./figures/fan-out.ts";
import { growth } from "./figures/growth.ts";
import { large } from "./figures/large.ts";
import { liveSandboxes } from "./figures/live-sandboxes.ts";
import { lists } from "./figures/lists.ts";
import { memory } from "./figures/memory.ts";
import { manyDeployments } from "./figures/many-deployments.ts";
import { newSandbox } from "./figures/new-sandbox.ts";
import { pods } from "./figures/pods.ts";
import { requests } from "./figures/requests.ts";
import { rollout } from "./figures/rollout.ts";
import { rules } from "./figures/rules.ts";
import { scheduling } from "./figures/scheduling.ts";
import { states } from "./figures/states.ts";
import { timeAxis } from "./figures/time-axis.ts";

/** Microseconds between two samples of a profile. */
const sampleMicros = 500;

type Measure = (bench: Bench, flags: ReadonlySet<string>) => Figure[] | Promise<Figure[]>;

const usual: Readonly<Record<string, Measure>> = {
  "new-sandbox": newSandbox,
  "live-sandboxes": liveSandboxes,
  creates,
  requests,
  lists,
  rollout,
  pods,
  checks,
  rules,
  access,
  "custom-resources": customResources,
  "fan-out": fanOut,
  "many-deployments": manyDeployments,
  scheduling,
  states,
  "time-axis": timeAxis,
};

const options = process.argv.slice(2);
const names = options.filter((option) => !option.startsWith("--"));
const flags = new Set(options.filter((option) => option.startsWith("--")).map((flag) => flag.slice("--".length)));
/** Figures that take minutes. */
const long: Readonly<Record<string, Measure>> = { large, growth, memory };
const all = { ...usual, ...long };
const chosen = names.length > 0 ? names : Object.keys(flags.has("large") ? all : usual);

const usage = `Usage: npm run bench -- [<figure> ...] [--large] [--strict] [--profile], with the figures ${Object.keys(all).join(", ")}`;
const unknown = chosen.filter((name) => !Object.hasOwn(all, name));
if (unknown.length > 0) refuseWords(usage, `There is no figure ${unknown.join(", ")}.`);
if (flags.has("help")) {
  console.log(usage);
  process.exit(0);
}

const bench = await openBench();
const figures: Figure[] = [];
try {
  for (const name of chosen) {
    const measure = must(Object.entries(all).find(([figureName]) => figureName === name)?.[1], "a figure");
    console.log(`measuring ${name}`);
    if (!flags.has("profile")) {
      figures.push(...(await measure(bench, flags)));
      continue;
    }
    const { result, lines } = await profiled(bench, name, sampleMicros, () => measure(bench, flags));
    figures.push(...result);
    for (const line of lines) console.log(line);
  }
} finally {
  await bench.end();
}
printTable(figures);
// Times depend on other load of the machine; ratios do not.
const [load = 0] = loadavg();
console.log(`on ${availableParallelism()} processors with a load of ${load.toFixed(1)}`);
if (flags.has("strict") && figures.some(({ bar }) => bar?.met === false)) process.exitCode = 1;
