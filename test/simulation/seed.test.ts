// A cluster with a seed: the same seed and the same requests give the same history.
import { describe, expect, test } from "vitest";
import { revisionRandom } from "../../shared/base/random.ts";
import type { Client } from "../../worker/registry/client.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { World, type WorldOptions } from "./world.ts";

function history(options: WorldOptions): string[] {
  const world = new World({ ...options, isSeeded: true });
  const start = world.changes.length;
  world.turn(() => requests(world.client));
  world.pass(60_000);
  return world.changes.slice(start).map(({ revision, type, text }) => `${revision} ${type} ${text}`);
}

function requests(client: Client): void {
  const labels = { app: "web" };
  client.create(deployments, {
    metadata: { generateName: "web-", namespace: "default" },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
    },
  });
  client.create(services, {
    metadata: { name: "web", namespace: "default" },
    spec: { selector: labels, type: "NodePort", ports: [{ port: 80 }] },
  });
}

describe("a seed", () => {
  test("makes two runs have the same change log, byte for byte", () => {
    const first = history({ seed: 7, zeroDelays: false });
    expect(first.length).toBeGreaterThan(20);
    expect(history({ seed: 7, zeroDelays: false })).toEqual(first);
  });

  test("determines the randomness together with the revision, so that nothing of it is lost with the memory", () => {
    let revision = 5;
    const before = revisionRandom(7, () => revision);
    const first = [before.uuid(), before.suffix(5)];
    revision = 6;
    const second = before.uuid();
    const after = revisionRandom(7, () => revision);
    expect(after.uuid()).toBe(second);
    expect(new Set([...first, second, revisionRandom(8, () => revision).uuid()]).size).toBe(4);
    revision = 5;
    expect([after.uuid(), after.suffix(5)]).toEqual(first);
  });

  test("gives other names, uids and addresses if it differs", () => {
    const [first, second] = [history({ seed: 7 }), history({ seed: 8 })];
    const uids = (lines: string[]) =>
      new Set(lines.flatMap((line) => [...line.matchAll(/"uid":"([^"]+)"/g)].map(([, uid]) => uid)));
    const common = [...uids(first)].filter((uid) => uids(second).has(uid));
    // The objects of the base are those of one world.
    expect(first.join()).not.toEqual(second.join());
    expect(common.length).toBeLessThan(uids(first).size / 2);
  });
});
