// The end of a reconcile that has done as much as a turn may: before any write, never before a read.
import { expect, test } from "vitest";
import type { Client } from "../../worker/registry/client.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { TurnOver, untilTooMuchIsRead, untilTurnIsOver } from "../../worker/runtime/turn-over.ts";

/** A client that writes down what reaches it. */
function clientOf(check: () => void) {
  const reached: unknown[][] = [];
  const write =
    (name: string) =>
    (...given: unknown[]) => {
      reached.push([name, ...given]);
      return name;
    };
  const names = [
    "get",
    "list",
    "each",
    "controlledBy",
    "byIndexValue",
    "named",
    "create",
    "update",
    "updateStatus",
    "updateSubresource",
    "delete",
    "tryDelete",
    "act",
    "bind",
  ];
  // What is not asked for here is not there.
  const whole = Object.fromEntries(names.map((name) => [name, write(name)])) as unknown as Client;
  return { reached, client: untilTurnIsOver(whole, check), reading: untilTooMuchIsRead(whole, check) };
}

const draft = { metadata: { name: "a", namespace: "default" } };
const writes: readonly (readonly [
  name: string,
  write: (client: Client) => unknown,
  given: readonly unknown[],
  gives: unknown,
])[] = [
  ["create", (client) => client.create(configMaps, draft), [configMaps, draft], "create"],
  ["update", (client) => client.update(configMaps, draft), [configMaps, draft], "update"],
  ["updateStatus", (client) => client.updateStatus(configMaps, draft), [configMaps, draft], "updateStatus"],
  [
    "updateSubresource",
    (client) => client.updateSubresource(configMaps, "scale", draft),
    [configMaps, "scale", draft],
    "updateSubresource",
  ],
  ["delete", (client) => client.delete(configMaps, "ns", "a", {}), [configMaps, "ns", "a", {}], undefined],
  ["tryDelete", (client) => client.tryDelete(configMaps, "ns", "a", {}), [configMaps, "ns", "a", {}], "tryDelete"],
  [
    "act",
    (client) => client.act(configMaps, "eviction", "ns", "a", 1),
    [configMaps, "eviction", "ns", "a", 1],
    undefined,
  ],
  ["bind", (client) => client.bind("ns", "a", "uid", "node"), ["ns", "a", "uid", "node"], undefined],
];

test.each(writes)(
  "B2: %s is done as it was asked for while the turn goes on, and not begun when it is over",
  (name, write, given, gives) => {
    let isOver = false;
    const { client, reached } = clientOf(() => {
      if (isOver) throw new TurnOver();
    });
    expect(write(client)).toBe(gives);
    expect(reached).toEqual([[name, ...given]]);
    isOver = true;
    expect(() => write(client)).toThrow(TurnOver);
    expect(reached).toHaveLength(1);
  },
);

test("B2: what is read is read to the end", () => {
  const { client } = clientOf(() => {
    throw new TurnOver();
  });
  expect(client.get(configMaps, "ns", "a")).toBe("get");
});

const reads: readonly (readonly [name: string, read: (client: Client) => unknown, given: readonly unknown[]])[] = [
  ["get", (client) => client.get(configMaps, "ns", "a"), [configMaps, "ns", "a"]],
  ["list", (client) => client.list(configMaps, { namespace: "ns" }), [configMaps, { namespace: "ns" }]],
  ["each", (client) => client.each(configMaps, { namespace: "ns" }), [configMaps, { namespace: "ns" }]],
  ["controlledBy", (client) => client.controlledBy(configMaps, "uid"), [configMaps, "uid"]],
  ["byIndexValue", (client) => client.byIndexValue(configMaps, "n1"), [configMaps, "n1"]],
  ["named", (client) => client.named(configMaps, "a"), [configMaps, "a"]],
];

test.each(reads)("B2: %s is read as it was asked for, until that has been too much", (name, read, given) => {
  let isTooMuch = false;
  const { reading, reached } = clientOf(() => {
    if (isTooMuch) throw new Error("too much");
  });
  expect([read(reading), reached]).toEqual([name, [[name, ...given]]]);
  isTooMuch = true;
  expect(() => read(reading)).toThrow("too much");
  expect(reached).toHaveLength(1);
});
