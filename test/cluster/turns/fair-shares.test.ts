// Shares of sandboxes on one thread: which sandbox waits, and for how long.
import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import { FairShares } from "../../../worker/cluster/turns/fair-shares.ts";

const heavy = { tenant: "heavy", sandbox: "heavy-1" };
const light = { tenant: "light", sandbox: "light-1" };

function newShares() {
  const clock = { nowMs: 1_000_000 };
  return { clock, shares: new FairShares(() => clock.nowMs) };
}

test("a sandbox that used little never waits, and one that used much does until that has decayed", () => {
  const { clock, shares } = newShares();
  expect(shares.isLight(heavy)).toBe(true);
  shares.charge(heavy, 500);
  expect(shares.isLight(heavy)).toBe(false);
  clock.nowMs += 10 * limits.shareDecayMs;
  expect(shares.isLight(heavy)).toBe(true);
});

test("a sandbox is light beside one that used four times as much, and all sandboxes of a tenant count for it", () => {
  const { shares } = newShares();
  shares.charge(light, 150);
  expect(shares.isLight(light)).toBe(false);
  for (let at = 0; at < 10; at++) shares.charge({ tenant: "heavy", sandbox: `heavy-${at}` }, 150);
  expect(shares.isLight(light)).toBe(true);
  expect(shares.isLight(heavy)).toBe(false);
});

test("a sandbox that used little beside one of its own tenant is light, unless the tenant spread its load", () => {
  const { shares } = newShares();
  const [busy, idle, third] = ["busy", "idle", "third"].map((sandbox) => ({ tenant: "one", sandbox }));
  if (!busy || !idle || !third) throw new Error("three sandboxes");
  shares.charge(busy, 900);
  shares.charge(idle, 20);
  expect(shares.isLight(idle)).toBe(true);
  expect(shares.isLight(busy)).toBe(false);
  // The thread rests after a turn of the busy one for the other's sake.
  expect(shares.begin(busy)).toBe(0);
  shares.charge(busy, 30);
  shares.end(busy);
  expect(shares.begin(busy)).toBe(30);
  shares.charge(third, 300);
  expect(shares.isLight(idle)).toBe(false);
  expect(shares.isLight(third)).toBe(false);
});

test("among waiting sandboxes, the one that used least is served first, even if it arrived last", () => {
  const { clock, shares } = newShares();
  const otherSandbox = { tenant: "other", sandbox: "other-1" };
  shares.charge(heavy, 900);
  shares.charge(otherSandbox, 700);
  expect(shares.begin(heavy)).toBe(0);
  expect(shares.begin(otherSandbox)).toBeGreaterThan(0);
  expect(shares.begin(heavy)).toBeGreaterThan(0);
  shares.end(heavy);
  expect(shares.begin(heavy)).toBeGreaterThan(0);
  expect(shares.begin(otherSandbox)).toBe(0);
  shares.end(otherSandbox);
  clock.nowMs += 1;
  expect(shares.begin(heavy)).toBe(0);
});

test("after a heavy turn the thread rests only for a light neighbour that was active recently", () => {
  const { clock, shares } = newShares();
  const turn = () => {
    expect(shares.begin(heavy)).toBe(0);
    shares.charge(heavy, 30);
    return shares.end(heavy);
  };
  shares.charge(heavy, 900);
  expect(turn()).toBe(30);
  expect(turn()).toBe(30);
  shares.charge(light, 1);
  turn();
  expect(shares.begin(heavy)).toBe(30);
  clock.nowMs += 30;
  turn();
  clock.nowMs += limits.shareNeighbourMs + 30;
  turn();
  expect(shares.begin(heavy)).toBe(0);
});

test("a turn that is never ended, an abandoned request, and a clock that is set back block no sandbox forever", () => {
  const { clock, shares } = newShares();
  shares.charge(heavy, 900);
  shares.charge(light, 800);
  expect(shares.begin(light)).toBe(0);
  expect(shares.begin(heavy)).toBeGreaterThan(0);
  clock.nowMs += 2_000;
  expect(shares.begin(heavy)).toBe(0);
  shares.end(heavy);
  expect(shares.begin(light)).toBe(0);
  clock.nowMs -= 3_600_000;
  expect(shares.begin(heavy)).toBe(0);
});
