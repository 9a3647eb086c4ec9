// The wait for rest, with a stepped clock: what counts as activity, when faults end, and what restarts the operator.
import { describe, expect, test } from "vitest";
import { Rest, type RestOptions } from "../../../client/bench/rest.ts";
import type { FaultList } from "../../../client/index.ts";

type Injection = FaultList["injections"][number];
type FaultState = FaultList["faults"][number];

/** A sandbox and an operator that do what a script says at its moments. */
function scripted(script: {
  /** The requests of the operator: milliseconds, resource, name, fault and verb. */
  readonly requests?: readonly (readonly [number, string, string?, string?, string?])[];
  readonly computes?: (ms: number) => boolean;
  /** Returns the changes of a run of the clock. */
  readonly changes?: (ms: number) => number;
  readonly faults?: Record<string, string>;
  readonly options?: Partial<RestOptions>;
}) {
  let ms = 0;
  const log: string[] = [];
  const active = new Map(Object.entries(script.faults ?? {}));
  const process = {
    startedMs: -1 as number | undefined,
    exits: 0,
    isComputing: () => script.computes?.(ms) ?? false,
    crash: async (names: readonly string[]) => {
      log.push(`${ms}: crash ${names.join(",")}`);
      for (const name of names) active.delete(name);
      process.startedMs = ms;
    },
  };
  const rest = new Rest({
    ...{ process, recordFault: "record", endsAtRest: new Set(["stale"]), delaysMs: new Map() },
    ...{ idleMs: 200, limitMs: 60_000, signal: new AbortController().signal },
    nowMs: () => ms,
    sleep: async (pauseMs) => {
      ms += pauseMs;
      await new Promise((resolve) => void setImmediate(resolve));
    },
    readFaults: async (since) => {
      const requests = [...(script.requests ?? [])].sort(([a], [b]) => a - b);
      const due = requests.map(([at, resource, name = "", fault = "record", verb = "update"], index) => ({
        ...{ at, number: index + 1, fault, resource, name, verb },
      }));
      const injections = due.filter(({ at, number }) => at <= ms && number > since) as unknown as Injection[];
      const faults = [...active].map(([name, action]) => ({ name, action, state: "active" }) as FaultState);
      return { seed: 0, faults, injections };
    },
    endFault: async (name) => {
      log.push(`${ms}: end ${name}`);
      active.delete(name);
    },
    runClock: async () => {
      const changes = script.changes?.(ms) ?? 0;
      log.push(`${ms}: clock`);
      return { isQuiet: true, changes };
    },
    ...script.options,
  });
  return { rest, log, process, now: () => ms };
}

describe("rest", () => {
  test("comes when the operator has requested nothing for a time, and the clock then changes nothing", async () => {
    const { rest, log } = scripted({
      requests: [
        [0, "pods"],
        [150, "foos.example.com"],
      ],
    });
    expect(await rest.settle()).toBe(true);
    expect(log).toHaveLength(1);
    expect(Number.parseInt(log[0] ?? "", 10)).toBeGreaterThanOrEqual(350);
  });

  test("tells the longest pause after which the operator went on", async () => {
    const { rest } = scripted({
      requests: [
        [0, "pods"],
        [50, "pods"],
        [200, "pods"],
      ],
      options: { idleMs: 1000 },
    });
    expect(await rest.settle()).toBe(true);
    expect(rest.longestPauseMs).toBeGreaterThanOrEqual(150);
    expect(rest.longestPauseMs).toBeLessThan(1000);
  });

  test("does not come while the process computes", async () => {
    const { rest, now } = scripted({ requests: [[0, "pods"]], computes: (ms) => ms < 1000 });
    expect(await rest.settle()).toBe(true);
    expect(now()).toBeGreaterThanOrEqual(1150);
  });

  test("comes again after what a run of the clock has changed", async () => {
    const { rest, log } = scripted({ requests: [[0, "pods"]], changes: (ms) => (ms < 300 ? 5 : 0) });
    expect(await rest.settle()).toBe(true);
    expect(log).toHaveLength(2);
  });

  test("is not disturbed by leader election and events", async () => {
    const renewals = Array.from({ length: 50 }, (_, at) => [at * 100, "leases.coordination.k8s.io", "lock"] as const);
    const locks = Array.from({ length: 50 }, (_, at) => [at * 100, "configmaps", "my-leader"] as const);
    const { rest, now } = scripted({ requests: [[0, "pods"], ...renewals, ...locks] });
    expect(await rest.settle()).toBe(true);
    expect(now()).toBeLessThan(600);
  });

  test("is not disturbed by a program that reads the same again and again", async () => {
    const polls = Array.from({ length: 50 }, (_, at) => [at * 100, "pods", "", "record", "list"] as const);
    const { rest, now } = scripted({ requests: polls });
    expect(await rest.settle()).toBe(true);
    expect(now()).toBeGreaterThanOrEqual(600);
    expect(now()).toBeLessThan(1500);
  });

  test("waits for a program that has just been started and has requested nothing", async () => {
    const { rest, now } = scripted({});
    expect(await rest.settle()).toBe(true);
    expect(now()).toBeGreaterThanOrEqual(3000);
  });

  test("waits for the answers that a fault delays", async () => {
    const { rest, now } = scripted({
      requests: [
        [0, "pods"],
        [100, "pods", "", "slow"],
      ],
      options: { delaysMs: new Map([["slow", 2000]]) },
    });
    expect(await rest.settle()).toBe(true);
    expect(now()).toBeGreaterThanOrEqual(2300);
  });

  test("does not come within the limit if the operator never stops", async () => {
    const requests = Array.from({ length: 100 }, (_, at) => [at * 100, "pods"] as const);
    const { rest, now } = scripted({ requests, options: { limitMs: 5000 } });
    expect(await rest.settle()).toBe(false);
    expect(now()).toBeLessThan(5300);
  });

  test("ends stale state, and then comes again", async () => {
    const { rest, log } = scripted({ requests: [[0, "pods"]], faults: { stale: "stale", record: "record" } });
    expect(await rest.settle()).toBe(true);
    expect(log.map((line) => line.replace(/^\d+: /, ""))).toEqual(["clock", "end stale", "clock"]);
  });

  test("ends stale state after a time if the stale state itself prevents rest", async () => {
    const requests = Array.from({ length: 120 }, (_, at) => [at * 100, "pods"] as const);
    const { rest, log } = scripted({ requests, faults: { stale: "stale" } });
    expect(await rest.settle()).toBe(true);
    const endedMs = Number.parseInt(log.find((line) => line.includes("end stale")) ?? "", 10);
    expect(endedMs).toBeGreaterThanOrEqual(5000);
    expect(endedMs).toBeLessThan(5600);
  });

  test("ends what remains of the faults at the end of the workload", async () => {
    const { rest, log } = scripted({ requests: [[0, "pods"]], faults: { frozen: "watch", record: "record" } });
    await rest.settle();
    expect(log.some((line) => line.includes("end"))).toBe(false);
    expect(await rest.conclude()).toBe(true);
    expect(log.filter((line) => line.includes("end"))).toHaveLength(1);
  });
});

describe("the operator", () => {
  test("is restarted where a fault disconnects it, and is waited for", async () => {
    const { rest, log, now } = scripted({
      requests: [
        [0, "pods"],
        [700, "pods"],
      ],
      faults: { crash: "disconnect" },
    });
    expect(await rest.settle()).toBe(true);
    expect(log.filter((line) => line.includes("crash"))).toEqual(["0: crash crash"]);
    expect(now()).toBeGreaterThanOrEqual(900);
  });

  test("is given up if it ends again and again without faults", async () => {
    const { rest, process } = scripted({ options: { maxExits: 5 } });
    process.exits = 5;
    await expect(rest.settle()).rejects.toThrow("the operator ended 5 times");
  });
});

describe("a step that waits for the cluster", () => {
  test("has the clock run, and its failure is passed on", async () => {
    const { rest, log, now } = scripted({ requests: [[0, "pods"]] });
    const step = new Promise<string>((resolve, reject) => {
      const look = () => (now() < 3000 ? setImmediate(look) : reject(new Error("refused")));
      setImmediate(look);
      void resolve;
    });
    await expect(rest.during(step)).rejects.toThrow("refused");
    expect(log.length).toBeGreaterThan(2);
  });
});
