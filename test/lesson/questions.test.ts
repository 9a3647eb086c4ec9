// Questions of lessons: which documents are valid, how answers are graded, and what learners see of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Question, answerProblem, isRight, question, showQuestion } from "../../shared/lesson/questions.ts";
import { readLessonFolder } from "../../shared/lesson/read-folder.ts";
import { lessonBed } from "./bed.ts";

const choice = {
  kind: "choice",
  name: "kind",
  text: "Which object keeps three copies?",
  options: [
    { text: "A Pod", feedback: "A pod is one copy." },
    { text: "A Deployment", correct: true, feedback: "It keeps as many as you say." },
    { text: "A Service", feedback: "A Service has no copies." },
  ],
};
const several = {
  ...choice,
  several: true,
  options: [{ text: "a", correct: true }, { text: "b" }, { text: "c", correct: true }],
};
const order = { kind: "order", name: "order", text: "In which order?", items: ["one", "two", "three"] };
const fill = {
  kind: "fill",
  name: "fill",
  text: "kubectl ___ deployment web --replicas=___",
  gaps: [["scale"], ["3", "three"]],
};

function parsed(document: object): Question {
  return question.parse(document);
}

function graded(document: object, answer: string[]): boolean {
  const definition = parsed(document);
  if (definition.kind === "text") throw new Error("the cluster grades texts");
  expect(answerProblem(definition, answer)).toBe("");
  return isRight(definition, answer);
}

describe("an answer", () => {
  test.each([
    ["the right option", choice, ["A Deployment"], true],
    ["another option", choice, ["A Pod"], false],
    ["all right options", several, ["c", "a"], true],
    ["some of the right options", several, ["a"], false],
    ["a wrong option beside the right ones", several, ["a", "b", "c"], false],
    ["the right order", order, ["one", "two", "three"], true],
    ["another order", order, ["two", "one", "three"], false],
    ["accepted texts in any case and spacing", fill, [" SCALE ", "Three"], true],
    ["a wrong gap", fill, ["scale", "4"], false],
    ["an empty gap", fill, ["scale", ""], false],
  ])("M7: %s is graded", (_, document, answer, isCorrect) => {
    expect(graded(document, answer)).toBe(isCorrect);
  });

  test.each([
    ["an unknown option", choice, ["A Job"], "is no option of the question"],
    ["two options of one", choice, ["A Pod", "A Service"], "must be one option"],
    ["an option twice", several, ["a", "a"], "names an option twice"],
    ["missing items", order, ["one", "two"], "must be the items of the question"],
    ["a missing gap", fill, ["scale"], "must have a text for each of the 2 gaps"],
  ])("M7: %s does not fit its question", (_, document, answer, problem) => {
    expect(answerProblem(parsed(document), answer)).toBe(problem);
  });
});

describe("a shown question", () => {
  test("M7: holds no right answer, in any order of seeds", () => {
    for (let seed = 0; seed < 50; seed++) {
      const forLearner = showQuestion(parsed(order), undefined, `run${seed}`);
      expect(forLearner.items).not.toEqual(order.items);
      expect([...(forLearner.items ?? [])].sort()).toEqual([...order.items].sort());
    }
    const texts = [choice, several, fill].map((document) =>
      JSON.stringify(showQuestion(parsed(document), undefined, "run1")),
    );
    for (const text of texts) expect(text).not.toMatch(/correct|scale|three"|one copy|gaps/);
  });

  test("M7: has the feedback of chosen options alone, after the first try", () => {
    const definition = parsed(choice);
    const progress = { answer: ["A Pod"], passed: false, tries: 1 };
    expect(showQuestion(definition, progress, "").feedback).toEqual(["A pod is one copy."]);
    expect(showQuestion(definition, { ...progress, tries: 0 }, "").feedback).toEqual([]);
  });
});

describe("a lesson's folder", () => {
  const folder = (questions: string) =>
    readLessonFolder(
      new Map([
        ["lesson.yaml", `name: a\ntitle: A\nsteps:\n  - title: One\n    page: 1.md\n    questions:\n${questions}`],
        ["1.md", "# One"],
      ]),
    );

  test("M5: can have a step of questions alone", () => {
    const read = folder("      - {kind: order, name: o, text: Order, items: [a, b, c]}\n");
    expect(read).toMatchObject({
      lesson: { steps: [{ checks: [], questions: [{ points: 1, items: ["a", "b", "c"] }] }] },
    });
  });

  test("M5: can have the questions of docs/courses.md", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/courses.md"), "utf8");
    const [, text = ""] = /```yaml questions\nquestions:\n([\s\S]*?)```/.exec(page) ?? [];
    const read = folder(text.replaceAll(/^(?=.)/gm, "    "));
    expect("lesson" in read && read.lesson.steps[0]?.questions?.map(({ kind }) => kind)).toEqual([
      ...["choice", "order", "fill", "text"],
    ]);
  });

  test.each([
    [
      "no right option",
      "{kind: choice, name: c, text: C, options: [{text: a}, {text: b}]}",
      "options: exactly one must",
    ],
    ["an unknown kind", "{kind: guess, name: c, text: C}", "kind: must be one of"],
    ["a repeated item", "{kind: order, name: o, text: O, items: [a, b, a]}", "items: another one has that text"],
    ["gaps that the text lacks", "{kind: fill, name: f, text: a ___, gaps: [[a], [b]]}", "gaps: has 2 entries"],
    [
      "a faulty expression",
      "{kind: text, name: t, text: T, expression: answr == ''}",
      "undeclared reference to 'answr'",
    ],
  ])("M5: with %s is refused with line and column", (_, text, message) => {
    const read = folder(`      - ${text}\n`);
    if (!("problems" in read)) throw new Error("it is accepted");
    expect(read.problems[0]).toMatchObject({ file: "lesson.yaml", line: 7 });
    expect(read.problems[0]?.message).toContain(message);
  });
});

describe("the cluster", () => {
  test("M7: grades each free text with its own answer, and names the author's reason of a failing check", async () => {
    const { lessons, registry } = lessonBed();
    const expression = 'answer.trim() == string(objects("v1", "Node").size())';
    const { revision } = registry.store;
    const graded = await lessons.gradeStep({
      expressions: ["objects('v1', 'Node').size() == 4", expression, expression],
      answers: { 1: " 3 ", 2: "4" },
      messages: { 0: '"there are " + string(objects("v1", "Node").size()) + " nodes"' },
      ...{ since: revision, answer: "", allowsStatusWrites: false },
    });
    expect(graded).toMatchObject({
      ok: true,
      results: [
        { passed: false, message: "there are 3 nodes" },
        { passed: true, message: "" },
        { passed: false, message: "" },
      ],
    });
  });

  test("M7: grades nothing automatically if it did not change, or was graded a moment before", async () => {
    const { lessons, registry } = lessonBed();
    const { revision } = registry.store;
    const grade = (unless: { revision: number; nowMs: number }) =>
      lessons.gradeStep({ expressions: ["true"], since: revision, answer: "", allowsStatusWrites: false, unless });
    expect(await grade({ revision, nowMs: 0 })).toMatchObject({ isUnchanged: true });
    expect(await grade({ revision: 1, nowMs: 1_000 })).toMatchObject({ results: [{ passed: true }] });
    expect(await grade({ revision: 1, nowMs: 1_200 })).toMatchObject({ isUnchanged: true, revision: 1 });
    expect(await grade({ revision: 1, nowMs: 2_000 })).toMatchObject({ results: [{ passed: true }] });
  });
});
