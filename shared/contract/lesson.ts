// The control API's lessons, their runs and results: `/v1/lessons` and the paths below it.
import * as z from "zod";
import { classLimits } from "../base/lesson-limits.ts";
import { limits } from "../base/limits.ts";
import { lesson } from "../lesson/lesson.ts";
import { type QuestionProgress, questionAnswer, questionAnswers, shownQuestion } from "../lesson/questions.ts";
import { origin } from "./origin.ts";
import { listQuery } from "./sandbox.ts";
import { nextCursor } from "./hosted/list.ts";

/** Body of `POST /v1/lessons`: a lesson as one document. Publishing a name again creates its next version. */
export const createLesson = lesson;

export const lessonInfo = z.object({
  name: z.string(),
  /** The version, from 1. The content of a version never changes. */
  version: z.int(),
  title: z.string(),
  steps: z.int(),
  /** The sum of all points. */
  points: z.int(),
  createdAt: z.iso.datetime(),
});

export type LessonInfo = z.infer<typeof lessonInfo>;

/** Response of `GET /v1/lessons`: the newest version of each lesson, by name. */
export const lessonList = z.object({ lessons: z.array(lessonInfo), nextCursor });

export type LessonList = z.infer<typeof lessonList>;

/** Response of `GET /v1/lessons/{name}/versions`, the newest first. */
export const lessonVersionList = z.object({ versions: z.array(lessonInfo), nextCursor });

export type LessonVersionList = z.infer<typeof lessonVersionList>;

export const lessonQuery = z.strictObject({
  version: z.coerce.number().int().min(1).optional().describe("Absent: the newest."),
});

/** A lesson with solutions and expressions, for teachers. */
export const lessonWithDocument = lessonInfo.extend({ lesson });

export type LessonWithDocument = z.infer<typeof lessonWithDocument>;

/** Body of `POST /v1/lessons/{name}/runs`. */
export const createRun = z.strictObject({
  /** The learner, by the name that the teacher's system uses. */
  learner: z.string().min(1).max(limits.userNameCharacters),
  /** The version. Absent for the newest. */
  version: z.int().min(1).optional(),
  /** True to return the learner's live run if there is one, whatever its version. */
  resume: z.boolean().default(false),
  /** The origins whose pages can show the learner's page in a frame: `https://course.example.org`. */
  frameOrigins: z.array(origin).max(limits.tokenFrameOrigins).default([]),
});

/** Body of `POST .../link`. */
export const linkRun = z.strictObject({ frameOrigins: createRun.shape.frameOrigins });

/** The learner's page with the learner's token in its fragment, which authenticates its holder. */
export const runLink = z.object({ url: z.url() });

const answer = z.string().max(limits.lessonAnswerCharacters);

/** Bodies of requests in a run. */
export const checkStep = z.strictObject({
  /** The version of the lesson that the run switches to. Absent to keep the current one. */
  version: z.int().min(1).optional(),
  /** The learner's answer to the step's question. Absent to use the previous one. */
  answer: answer.optional(),
  /** The answers to the step's questions, by name. A question without one is not graded again. */
  answers: questionAnswers.optional(),
});
export const answerStep = z.strictObject({ answer });
/** Body of the learner's own request, who cannot choose the version. */
export const checkOwnStep = checkStep.pick({ answer: true, answers: true }).extend({
  /**
   * Present to grade the checks without a try, because the cluster changed: not if it is at this revision. The next step does not begin.
   */
  unlessRevision: z.int().min(0).optional(),
});
export const skipToStep = z.strictObject({
  /** The step, after the learner's current one. */
  step: z.int().min(2).max(limits.lessonSteps),
});
/** Body of the learner's actions in an exam. */
export const examAction = z.strictObject({
  /** The task that is shown. */
  task: z.int().min(1).max(limits.lessonSteps).optional(),
  /** The task whose flag is set, or taken back. */
  flag: z.int().min(1).max(limits.lessonSteps).optional(),
  /** True to end the exam and have it graded. */
  finish: z.literal(true).optional(),
});
export const emptyBody = z.strictObject({});
export const resetRun = z.strictObject({
  /** The step at whose beginning the run continues, with the points of earlier steps. Absent: everything begins again. */
  step: z.int().min(1).max(limits.lessonSteps).optional(),
});

/** The stored progress of a run: the steps with results. */
export interface RunProgress {
  readonly steps: Readonly<Record<string, StepProgress>>;
  /** The tasks of an exam that the learner flagged. */
  readonly flagged?: readonly number[];
  /** The end of an exam that was graded. */
  readonly ended?: ExamEnd;
}

/** The time at which an exam was graded, and whether the learner ended it or its time was over. */
export interface ExamEnd {
  readonly atMs: number;
  readonly by: "learner" | "time";
}

export interface StepProgress {
  readonly attempts: number;
  /** The points of the best and of the last attempt. */
  readonly best: number;
  readonly last: number;
  /** The results of the last attempt, in the order of the step's checks. */
  readonly checks: readonly { readonly passed: boolean; readonly message: string }[];
  readonly isPassed: boolean;
  readonly isSkipped: boolean;
  /** The questions that were answered, by name. */
  readonly questions?: Readonly<Record<string, QuestionProgress>>;
  /** The number of hints that the learner has taken, and the points that they cost. */
  readonly hints?: number;
  readonly penalty?: number;
  /** True if the learner has seen the solution, after which no further points are earned. */
  readonly isSolutionShown?: boolean;
  /** The time at which the learner first came to the step, and that at which it was passed. */
  readonly startedMs?: number;
  readonly passedMs?: number;
  /** The newest tries, the oldest first. */
  readonly tries?: readonly { readonly atMs: number; readonly points: number }[];
}

const runState = z.enum(["running", "finished", "expired"]);

const stepScore = z.object({
  /** The state. `current`: the learner's step; `ahead`: a later one. */
  state: z.enum(["current", "passed", "skipped", "ahead"]),
  attempts: z.int(),
  /** The points of the best attempt, less the price of hints. */
  best: z.int(),
  last: z.int(),
  /** The number of hints that the learner has taken. */
  hints: z.int(),
  /** True if the learner has seen the solution. */
  solutionShown: z.boolean(),
  /** The seconds from the beginning of the step until it was passed. Absent before. */
  seconds: z.int().optional(),
});

export type StepScore = z.infer<typeof stepScore>;

/** The score of a step with what the learner did, for teachers. */
const stepRecord = stepScore.extend({
  /** The answers to questions, by name. */
  answers: z.record(z.string(), z.object({ answer: questionAnswer, passed: z.boolean(), tries: z.int() })),
  /** The newest tries, the oldest first. */
  tries: z.array(z.object({ at: z.iso.datetime(), points: z.int() })),
  startedAt: z.iso.datetime().optional(),
  passedAt: z.iso.datetime().optional(),
});

const runStep = stepScore.extend({
  title: z.string(),
  maxPoints: z.int(),
  /** True if the checks have been graded, by a try or because the cluster changed. */
  graded: z.boolean(),
  /** The results of the last attempt. Before the first, no check has passed. */
  checks: z.array(
    z.object({
      name: z.string(),
      points: z.int(),
      passed: z.boolean(),
      /** The hint, or "" if the check has passed or was not tried. */
      hint: z.string(),
      /** The reason why the check could not be evaluated, or "". */
      message: z.string(),
    }),
  ),
});

const sandboxPlace = z.object({ id: z.string(), server: z.url() });

export const result = z.object({
  run: z.string(),
  lesson: z.string(),
  version: z.int(),
  learner: z.string(),
  /** The id of the class whose link the learner used, under a name of their choice. Absent for none. */
  class: z.string().optional(),
  /** The learners who share the sandbox, if the run is a team's. */
  members: z.array(z.string()).optional(),
  /** The e-mail address for which the seat was reserved. */
  email: z.string().optional(),
  /** True while the teacher has paused the run. */
  paused: z.boolean(),
  state: runState,
  /** The learner's current step, from 1. */
  step: z.int(),
  /** The sum of the best attempts of all steps. */
  points: z.int(),
  /** The sum of the last attempts. */
  lastPoints: z.int(),
  maxPoints: z.int(),
  startedAt: z.iso.datetime(),
  /** The time at which the current step began. */
  stepStartedAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The time at which the learner's access ends: in an exam before `expiresAt`. */
  endsAt: z.iso.datetime(),
  /** The time at which an exam was graded, and whether the learner ended it or its time was over. Absent before, and for lessons. */
  graded: z.object({ at: z.iso.datetime(), by: z.enum(["learner", "time"]) }).optional(),
  /** The sandbox; the first one if there are several. */
  sandbox: sandboxPlace,
  /** The clusters of an exam that has several, by the name of their context. */
  clusters: z.array(z.object({ name: z.string(), sandbox: sandboxPlace })).optional(),
  /** The steps up to the current one, and later ones that were tried. */
  steps: z.array(stepRecord),
});

/** A message of the teacher. */
export const runMessage = z.object({ id: z.string(), at: z.iso.datetime(), text: z.string() });

export const run = result.extend({
  title: z.string(),
  /** True if the learner can skip steps. */
  allowsSkipping: z.boolean(),
  /** The exam; absent for lessons. */
  exam: z
    .object({
      /** The time at which the learner's access ends. */
      endsAt: z.iso.datetime(),
      passPercent: z.int(),
      flagged: z.array(z.int()),
      /** The domain of each task. */
      domains: z.array(z.string()),
      /** The context of each task, if the exam has several clusters. */
      clusters: z.array(z.string()).optional(),
      /** The result; absent until the exam is graded. */
      report: z
        .object({
          percent: z.int(),
          byDomain: z.array(z.object({ domain: z.string(), points: z.int(), maxPoints: z.int() })),
        })
        .optional(),
    })
    .optional(),
  /** All steps of the lesson. */
  steps: z.array(runStep),
  /** The page of the current step, or of the requested one. */
  page: z.object({
    step: z.int(),
    title: z.string(),
    /** The text as Markdown. */
    text: z.string(),
    /** The question, only of the current step. */
    question: z.string().optional(),
    answer: z.string(),
    /** The questions that the service grades, without their right answers. */
    questions: z.array(shownQuestion),
    /** The hints that the learner has taken. */
    hints: z.array(z.string()),
    /** The next hint of the current step. Absent if there is none. */
    nextHint: z.object({ price: z.int() }).optional(),
    /** The solution, once the learner has asked for it. */
    solution: z.string().optional(),
    /** The further tries until the solution can be seen; 0 if it can. Absent if it never can. */
    solutionAfter: z.int().optional(),
  }),
  /** The newest messages of the teacher, the oldest first. */
  messages: z.array(runMessage),
  /** The teacher's help in the terminal: `asked` waits for the learner's consent, `joined` has it. */
  help: z.object({
    state: z.enum(["none", "asked", "joined"]),
    /** The terminal whose user allowed it, by the id that its page drew. Absent without consent. */
    terminal: z.string().optional(),
    /** The teacher's lines that the terminal has not taken yet, in the order of their numbers. */
    lines: z.array(
      z.object({
        id: z.string(),
        seq: z.int(),
        text: z.string().describe("The line, or empty for an interrupt (Ctrl-C)."),
      }),
    ),
  }),
  /** The revision of the cluster that was graded last, in the response to a check. */
  revision: z.int().optional(),
});

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

export type ExamAction = z.input<typeof examAction>;

/** The tokens of the lesson's users; the first is the learner's. */
const userTokens = z.array(z.object({ user: z.string(), token: z.string(), kubeconfig: z.string() }));

/** The clusters of an exam that has several. Each kubeconfig has a context for each of them. */
const clusterAccess = z.array(
  z.object({
    name: z.string(),
    sandbox: sandboxPlace,
    tokens: z.array(z.object({ user: z.string(), token: z.string() })),
  }),
);

/** Response of `POST .../runs`. */
export const runWithTokens = run.extend({
  ...runLink.shape,
  tokens: userTokens,
  clusters: clusterAccess.optional(),
});

/** Response of `GET /v1/learn/access`: the learner's credentials for the sandbox. */
export const ownAccess = z.object({
  sandbox: sandboxPlace,
  tokens: userTokens,
  clusters: clusterAccess.optional(),
});

export type OwnAccess = z.infer<typeof ownAccess>;

export type RunWithTokens = z.infer<typeof runWithTokens>;

export const resultsQuery = z.strictObject({
  ...listQuery.shape,
  learner: z.string().max(limits.userNameCharacters).optional().describe("Those of one learner alone."),
  class: z.string().max(classLimits.tokenCharacters).optional().describe("Those of one class alone."),
  format: z.enum(["json", "csv", "xapi"]).optional().describe("Default: what `Accept` asks for."),
});

/** Response of `GET /v1/lessons/{name}/results`, the newest run first. */
export const resultList = z.object({
  results: z.array(result),
  /** Absent on the last page. */
  nextCursor: z.string().optional(),
});

export type Result = z.infer<typeof result>;
export type ResultList = z.infer<typeof resultList>;
