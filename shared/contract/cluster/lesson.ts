// What the edge asks of a cluster's object about a lesson: to grade a step, and to do what solves one.
import type { Action } from "../../lesson/lesson.ts";
import type { StateRefusal } from "../cluster-state.ts";

export interface GradeQuestion {
  /** Expressions of checks. */
  readonly expressions: readonly string[];
  /** The revision at which the step began. */
  readonly since: number;
  /** The learner's answer to the step's question; "" where there is none. */
  readonly answer: string;
  /** Requests may write statuses of the cluster's own kinds; else nothing is passed after one did. */
  readonly allowsStatusWrites: boolean;
}

export interface CheckResult {
  readonly passed: boolean;
  /** Why it could not be told whether the check holds; "" where it could. */
  readonly message: string;
}

export type Graded =
  | StateRefusal
  | {
      readonly ok: true;
      /** One for each expression, in their order. */
      readonly results: readonly CheckResult[];
      /** Of the cluster when its grading began. */
      readonly revision: number;
    };

/** `revision`: after all of it. A refusal names the action, beginning with 1; those before it are done. */
export type Performed = StateRefusal | { readonly ok: true; readonly revision: number };

export interface ClusterLessonRpc {
  gradeStep(question: GradeQuestion): Promise<Graded>;
  /** As an administrator; answers to questions are the edge's. */
  perform(actions: readonly Action[]): Promise<Performed>;
}
