// Bounds of the terminal: lines, variables, jobs and history.
import { expect, test } from "vitest";
import { Jobs } from "../../../web/terminal/shell/jobs.ts";
import { History } from "../../../web/terminal/shell/line/history.ts";
import { shellWith } from "./shell.ts";

test("K7: variables are bounded by the terminal's memory", async () => {
  const { run } = shellWith();
  const { err, code } = await run("A=xxxxxxxxxxxxxxxx; while true; do A=$A$A$A$A; done");
  expect(err).not.toBe("");
  expect(code).not.toBe(0);
});

test("K7: at most twenty jobs run at once", () => {
  const jobs = new Jobs();
  const start = () => jobs.start("sleep 100", () => new Promise(() => undefined));
  for (let at = 0; at < 20; at++) {
    expect(jobs.isFull()).toBe(false);
    start();
  }
  expect(jobs.isFull()).toBe(true);
});

test("K9: history is bounded to a thousand lines and 128 KiB", () => {
  const history = new History();
  for (let at = 0; at < 1100; at++) history.add(`echo ${at}`);
  expect([history.all().length, history.all()[0]]).toEqual([1000, "echo 100"]);
  for (let at = 0; at < 5; at++) history.add("x".repeat(60_000) + String(at));
  expect(history.all()).toHaveLength(2);
});
