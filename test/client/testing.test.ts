// The test helper beside a service that fails: removal, errors of tests, and the process that deletes what remains.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createCluster, withCluster } from "../../client/testing.ts";

/** Calls a function with the address of a service whose deletions have these statuses, the last of them from then on. */
async function withService(statuses: readonly number[], body: (url: string, deletions: string[]) => Promise<void>) {
  const deletions: string[] = [];
  const server = createServer((request, answer) => {
    if (request.method !== "DELETE") {
      answer.writeHead(201).end(JSON.stringify({ id: "x", token: "t" }));
      return;
    }
    const status = statuses[deletions.length] ?? statuses.at(-1) ?? 204;
    deletions.push(request.url ?? "");
    if (status === 204) answer.writeHead(status).end();
    else answer.writeHead(status).end(JSON.stringify({ error: { code: "x", message: `status ${status}` } }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo;
  await body(`http://127.0.0.1:${port}`, deletions).finally(() => server.close());
}

test("K4: the removal of a cluster that is gone succeeds", async () => {
  await withService([404], async (url, deletions) => {
    const cluster = await createCluster({ url, retries: 0 });
    await cluster.remove();
    await cluster.remove();
    expect(deletions).toEqual(["/v1/sandboxes/x"]);
  });
});

test("K4: a removal that failed is tried again by the next call", async () => {
  await withService([500, 204], async (url, deletions) => {
    const cluster = await createCluster({ url, retries: 0 });
    await expect(cluster.remove()).rejects.toThrow("status 500");
    await cluster.remove();
    expect(deletions).toHaveLength(2);
  });
});

test("K4: an error of a removal does not replace the test's error", async () => {
  await withService([500], async (url) => {
    const failing = withCluster({ url, retries: 0 }, () => Promise.reject(new Error("the test's own")));
    await expect(failing).rejects.toThrow("the test's own");
    await expect(withCluster({ url, retries: 0 }, () => 1)).rejects.toThrow("status 500");
  });
});
