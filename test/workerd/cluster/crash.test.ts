// Evictions and kills at any point, after which a cluster continues.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { seededRandom } from "../../../shared/base/random.ts";
import { deployment, newSandbox, rolledOut } from "./sandbox.ts";

const path = "/apis/apps/v1/namespaces/default/deployments";

describe.concurrent("interruptions of a rollout", () => {
  test.for([1, 2, 3])("C2: by evictions let the Deployment converge (seed %i)", async (seed) => {
    const random = seededRandom(seed);
    const sandbox = await newSandbox();
    await sandbox.call("POST", path, deployment("web", 4));
    for (let times = 0; times < 8; times++) {
      await new Promise((resolve) => setTimeout(resolve, random.next() * 600));
      // Not running is as good as evicted.
      await evictDurableObject(sandbox.stub()).catch(() => undefined);
      if (times === 4) await sandbox.call("PUT", `${path}/web`, deployment("web", 5, "nginx:1.27"));
    }
    await rolledOut(sandbox, "web", 5);
    await sandbox.quiet();
  });

  // What was at work when the process died may be set aside for a minute.
  const timeout = limits.setAsideFirstMs + 60_000;
  test.for([4, 5, 6])("C2: by kills let the Deployment converge (seed %i)", { timeout }, async (seed) => {
    const random = seededRandom(seed);
    const sandbox = await newSandbox();
    await sandbox.call("POST", path, deployment("web", 4));
    for (let times = 0; times < 8; times++) {
      await new Promise((resolve) => setTimeout(resolve, random.next() * 600));
      await runInDurableObject(sandbox.stub(), (_, state) => state.abort("killed")).catch(() => undefined);
      if (times === 4) await sandbox.call("PUT", `${path}/web`, deployment("web", 5, "nginx:1.27"));
    }
    await rolledOut(sandbox, "web", 5);
    await sandbox.quiet(limits.setAsideFirstMs + 30_000);
  });
});

test("C3: a write with a 201 is stored after a kill, and so is its drain", async () => {
  const sandbox = await newSandbox();
  for (let at = 0; at < 20; at++) {
    await sandbox.call("POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: `c${at}` } });
    await runInDurableObject(sandbox.stub(), (_, state) => state.abort("killed")).catch(() => undefined);
  }
  const { items } = (await sandbox.call("GET", "/api/v1/namespaces/default/configmaps")) as unknown as {
    items: unknown[];
  };
  expect(items).toHaveLength(21);
});
