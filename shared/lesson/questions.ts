// The questions of a step: the author's form with the right answers, the learner's form without them, and the grading of an answer.
import { encodeUtf8 } from "../base/utf8.ts";
import * as z from "zod";
import { questionLimits } from "../base/lesson-limits.ts";
import { limits } from "../base/limits.ts";

const sentence = z.string().min(1).max(limits.lessonHintCharacters);
const feedback = z.string().max(limits.lessonHintCharacters).default("");
const short = z.string().trim().min(1).max(questionLimits.optionCharacters);

const common = {
  /** The name, unique in the step. Results list the answer under it. */
  name: z.string().min(1).max(limits.lessonTitleCharacters),
  points: z.int().min(0).max(limits.lessonPoints).default(1),
  text: sentence,
};

const choice = z
  .strictObject({
    kind: z.literal("choice"),
    ...common,
    /** True if several options are right, all of which must be chosen. */
    several: z.boolean().default(false),
    options: z
      .array(z.strictObject({ text: short, correct: z.boolean().default(false), feedback }))
      .min(2)
      .max(questionLimits.options),
  })
  .superRefine(({ options, several }, context) => {
    requireDistinct(
      options.map(({ text }) => text),
      (at, message) => context.addIssue({ code: "custom", path: ["options", at, "text"], message }),
    );
    const right = options.filter(({ correct }) => correct).length;
    if (right > 0 && (several || right === 1)) return;
    const message = several ? "at least one must be correct" : "exactly one must be correct, unless `several` is true";
    context.addIssue({ code: "custom", path: ["options"], message });
  });

const order = z
  .strictObject({
    kind: z.literal("order"),
    ...common,
    /** The items in the right order. Learners see them in another order. */
    items: z.array(short).min(3).max(questionLimits.options),
    /** The text that a wrong answer shows. */
    feedback,
  })
  .superRefine(({ items }, context) => {
    requireDistinct(items, (at, message) => context.addIssue({ code: "custom", path: ["items", at], message }));
  });

const gapPattern = /_{3,}/g;

const fill = z
  .strictObject({
    kind: z.literal("fill"),
    ...common,
    /** The accepted texts of each gap, `___` in `text`. Case and repeated spaces are ignored. */
    gaps: z.array(z.array(short).min(1).max(questionLimits.options)).min(1).max(questionLimits.options),
    feedback,
  })
  .superRefine(({ text, gaps }, context) => {
    const count = [...text.matchAll(gapPattern)].length;
    if (count === gaps.length) return;
    const message = `has ${gaps.length} entries, but the text has ${count} gaps (___)`;
    context.addIssue({ code: "custom", path: ["gaps"], message });
  });

const freeText = z.strictObject({
  kind: z.literal("text"),
  ...common,
  /** The CEL expression over the variable `answer` and the cluster; true if the answer is right. */
  expression: z.string().min(1).max(limits.lessonExpressionCharacters),
  feedback,
});

export const question = z.discriminatedUnion("kind", [choice, order, fill, freeText], {
  error: "kind: must be one of choice, order, fill and text",
});

export type Question = z.output<typeof question>;

/** An answer: the chosen options, the items in order, the text of each gap, or one text. */
export const questionAnswer = z
  .array(z.string().max(questionLimits.answerCharacters))
  .min(1)
  .max(questionLimits.options);

export type QuestionAnswer = z.output<typeof questionAnswer>;

/** Answers by the names of questions. */
export const questionAnswers = z.record(z.string().max(limits.lessonTitleCharacters), questionAnswer);

/** A question as learners see it, with the last answer. */
export const shownQuestion = z.object({
  name: z.string(),
  kind: z.enum(["choice", "order", "fill", "text"]),
  text: z.string(),
  points: z.int(),
  /** True if several options can be chosen. */
  several: z.boolean().optional(),
  /** The options of a choice. */
  options: z.array(z.string()).optional(),
  /** The items to order, in an order that does not tell the right one. */
  items: z.array(z.string()).optional(),
  /** The last answer; empty before the first. */
  answer: z.array(z.string()),
  passed: z.boolean(),
  /** The number of graded answers. */
  tries: z.int(),
  /** The author's feedback about the last answer. */
  feedback: z.array(z.string()),
});

export type ShownQuestion = z.infer<typeof shownQuestion>;

/** The stored state of a question. */
export interface QuestionProgress {
  readonly answer: QuestionAnswer;
  readonly passed: boolean;
  readonly tries: number;
}

/** Returns why an answer does not fit its question, such as an option that it does not have; "" if it fits. */
export function answerProblem(definition: Question, answer: QuestionAnswer): string {
  switch (definition.kind) {
    case "choice": {
      const texts = definition.options.map(({ text }) => text);
      if (!answer.every((text) => texts.includes(text))) return "is no option of the question";
      if (new Set(answer).size !== answer.length) return "names an option twice";
      return definition.several || answer.length === 1 ? "" : "must be one option";
    }
    case "order":
      return sameTexts([...answer].sort(), [...definition.items].sort()) ? "" : "must be the items of the question";
    case "fill":
      return answer.length === definition.gaps.length
        ? ""
        : `must have a text for each of the ${definition.gaps.length} gaps`;
    case "text":
      return answer.length === 1 ? "" : "must be one text";
  }
}

/** Grades an answer. The cluster grades free texts, because their expressions can read it. */
export function isRight(definition: Exclude<Question, { kind: "text" }>, answer: QuestionAnswer): boolean {
  switch (definition.kind) {
    case "choice":
      return definition.options.every(({ text, correct }) => answer.includes(text) === correct);
    case "order":
      return sameTexts(answer, definition.items);
    case "fill":
      return definition.gaps.every((accepted, at) => isAccepted(accepted, answer[at] ?? ""));
  }
}

/** Describes a question without its right answer. `seed` selects the order of items. */
export function showQuestion(
  definition: Question,
  progress: QuestionProgress | undefined,
  seed: string,
): ShownQuestion {
  const { name, kind, text, points } = definition;
  const { answer = [], passed = false, tries = 0 } = progress ?? {};
  return {
    ...{ name, kind, text, points, answer, passed, tries },
    ...(kind === "choice"
      ? { several: definition.several, options: definition.options.map((option) => option.text) }
      : {}),
    ...(kind === "order" ? { items: shuffle(definition.items, `${seed}:${name}`) } : {}),
    feedback: tries === 0 ? [] : feedbackOf(definition, answer, passed),
  };
}

/** Returns the right answer as a sentence for the solution; undefined for a free text, which has none. */
export function rightAnswerOf(definition: Question): string | undefined {
  switch (definition.kind) {
    case "choice":
      return definition.options.flatMap(({ text, correct }) => (correct ? [text] : [])).join("; ");
    case "order":
      return definition.items.join(" → ");
    case "fill":
      return definition.gaps.map(([first = ""]) => first).join("; ");
    case "text":
      return undefined;
  }
}

/** Returns the author's feedback about the chosen options, or about a wrong answer. Nothing tells about options that were not chosen. */
function feedbackOf(definition: Question, answer: QuestionAnswer, passed: boolean): string[] {
  if (definition.kind === "choice") {
    const chosen = definition.options.filter(({ text }) => answer.includes(text));
    return chosen.flatMap((option) => (option.feedback === "" ? [] : [option.feedback]));
  }
  return passed || definition.feedback === "" ? [] : [definition.feedback];
}

function isAccepted(accepted: readonly string[], text: string): boolean {
  return accepted.some((right) => keyOf(right) === keyOf(text));
}

function keyOf(text: string): string {
  return text.trim().normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ");
}

function sameTexts(texts: readonly string[], expected: readonly string[]): boolean {
  return texts.length === expected.length && texts.every((text, at) => text === expected[at]);
}

/** Returns the items in an order that depends on the seed and is never the right one. */
function shuffle(items: readonly string[], seed: string): string[] {
  const ranked = items.map((item) => ({ item, rank: hashOf(`${seed}:${item}`) }));
  const shuffled = ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
  return sameTexts(shuffled, items) ? [...shuffled.slice(1), ...shuffled.slice(0, 1)] : shuffled;
}

/** FNV-1a, which needs no secrecy: a learner who guesses the seed learns nothing of the right order. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encodeUtf8(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash;
}

function requireDistinct(texts: readonly string[], refuse: (at: number, message: string) => void): void {
  const twice = texts.findIndex((text, at) => texts.indexOf(text) !== at);
  if (twice >= 0) refuse(twice, "another one has that text");
}
