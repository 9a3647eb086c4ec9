// The lessons that ship: each is read without a fault, passes nothing before it is solved, and is solved by its own solutions.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { Lesson } from "../../shared/lesson/lesson.ts";
import { readLessonFolder } from "../../shared/lesson/read-folder.ts";
import { lessonBed } from "./bed.ts";

const root = join(import.meta.dirname, "../../lessons");
const names = readdirSync(root).sort();
/** The time after which controllers and kubelets have finished and CronJobs have started. */
const settleSeconds = 150;

function lessonOf(name: string): Lesson {
  const folder = join(root, name);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => join(parentPath, file));
  const read = readLessonFolder(new Map(files.map((path) => [relative(folder, path), readFileSync(path, "utf8")])));
  if ("problems" in read) throw new Error(JSON.stringify(read.problems, undefined, 2));
  return read.lesson;
}

describe("M8: shipped lessons", () => {
  test("have hints, points and a solution for every step in ten lessons", () => {
    expect(names.length).toBe(10);
    for (const name of names) {
      const lesson = lessonOf(name);
      expect([lesson.name, lesson.description.length > 20]).toEqual([name, true]);
      const lacking = lesson.steps.filter(
        ({ checks, solution }) =>
          solution.length === 0 || checks.some(({ hint, points }) => hint === "" || points === 0),
      );
      expect(lacking).toEqual([]);
    }
  });

  test("are checked by the command line of a checkout", () => {
    const project = join(root, "..");
    const line = ["run", "-s", "sandbar", "--", "lesson", "check", join(root, "first-pod")];
    expect(execFileSync("npm", line, { cwd: project, encoding: "utf8" })).toBe("first-pod: 4 steps, 10 points\n");
  });

  test.each(names)("pass no check before a step is solved, and all after it: %s", async (name) => {
    const lesson = lessonOf(name);
    const bed = lessonBed(lesson.manifests, { nodes: lesson.nodes ?? limits.sandboxNodesDefault, images: "strict" });
    const earlyPasses: string[] = [];
    for (const { title, checks, solution } of lesson.steps) {
      bed.begin();
      const expressions = checks.map(({ expression }) => expression);
      const before = await bed.grade(expressions);
      earlyPasses.push(
        ...checks.filter((_, at) => before[at]?.passed).map((check) => `${title}: ${check.name}: passed before`),
      );
      for (const step of solution) {
        await bed.perform([step]);
        bed.pass(5);
      }
      bed.pass(settleSeconds);
      const answer = solution.flatMap((step) => ("answer" in step ? step.answer : [])).at(-1);
      const after = await bed.grade(expressions, answer);
      for (const [at, { passed, message }] of after.entries()) {
        if (!passed) earlyPasses.push(`${title}: ${checks[at]?.name ?? ""}: not passed ${message}`);
      }
    }
    expect(earlyPasses).toEqual([]);
  });
});
