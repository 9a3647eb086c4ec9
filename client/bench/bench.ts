// A test bench for operators: a run without faults, plans that follow from it, and a run of each plan in a fresh sandbox of the same state.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SandbarError, type CreateSandbox, type FaultList, type GivenFaults, type Sandbar } from "../index.ts";
import { type Difference, differences, type FinalState, isMasked, readFinalState } from "./final-state.ts";
import { becomesQuiet, changesSince, lifeCounts, type RecordedChange } from "./history.ts";
import { Kube } from "./kube.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { Plan, Recording } from "./plans.ts";

export interface BenchOptions {
  readonly client: Sandbar;
  readonly command: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  /** The sandbox that each run begins with. */
  readonly sandbox: CreateSandbox;
  /** The steps of the workload: files of manifests, or commands of a shell with `KUBECONFIG`. */
  readonly workload: readonly string[];
  readonly masks: readonly string[];
  /** CEL conditions over objects that hold at the end: `<resource> <namespace>/<name> <expression>`. */
  readonly invariants: readonly string[];
  /** The seconds of a sandbox in a real second. */
  readonly speed: number;
  readonly quietMs: number;
  readonly limitMs: number;
  /** The folder for the logs of operators, and for plans. */
  readonly folder: string;
  readonly signal: AbortSignal;
  say(text: string): void;
}

export const operatorUser = "sandbar-operator";
const startQuietMs = 800;

/** The outcome of one run. */
export interface RunResult {
  readonly isQuiet: boolean;
  readonly exits: number;
  readonly state: FinalState;
  readonly changes: readonly RecordedChange[];
  readonly writes: number;
  readonly injections: FaultList["injections"];
  readonly timeline: string;
  /** The invariants that do not hold, with reasons. */
  readonly broken: readonly string[];
  readonly failedStep: string | undefined;
  readonly ms: number;
}

const recordFault = { name: "record", selector: { user: operatorUser }, action: { record: true as const } };
/** A fault that counts the operator's writes. Its trigger is so high that it never acts. */
const countFault = {
  name: "count",
  selector: { user: operatorUser },
  trigger: { write: 1_000_000 },
  action: { cut: true as const },
};

export class Bench {
  readonly #options: BenchOptions;
  #snapshot = "";
  /** The first run without faults. */
  #reference: RunResult | undefined;
  #masks: readonly string[];

  constructor(options: BenchOptions) {
    this.#options = options;
    this.#masks = options.masks;
    mkdirSync(options.folder, { recursive: true });
  }

  /** Prepares the state with which each run begins. */
  async prepare(): Promise<void> {
    const { client, sandbox } = this.#options;
    const prepared = await client.createSandbox({ ...sandbox, ttlSeconds: 1800 }, { wait: true });
    try {
      this.#snapshot = (await client.createSnapshot(prepared.id, { name: "test-operator" })).id;
    } finally {
      await client.deleteSandbox(prepared.id);
    }
  }

  async clean(): Promise<void> {
    if (this.#snapshot !== "") await this.#options.client.deleteSnapshot(this.#snapshot);
  }

  /** Runs the operator twice without faults. Values that differ between the two runs are masked in comparisons. */
  async record(): Promise<Recording> {
    const first = await this.run({ faults: [recordFault, countFault] }, "reference-1");
    const second = await this.run({ faults: [countFault] }, "reference-2");
    this.#reference = first;
    const differing = differences(first.state, second.state);
    this.#masks = [...this.#options.masks, ...differing.map(({ object, path }) => `${object} ${path}*`)];
    return {
      user: operatorUser,
      changes: first.changes,
      writes: first.writes,
      requests: first.injections,
      speed: this.#options.speed,
    };
  }

  get reference(): RunResult | undefined {
    return this.#reference;
  }

  /** Returns the differences between a run and the run without faults. */
  problemsOf(result: RunResult): string[] {
    const reference = this.#reference;
    if (!reference) return [];
    const problems: string[] = [];
    if (reference.isQuiet && !result.isQuiet) problems.push("the cluster does not become quiet");
    if (result.failedStep !== undefined && reference.failedStep === undefined)
      problems.push(`the workload failed: ${result.failedStep}`);
    const states = differences(reference.state, result.state).filter(
      (difference) => !isMasked(difference, this.#masks),
    );
    problems.push(...states.map(differenceText));
    const [before, after] = [lifeCounts(reference.changes), lifeCounts(result.changes)];
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const [expected, actual] = [before.get(key) ?? 0, after.get(key) ?? 0];
      if (expected !== actual && !isGenerated(key)) problems.push(`${key}: ${actual} times, not ${expected}`);
    }
    problems.push(...result.broken.map((text) => `an invariant does not hold: ${text}`));
    return problems;
  }

  /** Runs the workload with faults in a fresh sandbox. */
  async run({ seed, faults }: GivenFaults, name: string): Promise<RunResult> {
    const { client, limitMs, quietMs, signal } = this.#options;
    const beganMs = Date.now();
    const { id } = await client.createSandbox({ snapshot: this.#snapshot, ttlSeconds: 900 });
    let operator: OperatorProcess | undefined;
    try {
      const { changes } = await client.listChanges(id, { limit: 1 });
      const revision = changes[0]?.revision ?? 0;
      await client.time.setFaults(id, { ...(seed === undefined ? {} : { seed }), faults });
      await client.time.changeClock(id, { speed: this.#options.speed });
      operator = await this.#startOperator(id, name);
      const following = operator.follow().catch((error: unknown) => this.#options.say(`${name}: ${String(error)}`));
      await becomesQuiet(client, id, { quietMs: startQuietMs, limitMs, signal });
      let isQuiet = true;
      let failedStep: string | undefined;
      const kubeconfig = await this.#kubeconfig(id);
      for (const step of this.#options.workload) {
        failedStep ??= await this.#perform(step, kubeconfig);
        const isBusy = () => operator?.isStarting ?? false;
        isQuiet = await becomesQuiet(client, id, { quietMs, limitMs, signal, isBusy });
      }
      const list = await client.time.getFaults(id);
      const injections = [...list.injections];
      for (let more = list; more.injections.length > 0; ) {
        more = await client.time.getFaults(id, { since: injections.at(-1)?.number ?? 0 });
        injections.push(...more.injections);
      }
      const result = {
        ...{ isQuiet, failedStep, exits: operator.exits, injections },
        state: await readFinalState(await Kube.of(client, id)),
        changes: await changesSince(client, id, revision),
        writes: list.faults.find(({ name: fault }) => fault === countFault.name)?.writes ?? 0,
        timeline: await client.time.timelineText(id, { user: operatorUser }),
        broken: await this.#brokenInvariants(id),
      };
      operator.stop();
      void following;
      return { ...result, ms: Date.now() - beganMs };
    } finally {
      operator?.stop();
      await client.deleteSandbox(id);
    }
  }

  async #startOperator(sandbox: string, name: string): Promise<OperatorProcess> {
    const { client, command, environment, folder, say } = this.#options;
    const operator = await OperatorProcess.prepare({
      ...{ client, sandbox, command, environment, user: operatorUser, groups: ["system:masters"] },
      log: join(folder, `${name}.log`),
      say: (text) => say(`${name}: ${text}`),
    });
    await operator.start();
    return operator;
  }

  async #kubeconfig(sandbox: string): Promise<string> {
    const path = join(this.#options.folder, `${sandbox}.kubeconfig`);
    writeFileSync(path, await this.#options.client.getKubeconfig(sandbox), { mode: 0o600 });
    return path;
  }

  /** Runs a step of the workload. Returns the reason if it failed. */
  async #perform(step: string, kubeconfig: string): Promise<string | undefined> {
    const isManifests = existsSync(step) && !step.endsWith(".sh");
    const [program, ...words] = isManifests
      ? ["kubectl", "apply", "-f", step]
      : ["sh", "-ec", existsSync(step) ? `. ${JSON.stringify(join(process.cwd(), step))}` : step];
    const child = spawn(program ?? "", words, {
      env: { ...this.#options.environment, KUBECONFIG: kubeconfig },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    child.stderr.on("data", (bytes: Buffer) => (text = (text + bytes.toString()).slice(-2000)));
    const code = await new Promise<number>((resolve) => {
      child.once("error", () => resolve(127));
      child.once("exit", (status) => resolve(status ?? 1));
    });
    return code === 0 ? undefined : `${step}: ${text.trim() || `exit code ${code}`}`;
  }

  /** Returns the invariants that do not hold. The sandbox evaluates each one as the end condition of a 1 ms run of its clock. */
  async #brokenInvariants(sandbox: string): Promise<string[]> {
    const broken: string[] = [];
    for (const invariant of this.#options.invariants) {
      const [resource = "", place = "", ...expression] = invariant.split(" ");
      const [namespace = "", name = ""] = place.includes("/") ? place.split("/") : ["", place];
      const runUntil = { resource, namespace, name, expression: expression.join(" ") };
      try {
        const { run } = await this.#options.client.time.changeClock(sandbox, { runUntil, limit: { simulated: "1ms" } });
        if (run?.end !== "condition") broken.push(invariant);
      } catch (error) {
        if (!(error instanceof SandbarError)) throw error;
        broken.push(`${invariant}: ${error.message}`);
      }
    }
    return broken;
  }
}

/** Objects with generated names differ in each run. */
function isGenerated(key: string): boolean {
  return /-[bcdfghjklmnpqrstvwxz2456789]{5}$/.test(key) || / pods /.test(key);
}

function differenceText({ object, path, before, after }: Difference): string {
  if (path === "") return `${object} ${after === undefined ? "is missing" : "is there, and should not be"}`;
  return `${object} ${path}: ${after ?? "absent"}, not ${before ?? "absent"}`;
}

export interface Finding {
  readonly number: number;
  readonly plan: Plan;
  readonly problems: readonly string[];
  readonly result: RunResult;
}

/**
 * Runs plans, several at once, and reports each result. A plan with a problem is run again, and only the second run counts, to exclude
 * chance.
 */
export async function runPlans(
  bench: Bench,
  plans: readonly { readonly number: number; readonly plan: Plan }[],
  {
    atOnce,
    signal,
    report,
  }: {
    readonly atOnce: number;
    readonly signal: AbortSignal;
    report(number: number, finding: Finding | undefined, ms: number): void;
  },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const waiting = [...plans];
  const worker = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const { number, plan } = next;
      const first = await bench.run(plan.faults, `plan-${number}`);
      const isFinding = bench.problemsOf(first).length > 0;
      const result = isFinding ? await bench.run(plan.faults, `plan-${number}-again`) : first;
      const problems = bench.problemsOf(result);
      const finding = problems.length > 0 ? { number, plan, problems, result } : undefined;
      if (finding) findings.push(finding);
      report(number, finding, first.ms);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return findings.sort((a, b) => a.number - b.number);
}
