// The control API's lessons, their runs and results: `/v1/lessons` and what is below.
import { z } from "zod";
import { limits } from "../base/limits.ts";
import { lesson } from "../lesson/lesson.ts";
import { origin } from "./origin.ts";
import { listQuery } from "./sandbox.ts";

/** Body of `POST /v1/lessons`: a lesson as one document. The same name again makes its next version. */
export const createLesson = lesson;

export type CreateLesson = z.input<typeof createLesson>;

export const lessonInfo = z.object({
  name: z.string(),
  /** 1, 2, ...; what a version says never changes. */
  version: z.int(),
  title: z.string(),
  steps: z.int(),
  /** All there are. */
  points: z.int(),
  createdAt: z.iso.datetime(),
});

export type LessonInfo = z.infer<typeof lessonInfo>;

/** Answer of `GET /v1/lessons`: the newest version of each, by name. */
export const lessonList = z.object({ lessons: z.array(lessonInfo) });

export type LessonList = z.infer<typeof lessonList>;

export const lessonQuery = z.strictObject({
  version: z.coerce.number().int().min(1).optional().describe("Absent: the newest."),
});

/** With solutions and expressions: for teachers. */
export const lessonWithDocument = lessonInfo.extend({ lesson });

export type LessonWithDocument = z.infer<typeof lessonWithDocument>;

/** Body of `POST /v1/lessons/{name}/runs`. */
export const createRun = z.strictObject({
  /** As the teacher's system names them. */
  learner: z.string().min(1).max(limits.userNameCharacters),
  /** Absent: the newest. */
  version: z.int().min(1).optional(),
  /** Where the learner has a run whose time is not up, the answer is that one, whatever its version. */
  resume: z.boolean().default(false),
  /** Origins whose pages may show the learner's page in a frame: `https://course.example.org`. */
  frameOrigins: z.array(origin).max(limits.tokenFrameOrigins).default([]),
});

export type CreateRun = z.input<typeof createRun>;

/** Body of `POST .../link`. */
export const linkRun = z.strictObject({ frameOrigins: createRun.shape.frameOrigins });

/** The learner's page with the learner's token in its fragment: whoever has it is the learner. */
export const runLink = z.object({ url: z.url() });

const answer = z.string().max(limits.lessonAnswerCharacters);

/** Bodies of what is done in a run. */
export const checkStep = z.strictObject({
  /** From now on the run goes by this version of the lesson; absent: by the one that it has. */
  version: z.int().min(1).optional(),
  /** What the learner says to the step's question; absent: what was said before. */
  answer: answer.optional(),
});
export const answerStep = z.strictObject({ answer });
/** The same as the learner asks it: nobody chooses what they are graded by. */
export const checkOwnStep = checkStep.pick({ answer: true });
export const skipToStep = z.strictObject({
  /** Beginning with 1: later than the one that the learner is at. */
  step: z.int().min(2).max(limits.lessonSteps),
});
export const nothingMore = z.strictObject({});

/** What is kept of a run: the steps that there are anything of. */
export interface RunProgress {
  readonly steps: Readonly<Record<string, StepProgress>>;
}

export interface StepProgress {
  readonly attempts: number;
  /** Points of the best and of the last attempt. */
  readonly best: number;
  readonly last: number;
  /** Of the last attempt, in the order of the step's checks. */
  readonly checks: readonly { readonly passed: boolean; readonly message: string }[];
  readonly isPassed: boolean;
  readonly isSkipped: boolean;
}

const runState = z.enum(["running", "finished", "expired"]);

const stepScore = z.object({
  /** `current`: the learner is there; `ahead`: not yet. */
  state: z.enum(["current", "passed", "skipped", "ahead"]),
  attempts: z.int(),
  best: z.int(),
  last: z.int(),
});

const runStep = stepScore.extend({
  title: z.string(),
  maxPoints: z.int(),
  /** As the last attempt found them; before the first none has passed. */
  checks: z.array(
    z.object({
      name: z.string(),
      points: z.int(),
      passed: z.boolean(),
      /** "" where it has passed, or was not tried. */
      hint: z.string(),
      /** Why it could not be told whether it holds; "" where it could. */
      message: z.string(),
    }),
  ),
});

export const result = z.object({
  run: z.string(),
  lesson: z.string(),
  version: z.int(),
  learner: z.string(),
  /** The id of the class by whose link the learner came, under a name of their choice; absent: by none. */
  class: z.string().optional(),
  state: runState,
  /** The step that the learner is at, beginning with 1. */
  step: z.int(),
  /** The best attempts of all steps. */
  points: z.int(),
  /** The last ones. */
  lastPoints: z.int(),
  maxPoints: z.int(),
  startedAt: z.iso.datetime(),
  /** When the step that the learner is at began. */
  stepStartedAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  sandbox: z.object({ id: z.string(), server: z.url() }),
  /** Up to the one that the learner is at, and whatever was tried before. */
  steps: z.array(stepScore),
});

export const run = result.extend({
  title: z.string(),
  /** The learner may go on at a later step. */
  allowsSkipping: z.boolean(),
  /** All of the lesson's. */
  steps: z.array(runStep),
  /** Of the step that the learner is at, or of the one that was asked for. */
  page: z.object({
    step: z.int(),
    title: z.string(),
    /** Markdown. */
    text: z.string(),
    /** Of the step that the learner is at alone. */
    question: z.string().optional(),
    answer: z.string(),
  }),
});

/** Query of a run. */
export const runQuery = z.strictObject({
  step: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.lessonSteps)
    .optional()
    .describe("Whose page is shown: one that the learner has come to; absent: the one that they are at."),
});

export type Run = z.infer<typeof run>;

/** One for each user of the lesson; the first is the learner's. */
const userTokens = z.array(z.object({ user: z.string(), token: z.string(), kubeconfig: z.string() }));

/** Answer of `POST .../runs`. */
export const runWithTokens = run.extend({ ...runLink.shape, tokens: userTokens });

/** Answer of `GET /v1/learn/access`: what the learner enters the sandbox with. */
export const ownAccess = z.object({ sandbox: run.shape.sandbox, tokens: userTokens });

export type OwnAccess = z.infer<typeof ownAccess>;

export type RunWithTokens = z.infer<typeof runWithTokens>;

export const resultsQuery = z.strictObject({
  ...listQuery.shape,
  learner: z.string().max(limits.userNameCharacters).optional().describe("Those of one learner alone."),
  format: z.enum(["json", "csv"]).optional().describe("Default: what `Accept` asks for."),
});

/** Answer of `GET /v1/lessons/{name}/results`: the newest run first. */
export const resultList = z.object({
  results: z.array(result),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type Result = z.infer<typeof result>;
export type ResultList = z.infer<typeof resultList>;
