// The grading of a step: which expressions the cluster evaluates, and which answers the edge grades itself.
import { questionLimits } from "../../../../shared/base/lesson-limits.ts";
import type { CheckResult, GradeQuestion } from "../../../../shared/contract/cluster/lesson.ts";
import type { StepProgress } from "../../../../shared/contract/lesson.ts";
import type { Lesson, Step } from "../../../../shared/lesson/lesson.ts";
import {
  answerProblem,
  isRight,
  type Question,
  type QuestionAnswer,
  type QuestionProgress,
} from "../../../../shared/lesson/questions.ts";
import type { LessonRunRow } from "../../db/lesson-tables.ts";
import { invalidField } from "../body.ts";

type Answers = Readonly<Record<string, QuestionAnswer>>;

/** Throws 400 if an answer does not fit its question, or if all answers of the step would be too long. */
export function requireFitting({ questions = [] }: Step, { questions: stored = {} }: StepProgress, answers: Answers) {
  for (const [name, answer] of Object.entries(answers)) {
    const definition = questions.find((question) => question.name === name);
    if (!definition) throw invalidField(`answers.${name}`, "is no question of the step");
    const problem = answerProblem(definition, answer);
    if (problem !== "") throw invalidField(`answers.${name}`, problem);
  }
  const all = { ...Object.fromEntries(Object.entries(stored).map(([name, { answer }]) => [name, answer])), ...answers };
  const characters = Object.values(all).reduce((sum, answer) => sum + answer.join("").length, 0);
  if (characters > questionLimits.stepAnswerCharacters)
    throw invalidField("answers", `must have at most ${questionLimits.stepAnswerCharacters} characters together`);
}

export interface GradedPart {
  readonly question: GradeQuestion;
  /** Reads the results of the cluster: those of the checks, and the questions with the graded answers. */
  read(results: readonly CheckResult[]): {
    readonly results: readonly CheckResult[];
    readonly questions: Readonly<Record<string, QuestionProgress>>;
  };
}

/** Plans the grading of a step with new answers. The cluster grades the checks and the free texts. */
export function planGrading(
  { row, lesson, step }: { readonly row: LessonRunRow; readonly lesson: Lesson; readonly step: Step },
  { questions: stored = {} }: StepProgress,
  { answer, answers }: { readonly answer: string; readonly answers: Answers },
): GradedPart {
  const { checks, questions = [] } = step;
  const open = questions.filter(({ name }) => stored[name]?.passed !== true && answers[name] !== undefined);
  const texts = open.filter(
    (definition): definition is Extract<Question, { kind: "text" }> => definition.kind === "text",
  );
  const messages = checks.flatMap(({ messageExpression }, at) =>
    messageExpression === undefined ? [] : [[at, messageExpression] as const],
  );
  const textAnswers = texts.map(({ name }, at) => [checks.length + at, answers[name]?.[0] ?? ""] as const);
  return {
    question: {
      expressions: [...checks, ...texts].map(({ expression }) => expression),
      since: row.stepRevision,
      answer,
      ...(textAnswers.length > 0 ? { answers: Object.fromEntries(textAnswers) } : {}),
      ...(messages.length > 0 ? { messages: Object.fromEntries(messages) } : {}),
      allowsStatusWrites: lesson.allowsStatusWrites,
    },
    read: (results) => {
      const graded = open.map((definition) => {
        const answer = answers[definition.name] ?? [];
        const at = texts.findIndex(({ name }) => name === definition.name);
        const passed =
          definition.kind === "text" ? results[checks.length + at]?.passed === true : isRight(definition, answer);
        return [definition.name, answeredAgain(stored[definition.name], answer, passed)] as const;
      });
      return { results: results.slice(0, checks.length), questions: { ...stored, ...Object.fromEntries(graded) } };
    },
  };
}

/** Counts a try only if the answer changed, because a page sends all answers with each check. */
function answeredAgain(before: QuestionProgress | undefined, answer: QuestionAnswer, passed: boolean) {
  const isSame = before !== undefined && JSON.stringify(before.answer) === JSON.stringify(answer);
  return { answer, passed, tries: (before?.tries ?? 0) + (isSame ? 0 : 1) };
}
