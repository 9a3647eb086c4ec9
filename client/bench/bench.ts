// A test bench for operators: runs without faults, plans that follow from them, and a run of each plan in a fresh sandbox of the same state.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SandbarError, type CreateSandbox, type FaultList, type GivenFaults, type Sandbar } from "../index.ts";
import { Comparison, type Outcome } from "./comparison.ts";
import { type FinalState, readFinalState } from "./final-state.ts";
import { changesSince, type RecordedChange } from "./history.ts";
import { Kube } from "./kube.ts";
import { kubeconfigOf } from "./kubeconfig.ts";
import { OperatorProcess } from "./operator-process.ts";
import type { Plan, Recording } from "./plans.ts";
import { Rest } from "./rest.ts";
import { performStep } from "./workload.ts";

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

/** The outcome of one run. */
export interface RunResult extends Outcome {
  readonly exits: number;
  readonly injections: FaultList["injections"];
  readonly timeline: string;
  readonly ms: number;
}

/**
 * How long a run waits for rest: a quick run is compared first, and a careful one decides. An operator that tries again later is not at rest
 * for a careful run.
 */
export type Pace = "quick" | "careful";

const recordFault = { name: "record", selector: { user: operatorUser }, action: { record: true as const } };
/** The share of the careful wait that a quick run waits at least, and the factor by which it waits longer than the operator ever paused. */
const quickShare = 1 / 8;
const pauseFactor = 1.25;
/** The time of the cluster without a change after which it is quiet: longer than the usual grace period of a pod. */
const clusterQuiet = "35s";
/** The real time that a run of the clock may take at once. */
const clockRunLimit = "5s";
/** The ends of an operator without faults after which it is given up. */
const maxReferenceExits = 5;
const withoutFaults: Plan = { title: "without faults", faults: { faults: [] } };

export class Bench {
  readonly #options: BenchOptions;
  #snapshot = "";
  /** The first run without faults. */
  #reference: RunResult | undefined;
  #comparison: Comparison | undefined;
  /** The longest pause of the operator in a run without faults. */
  #pauseMs = 0;

  constructor(options: BenchOptions) {
    this.#options = options;
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
    rmSync(this.#cacheFolder, { recursive: true, force: true });
    if (this.#snapshot !== "") await this.#options.client.deleteSnapshot(this.#snapshot);
  }

  /** Runs the operator twice without faults. Values that differ between the two runs are masked in comparisons. */
  async record(): Promise<Recording> {
    const first = await this.run(withoutFaults, "reference-1", "careful").catch((error: unknown) => {
      throw new Error(`without faults: ${String(error)}; see ${join(this.#options.folder, "reference-1.log")}`);
    });
    this.#reference = first;
    const second = await this.run(withoutFaults, "reference-2", "careful");
    this.#comparison = new Comparison(first, second, this.#options.masks);
    return { user: operatorUser, changes: first.changes, requests: first.injections };
  }

  get reference(): RunResult | undefined {
    return this.#reference;
  }

  /** Returns the differences between the run of a plan and the run without faults. */
  problemsOf(result: RunResult, plan: Plan): string[] {
    return this.#comparison?.problemsOf(result, plan) ?? [];
  }

  /** Runs the workload with a plan's faults in a fresh sandbox. */
  async run(plan: Plan, name: string, pace: Pace): Promise<RunResult> {
    const { client } = this.#options;
    const beganMs = Date.now();
    const { id } = await client.createSandbox({ snapshot: this.#snapshot, ttlSeconds: 900 });
    let operator: OperatorProcess | undefined;
    try {
      const { changes } = await client.listChanges(id, { limit: 1 });
      const revision = changes[0]?.revision ?? 0;
      await client.time.setFaults(id, { ...plan.faults, faults: [recordFault, ...plan.faults.faults] });
      await client.time.changeClock(id, { speed: this.#options.speed });
      operator = await this.#startOperator(id, name);
      const rest = this.#restOf(id, operator, plan, pace);
      const performed = await this.#perform(id, rest);
      if (!this.#comparison) this.#pauseMs = Math.max(this.#pauseMs, rest.longestPauseMs);
      const recordedChanges = await changesSince(client, id, revision);
      const result = {
        ...{ ...performed, exits: operator.exits, injections: rest.injections, changes: recordedChanges },
        state: await this.#finalState(id, recordedChanges),
        timeline: await client.time.timelineText(id, { user: operatorUser }),
        broken: await this.#brokenInvariants(id),
      };
      return { ...result, ms: Date.now() - beganMs };
    } finally {
      operator?.stop();
      await client.deleteSandbox(id);
    }
  }

  /** Performs the steps of the workload, each when the operator and its cluster are at rest after the one before. */
  async #perform(sandbox: string, rest: Rest): Promise<Pick<Outcome, "isQuiet" | "failedStep">> {
    const { workload, environment, limitMs } = this.#options;
    const kubeconfig = await this.#kubeconfig(sandbox);
    const stepEnvironment = { ...environment, KUBECACHEDIR: this.#cacheFolder };
    let isQuiet = await rest.settle();
    let failedStep: string | undefined;
    for (const step of workload) {
      if (failedStep !== undefined) break;
      failedStep = await rest.during(performStep(step, { kubeconfig, environment: stepEnvironment, limitMs }));
      isQuiet = await rest.settle();
    }
    return { isQuiet: (await rest.conclude()) && isQuiet, failedStep };
  }

  #restOf(sandbox: string, process: OperatorProcess, { faults, endsAtRest = [] }: Plan, pace: Pace): Rest {
    const { client, quietMs, limitMs, signal } = this.#options;
    return new Rest({
      ...{ process, recordFault: recordFault.name, endsAtRest: new Set(endsAtRest), limitMs, signal },
      delaysMs: delaysOf(faults.faults),
      maxExits: this.#comparison ? undefined : maxReferenceExits,
      idleMs: pace === "quick" ? this.#quickIdleMs() : quietMs,
      nowMs: () => Date.now(),
      sleep,
      readFaults: (since) => client.time.getFaults(sandbox, { since }),
      endFault: async (name) => void (await client.time.deleteFaults(sandbox, name)),
      runClock: async () => {
        const change = { runUntil: "quiet" as const, quietFor: clusterQuiet, limit: { real: clockRunLimit } };
        const { run } = await client.time.changeClock(sandbox, change);
        return { isQuiet: run?.end === "quiet", changes: run?.changes ?? 0 };
      },
    });
  }

  #quickIdleMs(): number {
    const { quietMs } = this.#options;
    return Math.min(quietMs, Math.max(quietMs * quickShare, this.#pauseMs * pauseFactor));
  }

  /** Reads what may differ from the reference: the resources that changed in this run or in the reference. */
  async #finalState(sandbox: string, changes: readonly RecordedChange[]): Promise<FinalState> {
    const kube = await Kube.of(this.#options.client, sandbox);
    const reference = this.#reference;
    if (!reference) return readFinalState(kube);
    const changed = new Set([...changes, ...reference.changes].map(({ resource }) => resource));
    const unchanged = [...reference.state].filter(([key]) => !changed.has(key.slice(0, key.indexOf(" "))));
    return new Map([...unchanged, ...(await readFinalState(kube, (resource) => changed.has(resource)))]);
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

  /** The folder of kubectl's discovery. All sandboxes of a bench have the same address and the same kinds. */
  get #cacheFolder(): string {
    return resolve(this.#options.folder, "kubectl-cache");
  }

  async #kubeconfig(sandbox: string): Promise<string> {
    const path = join(this.#options.folder, "kubeconfigs", sandbox);
    const { server, ca, token = "" } = await this.#options.client.getSandbox(sandbox);
    mkdirSync(join(this.#options.folder, "kubeconfigs"), { recursive: true });
    writeFileSync(path, kubeconfigOf({ server: new URL(server).origin, ca, token }), { mode: 0o600 });
    return path;
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

/** Returns the milliseconds by which faults delay answers and events. */
function delaysOf(faults: GivenFaults["faults"]): Map<string, number> {
  const delays = new Map<string, number>();
  for (const { name, action } of faults) {
    const delay = "latency" in action ? action.latency : "watchDelay" in action ? action.watchDelay : undefined;
    const [, amount, unit] = /^(\d+)(ms|s)$/.exec(String(delay)) ?? [];
    if (name !== undefined && amount !== undefined) delays.set(name, Number(amount) * (unit === "s" ? 1000 : 1));
  }
  return delays;
}
