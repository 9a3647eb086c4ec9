// The client that records which objects a computation read.
import { expect, test } from "vitest";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import type { Client } from "../../worker/registry/client.ts";
import { trackingClient } from "../../worker/cluster/runs/read-tracking.ts";

const computed = { ...configMaps, computed: () => [] } as unknown as typeof configMaps;

/** Returns a client that answers every call and records it. */
function answering(requests: string[]): Client {
  // Whatever is asked for is a method.
  return new Proxy({} as Client, { get: (_, name) => () => (requests.push(String(name)), []) });
}

type Look = (client: Client, kind: typeof configMaps) => unknown;
const { resource } = configMaps;
const looks: readonly (readonly [name: keyof Client, look: Look, seen: string])[] = [
  ["get", (client, kind) => client.get(kind, "ns", "a"), `${resource}/ns/a`],
  ["list", (client, kind) => client.list(kind), resource],
  ["list", (client, kind) => client.list(kind, { namespace: "ns" }), `${resource}/ns`],
  ["each", (client, kind) => client.each(kind), resource],
  ["each", (client, kind) => client.each(kind, { namespace: "ns" }), `${resource}/ns`],
  ["beginningWith", (client, kind) => client.beginningWith(kind, "ns", "a"), `${resource}/ns`],
  ["count", (client, kind) => client.count(kind), resource],
  ["controlledBy", (client, kind) => client.controlledBy(kind, "uid"), resource],
  ["orphans", (client, kind) => client.orphans(kind, "ns"), `${resource}/ns`],
  ["named", (client, kind) => client.named(kind, "a"), resource],
  ["byIndexValue", (client, kind) => client.byIndexValue(kind, "n"), resource],
  ["indexValues", (client, kind) => client.indexValues(kind), resource],
  ["dependents", (client) => client.dependents("uid"), "*"],
  ["kindOf", (client) => client.kindOf("v1", "Pod"), "*"],
  ["kindAt", (client) => client.kindAt("v1", "pods"), "*"],
  ["decide", (client) => client.decide({ name: "a", groups: [] }, {} as never), "*"],
  ["kinds", (client) => client.kinds(), "*"],
];

test.each(looks)("L2: %s is recorded as a dependency, and any object of a computed kind (%#)", (name, look, key) => {
  const seenKeys = (kind: Kind<never>) => {
    const keys = new Set<string>();
    const requests: string[] = [];
    // Both are kinds of ConfigMaps.
    look(trackingClient(answering(requests), keys), kind);
    expect(requests).toEqual([name]);
    return [...keys];
  };
  expect(seenKeys(configMaps as never)).toEqual([key]);
  expect(seenKeys(computed as never)).toEqual(["*"]);
});
