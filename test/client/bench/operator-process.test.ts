// The process of an operator: what it finds, its restart after a crash, and that nothing is left of it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { OperatorProcess } from "../../../client/bench/operator-process.ts";
import type { Sandbar } from "../../../client/index.ts";

/** An operator that appends a line to a file at each start. `script` follows. */
async function prepared(script: string) {
  const folder = mkdtempSync(join(tmpdir(), "operator-test-"));
  const server = createServer((_, response) => response.end('{"items": []}'));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  const ended: string[] = [];
  const client = {
    getSandbox: async () => ({ server: "https://sandbar.example:9443/c/abc", ca: "CA", token: "admin" }),
    createToken: async () => ({ token: "operator" }),
    clusterUrl: () => url,
    time: { deleteFaults: async (_: string, name: string) => void ended.push(name) },
  } as unknown as Sandbar;
  const starts = join(folder, "starts");
  const operator = await OperatorProcess.prepare({
    ...{ client, sandbox: "abc", user: "op", groups: [], environment: process.env, log: join(folder, "log") },
    command: ["sh", "-c", `echo $KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT {port} >> ${starts}; ${script}`],
    say: () => undefined,
  });
  onTestFinished(() => {
    operator.stop();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const lines = () => (existsSync(starts) ? readFileSync(starts, "utf8").trim().split("\n") : []);
  return { operator, lines, ended };
}

const patience = { timeout: 10_000, interval: 20 };

test("an operator finds the address of its sandbox without a path, and a port of its own", async () => {
  const { operator, lines } = await prepared("sleep 60");
  expect(operator.startedMs).toBeUndefined();
  await operator.start();
  expect(operator.startedMs).toBeTypeOf("number");
  await vi.waitFor(() => expect(lines()[0]).toMatch(/^sandbar\.example:9443 [1-9]\d+$/), patience);
});

test("a crash kills the process, ends its faults and starts it again", async () => {
  const { operator, lines, ended } = await prepared("sleep 60");
  await operator.start();
  await vi.waitFor(() => expect(lines()).toHaveLength(1), patience);
  await operator.crash(["crash"]);
  await vi.waitFor(() => expect(lines()).toHaveLength(2), patience);
  expect([ended, operator.starts, operator.exits]).toEqual([["crash"], 2, 0]);
});

test("a process that ends by itself is counted and starts again", async () => {
  const { operator, lines } = await prepared("exit 1");
  await operator.start();
  await vi.waitFor(() => expect(lines().length).toBeGreaterThan(1), patience);
  expect(operator.exits).toBeGreaterThan(0);
});

test("a crash that is under way when the operator is stopped starts nothing", async () => {
  const { operator, lines } = await prepared("sleep 60");
  await operator.start();
  await vi.waitFor(() => expect(lines()).toHaveLength(1), patience);
  const crash = operator.crash(["crash"]);
  operator.stop();
  await crash;
  await sleep(200);
  expect([lines().length, operator.starts]).toEqual([1, 1]);
});
