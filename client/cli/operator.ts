// The commands about faults and operators: set faults, run an operator of this machine in a sandbox, and test one.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bench, operatorUser, type RunResult } from "../bench/bench.ts";
import { OperatorProcess } from "../bench/operator-process.ts";
import { type Plan, plansOf, type Recording } from "../bench/plans.ts";
import { type Finding, type NumberedPlan, runPlans } from "../bench/run-plans.ts";
import type { FaultList, GivenFaults } from "../index.ts";
import type { Run } from "./command-run.ts";
import { numberOf, readInput, secondsOf, UsageError } from "./values.ts";
import { manifestsOf } from "./manifests.ts";
import { type CommandHandler, runSubcommand, printJson, table } from "./print.ts";
import { sandboxOf } from "./find-sandbox.ts";
import { repeatCommand } from "./repeat-command.ts";

// `test-operator` records the operator once without faults. From the recording follow plans, each with one fault. Each plan runs in a fresh
// sandbox of the same state, and its final objects are compared with those of the recording (the reference). `masks` are fields that may
// differ, `invariants` are conditions that must hold, and a sandbox is quiet when the operator requests nothing more for `--quiet` and the clock changes nothing.
const exitCodeOfFindings = 1;

export const operatorCommands: Readonly<Record<string, CommandHandler>> = {
  faults: (run) => runSubcommand(run, { show, set, end, clear }),
  "run-operator": runOperator,
  "test-operator": testOperator,
};

async function show(run: Run): Promise<void> {
  printFaults(run, await run.client.time.getFaults(await sandboxOf(run)));
}

async function set(run: Run): Promise<void> {
  const [file] = run.words;
  if (file === undefined) throw new UsageError("name a file of faults in JSON, or - for the input");
  const faults = parseJson(new TextDecoder().decode(readInput(file)), file) as GivenFaults;
  printFaults(run, await run.client.time.setFaults(await sandboxOf(run), faults));
}

async function end(run: Run): Promise<void> {
  const [name] = run.words;
  if (name === undefined) throw new UsageError("name a fault");
  printFaults(run, await run.client.time.deleteFaults(await sandboxOf(run), name));
}

async function clear(run: Run): Promise<void> {
  printFaults(run, await run.client.time.deleteFaults(await sandboxOf(run)));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function printFaults(run: Run, list: FaultList): void {
  if (run.has("json")) return printJson(run, list);
  const rows = list.faults.map(({ name, action, state, matched, injected }) => [
    name,
    action,
    state,
    String(matched),
    String(injected),
  ]);
  if (rows.length > 0) run.print(table(["FAULT", "ACTION", "STATE", "MATCHED", "INJECTED"], rows));
  for (const { at, fault, effect, user, verb, resource, name } of list.injections)
    run.print(
      `${at} ${fault}: ${effect}${user === undefined ? "" : ` (${[user, verb, resource, name].filter(Boolean).join(" ")})`}\n`,
    );
}

/** Runs an operator of this machine against a sandbox until interrupted. */
async function runOperator(run: Run): Promise<void> {
  const sandbox = await sandboxOf(run);
  const operator = await OperatorProcess.prepare({
    ...{ client: run.client, sandbox, command: run.words, environment: run.environment, say: run.say },
    user: run.text("user") ?? operatorUser,
    groups: run.texts("group").length > 0 ? run.texts("group") : ["system:masters"],
  });
  const interrupted = new Promise<void>((resolve) => {
    if (run.signal.aborted) resolve();
    run.signal.addEventListener("abort", () => resolve());
  });
  try {
    await operator.start();
    await Promise.race([operator.follow(), interrupted]);
  } finally {
    operator.stop();
  }
}

async function testOperator(run: Run): Promise<number> {
  const folder = run.text("folder") ?? "sandbar-test-operator";
  const workload = run.texts("workload");
  if (workload.length === 0) throw new UsageError("name the steps of the workload with --workload");
  const { text: manifests } = manifestsOf(run.texts("crds"));
  const bench = new Bench({
    ...{ client: run.client, command: run.words, environment: run.environment, workload, folder, signal: run.signal },
    sandbox: { name: "test-operator", kubeletSpeed: "zero", images: "any", manifests },
    ...{
      masks: run.texts("mask"),
      invariants: run.texts("invariant"),
      say: run.has("verbose") ? run.say : () => undefined,
    },
    speed: numberOf(run.text("speed") ?? "10", "--speed"),
    quietMs: secondsOf(run.text("quiet") ?? "2s", "--quiet") * 1000,
    limitMs: secondsOf(run.text("limit") ?? "60s", "--limit") * 1000,
  });
  try {
    await bench.prepare();
    const recording = await bench.record();
    const all = plansOf(recording);
    run.say(referenceText(recording, bench.reference, all.length));
    const titles = all.map(({ title }, at) => `${at + 1}  ${title}\n`);
    writeFileSync(join(folder, "plans.txt"), titles.join(""));
    const plans = chosenPlans(run, all);
    const atOnce = numberOf(run.text("at-once") ?? "4", "--at-once");
    const beganMs = Date.now();
    let count = 0;
    const findings = await runPlans(bench, plans, {
      ...{ atOnce, signal: run.signal },
      report: (number, finding, ms) => {
        count += 1;
        printPlanResult(run, { number, plan: planOf(plans, number), finding, ms });
      },
    });
    for (const finding of findings) printFinding(run, finding, folder);
    run.say(`${count} plans in ${Math.round((Date.now() - beganMs) / 1000)} s, ${findings.length} findings`);
    return findings.length > 0 ? exitCodeOfFindings : 0;
  } finally {
    await bench.clean();
  }
}

function referenceText({ changes, user }: Recording, reference: RunResult | undefined, plans: number): string {
  const { isQuiet = false, exits = 0 } = reference ?? {};
  return [
    `without faults: ${changes.length} changes`,
    `${changes.filter((change) => change.user === user).length} writes`,
    isQuiet ? "becomes quiet" : "does not become quiet",
    ...(exits > 0 ? [`the operator ended ${exits} times by itself, so comparisons may mislead`] : []),
  ]
    .join(", ")
    .concat(`; ${plans} plans`);
}

/** Returns the plans that `--seed` chooses by their numbers (`3` or `3..7`; it is no random seed), or the one of a file. */
function chosenPlans(run: Run, all: readonly Plan[]): NumberedPlan[] {
  const file = run.text("plan");
  if (file !== undefined) return [{ number: 1, plan: parseJson(readFileSync(file, "utf8"), file) as Plan }];
  const [from = 1, to = from] = (run.text("seed") ?? `1..${all.length}`)
    .split("..")
    .map((text) => numberOf(text, "--seed"));
  return all.map((plan, at) => ({ number: at + 1, plan })).filter(({ number }) => number >= from && number <= to);
}

function planOf(plans: readonly NumberedPlan[], number: number): Plan | undefined {
  return plans.find((entry) => entry.number === number)?.plan;
}

interface PlanResult {
  readonly number: number;
  readonly plan: Plan | undefined;
  readonly finding: Finding | undefined;
  readonly ms: number;
}

function printPlanResult(run: Run, { number, plan, finding, ms }: PlanResult): void {
  const outcome = finding ? `DIFFERS: ${finding.problems[0] ?? ""}` : "as without faults";
  run.say(`${String(number).padStart(3)}  ${(ms / 1000).toFixed(1).padStart(5)} s  ${plan?.title ?? ""}: ${outcome}`);
}

function printFinding(run: Run, { number, plan, problems, result }: Finding, folder: string): void {
  const file = join(folder, `plan-${number}.json`);
  writeFileSync(file, `${JSON.stringify(plan, undefined, 2)}\n`);
  writeFileSync(join(folder, `plan-${number}.timeline`), result.timeline);
  run.print(
    [
      `Plan ${number}: ${plan.title}`,
      `  faults: ${JSON.stringify(plan.faults)}`,
      ...problems.slice(0, 20).map((text) => `  - ${text}`),
      ...(problems.length > 20 ? [`  - … ${problems.length - 20} more`] : []),
      `  timeline: ${join(folder, `plan-${number}.timeline`)}; log: ${join(folder, `plan-${number}-again.log`)}`,
      `  repeat: ${repeatCommand(file, run.texts, run.words)}`,
      "",
      "",
    ].join("\n"),
  );
}
