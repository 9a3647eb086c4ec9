// States as files: saving, forking and restoring sandboxes of 1,000 and 10,000 objects, and the time until they answer.
import { expect, inParallel } from "../http.ts";
import { makeSandbox, type Sandbox, type Written } from "../sandbox.ts";
import type { Bench } from "../service.ts";
import { median } from "../statistics.ts";
import { atMost, type Figure } from "../table.ts";

const runs = 5;
const wakings = 10;
const openings = 3;
const sockets = 8;
const configMaps = "/api/v1/namespaces/default/configmaps";

export async function states(bench: Bench): Promise<Figure[]> {
  return [await waking(bench), ...(await figuresOf(bench, 1_000, 300)), ...(await figuresOf(bench, 10_000, 2_000))];
}

/** Measures the first list of nodes of an evicted sandbox. */
async function waking(bench: Bench): Promise<Figure> {
  const sandbox = await makeSandbox(bench);
  const wakes: number[] = [];
  for (let run = 0; run < wakings; run++) {
    await settle();
    await expect(200, sandbox.agent, `${bench.sandbar}/bench/evict/${sandbox.id}`);
    wakes.push(await timed(() => sandbox.get("/api/v1/nodes")));
  }
  sandbox.agent.destroy();
  const wake = median(wakes);
  return { what: "waking of a new sandbox, p50", value: wake, unit: "ms", bar: atMost(wake, 20, "ms") };
}

async function figuresOf(bench: Bench, objects: number, mostMs: number): Promise<Figure[]> {
  const sandbox = await makeSandbox(bench);
  const control = `${bench.sandbar}/v1/sandboxes/${sandbox.id}`;
  const ask = async (code: number, path: string, body: object) =>
    JSON.parse(
      await expect(code, sandbox.agent, control + path, {
        method: "POST",
        token: bench.key,
        body: JSON.stringify(body),
      }),
    ) as { id: string; token: string };
  await inParallel(sockets, objects, (at) => sandbox.post(configMaps, configMap(at)));
  await settle();
  const { id: snapshot } = await ask(201, "/snapshots", {});
  const [saves, forks, wakes, restores] = [[], [], [], []] as [number[], number[], number[], number[]];
  let rows = 0;
  for (let run = 0; run < runs; run++) {
    saves.push(await timed(() => ask(201, "/snapshots", {})));
    let fork: Pick<Sandbox, "id" | "token"> | undefined;
    forks.push(
      await timed(async () => {
        fork = await ask(201, "/fork", { snapshot });
        await get(bench, sandbox, fork);
      }),
    );
    if (!fork) throw new Error("there is no fork");
    await settle();
    rows = (await written(bench, sandbox, fork.id)).rows;
    await expect(200, sandbox.agent, `${bench.sandbar}/bench/evict/${fork.id}`);
    const forked = fork;
    wakes.push(await timed(() => get(bench, sandbox, forked)));
    await sandbox.post(configMaps, configMap(objects + run));
    restores.push(await timed(() => ask(200, "/restore", { snapshot })));
  }
  const otherSandbox = await makeSandbox(bench);
  const opened: number[] = [];
  for (let run = 0; run < openings; run++) {
    const fork = await ask(201, "/fork", { snapshot });
    await get(bench, sandbox, fork);
    await settle();
    await bench.restart();
    // The first request of a process waits for shared initialization.
    await otherSandbox.get("/api/v1/namespaces/default/configmaps");
    opened.push(await timed(() => get(bench, sandbox, fork)));
  }
  otherSandbox.agent.destroy();
  sandbox.agent.destroy();
  const what = `${objects.toLocaleString("en")} objects`;
  const [fork, restore] = [median(forks), median(restores)];
  const [wake, open] = [median(wakes), median(opened)];
  return [
    { what: `snapshot of ${what}, p50`, value: median(saves), unit: "ms" },
    { what: `fork of ${what} to its first answer, p50`, value: fork, unit: "ms", bar: atMost(fork, mostMs, "ms") },
    { what: "  rows written for it", value: rows, unit: "rows", bar: atMost(rows, 60, "rows") },
    { what: `restore of ${what}, p50`, value: restore, unit: "ms", bar: atMost(restore, mostMs, "ms") },
    { what: `waking with ${what}, p50`, value: wake, unit: "ms", bar: atMost(wake, 100, "ms") },
    { what: "  in a process that has not seen the file", value: open, unit: "ms", bar: atMost(open, 100, "ms") },
  ];
}

function get({ sandbar }: Bench, { agent }: Sandbox, { id, token }: Pick<Sandbox, "id" | "token">): Promise<string> {
  return expect(200, agent, `${sandbar}/c/${id}${configMaps}/settings-7`, { token });
}

async function written({ sandbar }: Bench, { agent }: Sandbox, id: string): Promise<Written> {
  return JSON.parse(await expect(200, agent, `${sandbar}/bench/written/${id}`)) as Written;
}

async function timed(body: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await body();
  return performance.now() - startMs;
}

/** Waits until the controllers are idle. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000));
}

/** Returns a ConfigMap of usual size. */
function configMap(at: number) {
  const data = Object.fromEntries(
    Array.from({ length: 12 }, (_, key) => [`key-${key}`, `value ${at * 7919 + key}`.repeat(6)]),
  );
  return { metadata: { name: `settings-${at}`, labels: { app: `app-${at % 100}` } }, data };
}
