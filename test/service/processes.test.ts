// A service with several workerd processes: each holds its share of the sandboxes, and outlives the others.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { processOf } from "../../shared/contract/hosted/processes.ts";
import { eventually } from "./kubectl.ts";
import { control, newSandbox, type TestSandbox, testSandbox } from "./sandbox.ts";
import { freePorts, type RunningService, startService } from "./service.ts";
import { kill, workerdsOf } from "./workerd-process.ts";

const data = mkdtempSync(join(tmpdir(), "sandbar-processes-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const configMaps = "/api/v1/namespaces/default/configmaps";
const environment = (processes: number) => ({
  SANDBAR_KUBELET_DELAYS: "zero",
  SANDBAR_PROCESSES: String(processes),
});

/** Creates a ConfigMap with a name. */
async function write(sandbox: TestSandbox, name: string): Promise<number> {
  return (await sandbox.fetch(configMaps, { method: "POST", body: JSON.stringify({ metadata: { name } }) })).status;
}

async function namesIn(sandbox: TestSandbox): Promise<string[]> {
  const answer = await sandbox.fetch(configMaps);
  expect(answer.status, await answer.clone().text()).toBe(200);
  const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
}

/** Returns a sandbox of each of two processes. */
async function sandboxOfEach(service: RunningService): Promise<[TestSandbox, TestSandbox]> {
  const sandboxes = await Promise.all([0, 1].map(() => newSandbox({ nodes: 1 }, service.address)));
  const [first, second] = [0, 1].map((process) => sandboxes.find(({ id }) => processOf(id, 2) === process));
  if (!first || !second) throw new Error("two sandboxes in a row are in one process");
  return [first, second];
}

describe("a service with two processes", () => {
  test("starts the second for the second sandbox, and a process that is killed takes only its own sandboxes offline", async () => {
    const ports = await freePorts();
    const service = await startService({ data, ports, environment: environment(2) });
    try {
      // The playground is in the first process.
      const [single] = workerdsOf(service);
      expect(workerdsOf(service)).toHaveLength(1);
      const [first, second] = await sandboxOfEach(service);
      const further = workerdsOf(service).find((pid) => pid !== single);
      expect(workerdsOf(service)).toHaveLength(2);
      for (const sandbox of [first, second]) expect(await write(sandbox, "before")).toBe(201);
      expect((await second.fetch("/api/v1/nodes/node-1/proxy/healthz")).status).toBe(200);

      kill(further ?? 0);
      expect(await namesIn(first)).toEqual(["before"]);
      await eventually(
        () => "the second process serves again",
        async () => (await second.fetch(configMaps)).ok,
      );
      expect(await namesIn(second)).toEqual(["before"]);
      expect(await write(second, "again")).toBe(201);

      kill(single ?? 0);
      expect(await namesIn(second)).toEqual(["again", "before"]);
      await eventually(
        () => "the first process serves again",
        async () => (await control(service.address, "/v1/sandboxes")).ok,
      );
      expect(await namesIn(first)).toEqual(["before"]);
      const later = await sandboxOfEach(service);
      for (const sandbox of later) expect(await write(sandbox, "later")).toBe(201);
      expect((await control(service.address, `/v1/sandboxes/${second.id}`, { method: "DELETE" })).status).toBe(204);
      expect((await second.fetch(configMaps)).status).toBe(410);
    } finally {
      await service.stop();
    }
    expect(service.output()).toContain("process 1: workerd ended (SIGKILL) and is started again");
    expect(service.output()).toContain("\nworkerd ended (SIGKILL) and is started again");
  });

  test("keeps every sandbox when it is started with another number of processes", async () => {
    const folder = join(data, "counts");
    const ports = await freePorts();
    let records: { readonly id: string; readonly token: string }[] = [];
    for (const processes of [1, 2, 1]) {
      const service = await startService({ data: folder, ports, environment: environment(processes) });
      try {
        if (records.length === 0)
          records = await Promise.all([1, 2, 3].map(() => newSandbox({ nodes: 0 }, service.address)));
        for (const { id } of records) {
          const answer = await control(service.address, `/v1/sandboxes/${id}`);
          const sandbox = await testSandbox(service.address, (await answer.json()) as TestSandbox);
          expect(await write(sandbox, `of-${processes}-${Math.random().toString(36).slice(2)}`)).toBe(201);
        }
        const counts = await Promise.all(
          records.map(async ({ id }) => {
            const answer = await control(service.address, `/v1/sandboxes/${id}`);
            return (await namesIn(await testSandbox(service.address, (await answer.json()) as TestSandbox))).length;
          }),
        );
        expect(new Set(counts).size).toBe(1);
      } finally {
        await service.stop();
      }
    }
  });
});
