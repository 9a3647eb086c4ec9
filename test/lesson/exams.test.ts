// The practice exams: an untouched cluster gets no points, and each task's solution gets all of its points.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { percentOf, resultsByDomain } from "../../shared/lesson/exam.ts";
import { allPointsOf, clusterIndexOf, clustersOf, type Lesson, type Step } from "../../shared/lesson/lesson.ts";
import { readLessonFolder } from "../../shared/lesson/read-folder.ts";
import { must } from "../../shared/base/assert.ts";
import { limits } from "../../shared/base/limits.ts";
import { lessonBed } from "./bed.ts";

const root = join(import.meta.dirname, "../../exams");
const names = readdirSync(root).sort();
/** The time after which controllers and kubelets have finished, and silent kubelets were noticed. */
const settleSeconds = 150;
/** The objects that a task has the learner read with kubectl. */
const reads = ["/api/v1/namespaces/vault/secrets/db", "/api/v1/namespaces/vault/pods"];

function examOf(name: string): Lesson {
  const folder = join(root, name);
  const read = readLessonFolder(
    new Map(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")])),
  );
  if ("problems" in read) throw new Error(JSON.stringify(read.problems, undefined, 2));
  return read.lesson;
}

describe("the practice exams", () => {
  test.each(names)("%s has 15 to 17 tasks with domains and no hints, worth 100 points together", (name) => {
    const exam = examOf(name);
    expect([exam.name, exam.exam, allPointsOf(exam)]).toEqual([name, { passPercent: 66 }, 100]);
    expect(exam.steps.length).toBeGreaterThanOrEqual(15);
    expect(exam.steps.length).toBeLessThanOrEqual(17);
    const lacking = exam.steps.filter(
      ({ domain, checks, solution }) => !domain || solution.length === 0 || checks.some(({ hint }) => hint !== ""),
    );
    expect(lacking.map(({ title }) => title)).toEqual([]);
  });

  test.each(names)("%s gives an untouched cluster nothing, and each solution all points of its task", async (name) => {
    const exam = examOf(name);
    const beds = clustersOf(exam).map(({ nodes = limits.sandboxNodesDefault, manifests, version }) =>
      lessonBed(manifests, { nodes, version, images: "strict", systemPods: true }),
    );
    const bedOf = (step: Step) => must(beds[clusterIndexOf(exam, step)], "the bed of a task");
    const pass = (seconds: number) => {
      for (const bed of beds) bed.pass(seconds);
    };
    for (const [at, { prepare }] of clustersOf(exam).entries()) await beds[at]?.perform(prepare);
    for (const bed of beds) bed.begin();
    pass(settleSeconds);
    const gradeAll = () =>
      Promise.all(exam.steps.map((step) => bedOf(step).grade(step.checks.map((check) => check.expression))));
    const faults: string[] = [];
    for (const [at, results] of (await gradeAll()).entries())
      for (const [index, { passed }] of results.entries())
        if (passed)
          faults.push(`untouched: ${exam.steps[at]?.title ?? ""}: ${exam.steps[at]?.checks[index]?.name ?? ""}`);
    for (const step of exam.steps) {
      for (const action of step.solution) {
        await bedOf(step).perform([action]);
        bedOf(step).pass(10);
      }
      bedOf(step).pass(20);
    }
    for (const bed of beds) for (const path of reads) await bed.server.ask("GET", path);
    pass(settleSeconds);
    for (const [at, results] of (await gradeAll()).entries())
      for (const [index, { passed, message }] of results.entries())
        if (!passed)
          faults.push(
            `solved: ${exam.steps[at]?.title ?? ""}: ${exam.steps[at]?.checks[index]?.name ?? ""}: ${message}`,
          );
    expect(faults).toEqual([]);
  });
});

test("points are summed by domain in the order of the tasks, and percentages are rounded down", () => {
  const tasks = [
    { domain: "b", points: 1, maxPoints: 2 },
    { domain: "a", points: 0, maxPoints: 3 },
    { domain: "b", points: 2, maxPoints: 2 },
  ];
  expect(resultsByDomain(tasks)).toEqual([
    { domain: "b", points: 3, maxPoints: 4 },
    { domain: "a", points: 0, maxPoints: 3 },
  ]);
  expect([percentOf(659, 1000), percentOf(0, 0)]).toEqual([65, 0]);
});
