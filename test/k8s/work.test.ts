// The meter of a cluster: budgets nest, and work that has a bound of its own takes of none of them.
import { expect, test } from "vitest";
import { TooMuchWork, WorkMeter } from "../../shared/k8s/bounds/work.ts";

test("B2: without a budget all work is counted and nothing is refused", () => {
  const meter = new WorkMeter();
  meter.charge(1e9);
  meter.account(5);
  expect(meter.spent).toBe(1e9 + 5);
  expect(meter.left).toBe(Number.POSITIVE_INFINITY);
});

test("B2: past its budget every charge is refused, and counted", () => {
  const meter = new WorkMeter();
  meter.within(() => {
    meter.charge(10);
    expect(meter.left).toBe(0);
    expect(() => meter.charge(1)).toThrow(TooMuchWork);
    expect(meter.tryCharge(0)).toBe(false);
    expect(() => meter.charge(0)).toThrow(TooMuchWork);
  }, 10);
  expect(meter.spent).toBe(11);
  meter.charge(100);
});

test("B2: an inner budget never exceeds the rest of the outer one, and is taken from it", () => {
  const meter = new WorkMeter();
  meter.within(() => {
    meter.within(() => meter.charge(30), 40);
    expect(meter.left).toBe(70);
    meter.within(() => expect(meter.left).toBe(70), 1000);
    expect(() => meter.within(() => meter.charge(50), 40)).toThrow(TooMuchWork);
    expect(meter.left).toBe(20);
  }, 100);
});

test("B2: accounted work takes nothing from any budget", () => {
  const meter = new WorkMeter();
  meter.within(() => {
    meter.within(() => meter.account(500), 10);
    expect(meter.left).toBe(100);
  }, 100);
  expect(meter.spent).toBe(500);
});
