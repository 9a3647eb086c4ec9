// The RPC interface of a cluster's Durable Object about lessons: grades a step, and applies the solution of one.
import type { Action } from "../../lesson/lesson.ts";
import type { StateRefusal } from "../cluster-state.ts";

export interface GradeQuestion {
  /** The expressions of the checks. */
  readonly expressions: readonly string[];
  /** The revision at which the step began. */
  readonly since: number;
  /** The learner's answer to the step's question, or "". */
  readonly answer: string;
  /** The answers to questions, each by the place of its expression, which sees it as `answer`. */
  readonly answers?: Readonly<Record<number, string>>;
  /** The expressions of the messages of failing checks, by the place of the check's expression. */
  readonly messages?: Readonly<Record<number, string>>;
  /** Present if the learner did not ask: nothing is graded if the cluster is at `revision`, or was graded a moment before `nowMs`. */
  readonly unless?: { readonly revision: number; readonly nowMs: number };
  /** True if requests can write statuses of built-in kinds. Otherwise no step passes after such a write. */
  readonly allowsStatusWrites: boolean;
  /** True if history may begin after the step, because the learner restored etcd. */
  readonly acceptsRestores?: boolean;
}

export interface CheckResult {
  readonly passed: boolean;
  /** The reason why the check could not be evaluated, or "". */
  readonly message: string;
}

export type Graded =
  | StateRefusal
  | {
      readonly ok: true;
      /** True if nothing was graded, because of `unless`. */
      readonly isUnchanged?: true;
      /** The results of the expressions, in their order. */
      readonly results: readonly CheckResult[];
      /** The revision of the cluster at the start of the grading. */
      readonly revision: number;
    };

/** The result. `revision` is the one after all actions. A refusal names the failed action, from 1; the earlier ones are applied. */
export type Performed = StateRefusal | { readonly ok: true; readonly revision: number };

export interface ClusterLessonRpc {
  gradeStep(question: GradeQuestion): Promise<Graded>;
  /** Performs actions as an administrator. The edge handles answers to questions. */
  perform(actions: readonly Action[]): Promise<Performed>;
}
