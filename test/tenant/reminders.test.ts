// A tenant's reminders of the ends of exams: they are due in the next whole second, survive failures, and are shared.
import { expect, test } from "vitest";
import { gradeExamsBy, Reminders } from "../../worker/tenant/reminders.ts";
import { createTenantTables } from "../../worker/tenant/tables.ts";
import { nodeSql } from "../sqlite.ts";

function newReminders() {
  const sql = nodeSql();
  createTenantTables(sql);
  const reminders = new Reminders(sql);
  const calls: string[] = [];
  const errors: string[] = [];
  const time = { nowMs: 1_000_000 };
  const follow = (outcome: () => Promise<number | undefined>) => {
    gradeExamsBy(async (_env, tenant) => {
      calls.push(tenant);
      return outcome();
    });
    return reminders.followDue(
      {},
      () => time.nowMs,
      (error) => errors.push(String(error)),
    );
  };
  return { reminders, calls, errors, time, follow };
}

test("a reminder is due in the whole second after the end, and exams of that second share it", async () => {
  const { reminders, calls, time, follow } = newReminders();
  expect(reminders.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
  reminders.add("ada", 1_000_001);
  reminders.add("ada", 1_000_999);
  expect(reminders.nextDueMs()).toBe(1_001_000);
  await follow(async () => undefined);
  expect(calls).toEqual([]);
  time.nowMs = 1_001_000;
  await follow(async () => undefined);
  expect([calls, reminders.nextDueMs()]).toEqual([["ada"], Number.POSITIVE_INFINITY]);
});

test("a reminder is repeated while exams are left, and a minute after a failure", async () => {
  const { reminders, errors, time, follow } = newReminders();
  reminders.add("ada", time.nowMs);
  await follow(async () => 1_000);
  expect(reminders.nextDueMs()).toBe(time.nowMs + 1_000);
  time.nowMs += 1_000;
  await follow(() => Promise.reject(new Error("D1 is away")));
  expect([reminders.nextDueMs(), errors]).toEqual([time.nowMs + 60_000, ["Error: D1 is away"]]);
});

test("a reminder that is added while exams are graded remains", async () => {
  const { reminders, time, follow } = newReminders();
  reminders.add("ada", time.nowMs);
  await follow(async () => {
    reminders.add("ada", time.nowMs + 5_000);
    return undefined;
  });
  expect(reminders.nextDueMs()).toBe(time.nowMs + 5_000);
});

test("a reminder of a past end that is added while exams are graded is not deleted with those that are followed", async () => {
  const { reminders, calls, time, follow } = newReminders();
  reminders.add("ada", time.nowMs);
  await follow(async () => {
    reminders.add("ada", time.nowMs - 5_000);
    return undefined;
  });
  expect(reminders.nextDueMs()).toBe(time.nowMs + 1_000);
  time.nowMs += 1_000;
  await follow(async () => undefined);
  expect([calls, reminders.nextDueMs()]).toEqual([["ada", "ada"], Number.POSITIVE_INFINITY]);
});
