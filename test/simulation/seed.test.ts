// A cluster with a seed: the same seed and the same requests give the same history.
import { describe, expect, test } from "vitest";
import { revisionRandom } from "../../shared/base/random.ts";
import type { Client } from "../../worker/registry/client.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { live } from "./run.ts";
import { World, type WorldOptions } from "./world.ts";

/** `before`: what happens before the requests, and writes nothing. */
function history(options: WorldOptions, before: (client: Client) => void = () => undefined): string[] {
  const world = new World({ ...options, isSeeded: true });
  const start = world.changes.length;
  before(world.client);
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

function firstDifference(lines: string[], expected: string[]): string[] | undefined {
  const at = lines.findIndex((line, index) => line !== expected[index]);
  return at < 0 ? undefined : [lines[at] ?? "", expected[at] ?? ""].map((line) => line.slice(0, 300));
}

describe("a seed", () => {
  test("makes two runs have the same change log, byte for byte", () => {
    const first = history({ seed: 7, zeroDelays: false });
    expect(first.length).toBeGreaterThan(20);
    expect(history({ seed: 7, zeroDelays: false })).toEqual(first);
  });

  test("makes the same change log if writes were refused before, or drains were shorter", () => {
    const expected = history({ seed: 7 });
    const withoutEffect = (client: Client) => {
      const metadata = { generateName: "Bad_", namespace: "default" };
      expect(() => client.create(configMaps, { metadata })).toThrow("Invalid value");
    };
    expect(firstDifference(history({ seed: 7 }, withoutEffect), expected)).toBeUndefined();
    expect(firstDifference(history({ seed: 7, faults: { evict: Number.MIN_VALUE } }), expected)).toBeUndefined();
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

  test.each([3, 4, 8, 13, 19, 21, 24])(
    "C6: makes the same change log whether or not memory is lost: life %i",
    (seed) => {
      const linesOf = (evict: number) => {
        const isZero = seed % 2 === 0;
        const life = live({ seed, faults: { evict }, wishes: 12, isOrderly: true, isSeeded: true, zeroDelays: isZero });
        const { changes, happened } = life.world;
        return { lines: changes.map(({ revision, type, text }) => `${revision} ${type} ${text}`), ...happened };
      };
      // The smallest chance draws as often as any other and never happens.
      const [calm, evicted] = [linesOf(Number.MIN_VALUE), linesOf(0.5)];
      expect([calm.evicted, evicted.evicted > 0]).toEqual([0, true]);
      expect(firstDifference(evicted.lines, calm.lines)).toBeUndefined();
      expect(evicted.lines.length).toBe(calm.lines.length);
    },
  );

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
