// Kills of workerd below a running service at random moments, also during its start and in series. SANDBAR_SUPERVISION_KILLS sets the
// number of kills, SANDBAR_SUPERVISION_SEED their moments.
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { type SandboxWithToken, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { diceOf } from "../simulation/dice.ts";
import { eventually } from "./kubectl.ts";
import { control } from "./sandbox.ts";
import { type RunningService, type ServiceOptions, freePorts, launch, startService } from "./service.ts";
import { childrenOf, isAlive, kill, nextWorkerd } from "./workerd-process.ts";

const kills = Number(process.env.SANDBAR_SUPERVISION_KILLS ?? "6");
const seed = Number(process.env.SANDBAR_SUPERVISION_SEED ?? "1");
// With a single process, the killed one is the one that serves.
const environment = { SANDBAR_KUBELET_DELAYS: "zero", SANDBAR_PROCESSES: "1" };
/** Milliseconds that the service may take to answer again. */
const answersAgainMs = 20_000;
const endMs = 5_000;
const writers = 3;
const writePauseMs = 20;
const configMaps = "/api/v1/namespaces/default/configmaps";

const data = mkdtempSync(join(tmpdir(), "sandbar-supervision-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test(
  `the service answers again after ${kills} kills of workerd (seed ${seed}), also during its start, and every acknowledged write is stored`,
  async () => {
    const service = await startService({ environment });
    const dice = diceOf(seed);
    try {
      const sandbox = await create(service);
      const load = writeAlways(service, sandbox);
      let done = 0;
      let killsWhileStarting = 0;
      while (done < kills) {
        await pause(dice.below(1_000));
        let pid = await nextWorkerd(service);
        kill(pid);
        done++;
        // The successors of half of the kills do not live to serve.
        for (let more = dice.below(2) * (1 + dice.below(3)); more > 0 && done < kills; more--) {
          pid = await nextWorkerd(service, pid);
          await pause(dice.below(250));
          if (!(await answersNow(service))) killsWhileStarting++;
          kill(pid);
          done++;
        }
        await answersAgain(service);
      }
      const acknowledged = await load.end();
      expect(acknowledged.length).toBeGreaterThan(kills);
      expect(killsWhileStarting).toBeGreaterThan(0);
      const stored = new Set(await namesIn(service, sandbox));
      expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
    } finally {
      await expectEnd(service);
    }
  },
  120_000 + kills * 25_000,
);

test("a service that is stopped during a restart stops within five seconds, and leaves neither a process nor a lock", async () => {
  const dice = diceOf(seed);
  const ports = await freePorts();
  for (const atMs of [dice.below(300), 300 + dice.below(700)]) {
    const service = await startService({ data: join(data, "ended"), ports, environment });
    const pid = await nextWorkerd(service);
    kill(pid);
    await pause(atMs);
    await expectEnd(service);
  }
});

test("a service that is killed during a restart of workerd leaves no process", async () => {
  const service = await startService({ environment });
  const pid = await nextWorkerd(service);
  kill(pid);
  await nextWorkerd(service, pid);
  const children = childrenOf(service.address.pid);
  await service.kill();
  await eventually(
    () => "all its processes have ended",
    () => children.every((child) => !isAlive(child)),
  );
});

test("a workerd that is killed during the first start is replaced before the service is ready", async () => {
  const ports = await freePorts();
  const run = launch({ data: mkdtempSync(join(data, "first-")), ports, environment });
  const address = { pid: run.process.pid ?? 0, http: `http://127.0.0.1:${ports.http}` };
  let pid = await nextWorkerd({ address });
  for (const atMs of [0, 150]) {
    await pause(atMs);
    kill(pid);
    pid = await nextWorkerd({ address }, pid);
  }
  await eventually(
    () => run.output(),
    () => run.output().includes("Sandbar ready"),
    60_000,
  );
  expect(run.output()).toContain("workerd ended (SIGKILL) and is started again");
  run.process.kill("SIGTERM");
  expect(await run.exited).toBe(0);
});

test("a service whose workerd cannot be restarted prints the reason and exits with 1", async () => {
  const folder = mkdtempSync(join(data, "broken-"));
  const binary = join(folder, "workerd");
  symlinkSync(workerdPath(), binary);
  const ports = await freePorts();
  const options: ServiceOptions = { ports, environment: { ...environment, MINIFLARE_WORKERD_PATH: binary } };
  const run = launch({ ...options, data: folder, ports });
  await eventually(
    () => run.output(),
    () => run.output().includes("Sandbar ready"),
    60_000,
  );
  rmSync(binary);
  writeFileSync(binary, "#!/bin/sh\necho no space left >&2\nexit 3\n");
  chmodSync(binary, 0o755);
  kill(await nextWorkerd({ address: { pid: run.process.pid ?? 0 } }));
  expect(await run.exited).toBe(1);
  expect(run.output()).toContain("workerd could not be started within 18 seconds (");
  // What workerd printed stands before it: Miniflare may see the broken pipe first.
  expect(run.output()).toContain("no space left");
});

interface Load {
  /** Ends it and returns the names that were acknowledged. */
  end(): Promise<string[]>;
}

/** Creates ConfigMaps until it is stopped, also while the service does not answer. */
function writeAlways(service: RunningService, sandbox: SandboxWithToken): Load {
  const state = { isOver: false, next: 0 };
  const acknowledged: string[] = [];
  const write = async () => {
    while (!state.isOver) {
      const name = `c-${state.next++}`;
      const body = JSON.stringify({ metadata: { name }, data: { text: name.repeat(50) } });
      const signal = AbortSignal.timeout(answersAgainMs);
      try {
        const { status } = await kubernetes(service, sandbox, { method: "POST", body, signal });
        if (status === 201) acknowledged.push(name);
      } catch {
        // workerd was killed in the middle: nothing was acknowledged.
      }
      await pause(writePauseMs);
    }
  };
  const writing = Array.from({ length: writers }, write);
  return {
    end: async () => {
      state.isOver = true;
      await Promise.all(writing);
      return acknowledged;
    },
  };
}

async function expectEnd(service: RunningService): Promise<void> {
  const children = childrenOf(service.address.pid);
  const { tookMs, code } = await service.stop();
  expect([code, tookMs < endMs], service.output()).toEqual([0, true]);
  expect(service.output()).not.toContain("    at ");
  await eventually(
    () => "all its processes have ended",
    () => children.every((pid) => !isAlive(pid)),
  );
}

async function answersAgain(service: RunningService): Promise<void> {
  const beganMs = Date.now();
  while (!(await answersNow(service))) {
    expect(Date.now() - beganMs, service.output()).toBeLessThan(answersAgainMs);
    await pause(50);
  }
}

async function answersNow({ address }: Pick<RunningService, "address">): Promise<boolean> {
  try {
    return (await fetch(`${address.http}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

async function create(service: RunningService): Promise<SandboxWithToken> {
  const body = JSON.stringify({ ttlSeconds: 3600, nodes: 0 });
  const answer = await control(service.address, "/v1/sandboxes", { method: "POST", body });
  expect(answer.status).toBe(201);
  return sandboxWithToken.parse(await answer.json());
}

async function namesIn(service: RunningService, sandbox: SandboxWithToken): Promise<string[]> {
  const answer = await kubernetes(service, sandbox);
  expect(answer.status).toBe(200);
  const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
}

function kubernetes({ address }: RunningService, { id, token }: SandboxWithToken, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${address.http}/c/${id}${configMaps}`, { ...init, headers });
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => void setTimeout(done, ms));
}

/** The binary that Miniflare starts. */
function workerdPath(): string {
  const fromMiniflare = createRequire(createRequire(import.meta.url).resolve("miniflare"));
  return (fromMiniflare("workerd") as { default: string }).default;
}
