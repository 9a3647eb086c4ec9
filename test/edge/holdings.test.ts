// The memory that watchers hold at the edge: which of them end when it is more than it may be.
import { expect, test } from "vitest";
import { type Holding, Holdings } from "../../worker/edge/watch/holdings.ts";

function newHoldings(sandboxBytes = 100, totalBytes = 250) {
  const holdings = new Holdings({ sandboxBytes, totalBytes });
  const ended: string[] = [];
  /** `waits`: bytes that `expire` releases. */
  const open = (sandbox: string, name: string, waits = 0): Holding => {
    const holding: Holding = holdings.open(sandbox, {
      expire: () => {
        ended.push(`expire ${name}`);
        holding.remove(waits);
      },
      cut: () => {
        ended.push(`cut ${name}`);
        holding.close();
      },
    });
    return holding;
  };
  return { holdings, ended, open };
}

test("no watch ends within the bound, and released bytes make room", () => {
  const { holdings, ended, open } = newHoldings();
  const [a, b] = [open("s", "a"), open("s", "b")];
  a.add(60);
  b.add(40);
  expect([a.hasRoom(1), holdings.bytes]).toEqual([false, 100]);
  a.remove(60);
  expect([a.hasRoom(60), holdings.bytes]).toEqual([true, 40]);
  b.add(60);
  expect(ended).toEqual([]);
});

test("past a sandbox's bound, its watch that has held bytes the longest ends first, and no other sandbox's", () => {
  const { ended, open, holdings } = newHoldings();
  const [a, b, otherTenantHolding] = [open("s", "a", 50), open("s", "b", 50), open("t", "other")];
  otherTenantHolding.add(100);
  a.add(50);
  b.add(50);
  a.remove(50);
  a.add(50);
  a.add(1);
  expect(ended).toEqual(["expire b"]);
  expect(holdings.bytes).toBe(151);
});

test("watches that cannot release their bytes are cut off after all were asked to end", () => {
  const { ended, open, holdings } = newHoldings();
  const [a, b] = [open("s", "a"), open("s", "b")];
  a.add(80);
  b.add(80);
  expect(ended).toEqual(["expire a", "expire b", "cut a"]);
  expect(holdings.bytes).toBe(80);
});

test("past the bound of all, watches of the sandbox with most bytes end", () => {
  const { ended, open } = newHoldings(1_000, 250);
  open("small", "small").add(100);
  open("large", "large", 140).add(140);
  open("third", "third").add(50);
  expect(ended).toEqual(["expire large"]);
});
