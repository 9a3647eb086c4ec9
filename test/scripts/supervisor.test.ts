// The states of the local supervisor: runs of workerd that are killed, hang or cannot be started, on a stepped clock.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type ProcessEnd, type Runtime, supervise } from "../../scripts/local/supervisor.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const startMs = 500;
const killed: ProcessEnd = { reason: "SIGKILL", isKilled: true };

interface Behaviour {
  /** Milliseconds until a run listens; Infinity if it never does. */
  startMs: number;
  /** How the next runs end before they listen. */
  endsAtStart: ProcessEnd | undefined;
  prepare: () => Promise<unknown>;
}

/** Fake runs of workerd below a supervisor. */
function newService(initial: Partial<Behaviour> = {}) {
  const behaviour: Behaviour = {
    startMs,
    endsAtStart: undefined,
    prepare: () => Promise.resolve(),
    ...initial,
  };
  const runs: FakeRun[] = [];
  const lines: string[] = [];
  const served = { error: undefined as unknown, isServed: false };
  const counts = { prepared: 0, asked: 0 };
  const supervisor = supervise({
    open: () => {
      const run = newRun(behaviour);
      runs.push(run);
      return run;
    },
    prepare: () => {
      counts.prepared++;
      return behaviour.prepare();
    },
    ask: () => {
      counts.asked++;
      const run = runs.at(-1);
      if (!run?.isListening) return Promise.reject(new Error("connection refused"));
      return run.isHanging ? new Promise(() => undefined) : Promise.resolve();
    },
    log: (line) => void lines.push(line),
  });
  supervisor.served.then(
    () => void (served.isServed = true),
    (error: unknown) => void (served.error = error),
  );
  const failure = { message: "" };
  void supervisor.failed.then((message) => void (failure.message = message));
  const alive = () => runs.filter(({ isAlive }) => isAlive).length;
  return { supervisor, behaviour, runs, lines, served, failure, counts, alive, last: () => runs.at(-1) };
}

interface FakeRun extends Runtime {
  isAlive: boolean;
  isListening: boolean;
  /** True if the server listens but answers no request. */
  isHanging: boolean;
  end(how: ProcessEnd): void;
}

function newRun({ startMs: delayMs, endsAtStart }: Behaviour): FakeRun {
  const ended = Promise.withResolvers<ProcessEnd>();
  const ready = Promise.withResolvers<void>();
  const run: FakeRun = {
    isAlive: true,
    isListening: false,
    isHanging: false,
    ready: ready.promise,
    ended: ended.promise,
    end: (how) => {
      if (!run.isAlive) return;
      Object.assign(run, { isAlive: false, isListening: false });
      ready.reject(new Error(`the runtime failed to start (${how.reason})`));
      ended.resolve(how);
    },
    kill: () => run.end(killed),
    close: () => Promise.resolve(),
  };
  run.ready.catch(() => undefined);
  const listen = () => {
    if (!run.isAlive) return;
    if (endsAtStart) return run.end(endsAtStart);
    run.isListening = true;
    ready.resolve();
  };
  if (delayMs < Infinity) setTimeout(listen, delayMs);
  return run;
}

test("a first run that listens is prepared once and serves", async () => {
  const { supervisor, served, runs, counts } = newService();
  await vi.advanceTimersByTimeAsync(startMs - 1);
  expect([supervisor.state, served.isServed]).toEqual(["starting", false]);
  await vi.advanceTimersByTimeAsync(1);
  expect([supervisor.state, served.isServed, runs.length, counts.prepared]).toEqual(["serving", true, 1, 1]);
});

test("a run that is killed while it serves is replaced immediately, and is not prepared again", async () => {
  const service = newService();
  await vi.advanceTimersByTimeAsync(60_000);
  service.last()?.end(killed);
  await vi.advanceTimersByTimeAsync(startMs + 1);
  expect([service.supervisor.state, service.runs.length, service.counts.prepared]).toEqual(["serving", 2, 1]);
  expect(service.lines).toEqual(["workerd ended (SIGKILL) and is started again", "Sandbar serves again after 0.5 s"]);
});

test("each successor that is killed during its start is replaced, after a growing pause", async () => {
  const service = newService();
  await vi.advanceTimersByTimeAsync(60_000);
  service.behaviour.startMs = 3_000;
  for (let kill = 0; kill < 8; kill++) {
    service.last()?.end(killed);
    await vi.advanceTimersByTimeAsync(1_001);
    expect([service.runs.length, service.alive()]).toEqual([kill + 2, 1]);
  }
  await vi.advanceTimersByTimeAsync(3_000);
  expect(service.supervisor.state).toBe("serving");
  expect(service.lines.slice(0, 3)).toEqual([
    "workerd ended (SIGKILL) and is started again",
    "workerd ended (SIGKILL) and is started again in 100 ms",
    "workerd ended (SIGKILL) and is started again in 200 ms",
  ]);
});

test("a first run that is killed during its start or its preparation is replaced and prepared again", async () => {
  const preparing = Promise.withResolvers<void>();
  const service = newService({ prepare: () => preparing.promise });
  await vi.advanceTimersByTimeAsync(startMs / 2);
  service.last()?.end(killed);
  await vi.advanceTimersByTimeAsync(startMs + 600);
  expect([service.runs.length, service.counts.prepared]).toEqual([2, 1]);
  service.last()?.end(killed);
  preparing.reject(new Error("connection reset"));
  service.behaviour.prepare = () => Promise.resolve();
  await vi.advanceTimersByTimeAsync(startMs + 600);
  expect([service.supervisor.state, service.counts.prepared]).toEqual(["serving", 2]);
});

test("a first run that ends by itself is not repeated, and the reason is Miniflare's", async () => {
  const service = newService({ endsAtStart: { reason: "exit code 1", isKilled: false } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect([service.supervisor.state, service.runs.length]).toEqual(["ended", 1]);
  expect(service.served.error).toEqual(new Error("the runtime failed to start (exit code 1)"));
});

test("a preparation that fails by itself is not repeated", async () => {
  const service = newService({ prepare: () => Promise.reject(new Error("no such table")) });
  await vi.advanceTimersByTimeAsync(5_000);
  expect([service.runs.length, service.served.error]).toEqual([1, new Error("no such table")]);
  expect(service.alive()).toBe(0);
});

test("a service that cannot be restarted within 20 seconds ends with a message that has the reason", async () => {
  const service = newService();
  await vi.advanceTimersByTimeAsync(60_000);
  service.behaviour.endsAtStart = { reason: "exit code 1", isKilled: false };
  service.last()?.end(killed);
  await vi.advanceTimersByTimeAsync(16_000);
  expect(service.supervisor.state).toBe("restarting");
  await vi.advanceTimersByTimeAsync(3_000);
  expect([service.supervisor.state, service.alive()]).toEqual(["ended", 0]);
  expect(service.failure.message).toBe(
    "workerd could not be started within 18 seconds (the runtime failed to start (exit code 1)). Start Sandbar again: what it acknowledged is stored.",
  );
});

test("each kill gives the next run its full time, until every run of a long series was killed", async () => {
  const service = newService();
  await vi.advanceTimersByTimeAsync(60_000);
  service.behaviour.startMs = 8_000;
  for (let kill = 0; kill < 20; kill++) {
    service.last()?.end(killed);
    await vi.advanceTimersByTimeAsync(6_000);
    expect([service.supervisor.state, service.alive()], `after kill ${kill}`).toEqual(["restarting", 1]);
  }
  service.last()?.end(killed);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([service.supervisor.state, service.alive()]).toEqual(["ended", 0]);
  expect(service.failure.message).toContain("(SIGKILL)");
});

test("a service whose workerd hangs during its start ends", async () => {
  const service = newService();
  await vi.advanceTimersByTimeAsync(60_000);
  service.behaviour.startMs = Infinity;
  service.last()?.end(killed);
  await vi.advanceTimersByTimeAsync(17_000);
  expect([service.supervisor.state, service.runs.length, service.alive()]).toEqual(["restarting", 2, 1]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect([service.supervisor.state, service.alive()]).toEqual(["ended", 0]);
  expect(service.failure.message).toContain("(it did not serve within 18 seconds)");
});

test("refused connections during a start are not counted by the watchdog", async () => {
  const service = newService({ startMs: 40_000 });
  await vi.advanceTimersByTimeAsync(41_000);
  expect(service.supervisor.state).toBe("serving");
  service.behaviour.startMs = 16_000;
  for (let kill = 1; kill < 6; kill++) {
    service.last()?.end(killed);
    await vi.advanceTimersByTimeAsync(18_500);
    expect([service.supervisor.state, service.runs.length]).toEqual(["serving", kill + 1]);
  }
});

test("a Worker that hangs while it serves is killed by the watchdog and replaced", async () => {
  const service = newService();
  await vi.advanceTimersByTimeAsync(60_000);
  Object.assign(service.last() ?? {}, { isHanging: true });
  await vi.advanceTimersByTimeAsync(24_000);
  expect(service.runs).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect([service.supervisor.state, service.runs.length, service.alive()]).toEqual(["serving", 2, 1]);
});

test.each([
  ["starting", 100, {}],
  ["being prepared", startMs + 10, { prepare: () => new Promise(() => undefined) }],
  ["serving", 60_000, {}],
] as const)(
  "a service that is stopped while it is %s leaves no run and starts no other",
  async (_, atMs, behaviour) => {
    const service = newService(behaviour);
    await vi.advanceTimersByTimeAsync(atMs);
    const ended = service.supervisor.end();
    await vi.advanceTimersByTimeAsync(1_000);
    await ended;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([service.supervisor.state, service.runs.length, service.alive()]).toEqual(["ended", 1, 0]);
  },
);

test("a service that is stopped at any moment of a restart leaves no run and starts no other", async () => {
  for (let atMs = 0; atMs < 1_500; atMs += 50) {
    const service = newService();
    await vi.advanceTimersByTimeAsync(60_000);
    service.last()?.end(killed);
    await vi.advanceTimersByTimeAsync(100);
    service.last()?.end(killed);
    await vi.advanceTimersByTimeAsync(atMs);
    const ended = service.supervisor.end();
    await vi.advanceTimersByTimeAsync(2_500);
    await ended;
    const runs = service.runs.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect([service.runs.length, service.alive()], `ended after ${atMs} ms`).toEqual([runs, 0]);
  }
});
