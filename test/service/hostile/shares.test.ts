// Fair shares: one tenant puts each of several loads on a service, and then all of them at once. Every 30 ms an object of another tenant's
// sandbox is read. SANDBAR_LOAD_SECONDS is the duration of each load.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { afterAll, expect, test } from "vitest";
import { newSandbox } from "../sandbox.ts";
import { freePorts, startService } from "../service.ts";
import { addTenant } from "../tenants.ts";
import { type Load, loads } from "./loads.ts";
import { watchMachine, watchMemory, watchNeighbour } from "./measure.ts";
import { hostileTenant } from "./tenant.ts";

const seconds = Number(process.env.SANDBAR_LOAD_SECONDS ?? "15");
const environment = { SANDBAR_KUBELET_DELAYS: "zero" };
const bounds = { aloneMs: 250, togetherMs: 500, memoryMiB: 768 };
const everyMs = 30;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** On request only (SANDBAR_SHARES=1): not all loads keep the bound so far. */
const measured = test.runIf(process.env.SANDBAR_SHARES !== undefined);

for (const load of loads) {
  measured(`a neighbour waits no longer than ${bounds.aloneMs} ms (p99): ${load.name}`, () =>
    under([load], bounds.aloneMs),
  );
}

measured(`a neighbour waits no longer than ${bounds.togetherMs} ms (p99) for all loads at once`, () =>
  under(loads, bounds.togetherMs),
);

async function under(some: readonly Load[], p99Ms: number): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), "sandbar-shares-"));
  folders.push(data);
  const service = await startService({ data, ports: await freePorts(), environment });
  try {
    const neighbourKey = addTenant(service.address, "neighbour");
    const innocent = await newSandbox({ name: "innocent" }, { ...service.address, apiKey: neighbourKey });
    const hostile = await newSandbox({ name: "hostile" }, service.address);
    const tenant = hostileTenant(hostile);
    for (const load of some) await load.prepare(tenant, hostile);
    const memory = watchMemory(service);
    const machine = watchMachine(data);
    const neighbour = watchNeighbour(innocent, everyMs);
    const end = new AbortController();
    const running = some.map((load) => load.run(tenant, hostile, end.signal));
    await new Promise((done) => void setTimeout(done, seconds * 1000));
    const { gets, failures, at } = await neighbour();
    const memoryMiB = memory();
    const { slowness, text: ofMachine } = await machine();
    const boundMs = Math.round(p99Ms * slowness);
    console.log(
      `${some.map(({ name }) => name).join(" + ")}: ${gets.length} gets, p50 ${at(0.5)} ms, p99 ${at(0.99)} of ${boundMs} ms, ` +
        `longest ${at(1)} ms; at most ${memoryMiB} MiB; ${ofMachine}; answers ` +
        [...tenant.statuses].map(([status, times]) => `${status}: ${times}`).join(", "),
    );
    end.abort();
    await Promise.all(running);
    expect(tenant.complaints).toEqual([]);
    expect(failures).toEqual([]);
    expect(at(0.99)).toBeLessThan(boundMs);
    expect(memoryMiB).toBeLessThan(bounds.memoryMiB);
  } finally {
    await service.kill();
  }
}
