// Lessons in a cluster: a step's checks are graded, and what solves a step is done.
import { limits } from "../../../shared/base/limits.ts";
import type {
  CheckResult,
  ClusterLessonRpc,
  Graded,
  GradeQuestion,
  Performed,
} from "../../../shared/contract/cluster/lesson.ts";
import { PendingCalls } from "../../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { type HttpFact, type NoEvidence, runCheck } from "../../../shared/lesson/expressions.ts";
import type { Action } from "../../../shared/lesson/lesson.ts";
import type { Cluster } from "../cluster.ts";
import { problemsOf } from "../manifests/refusal.ts";
import { goneError } from "../state/ended.ts";
import { refusalOf } from "../state/states.ts";
import { askHttp, askLogs } from "./ask-containers.ts";
import { evidenceOf, Unanswered } from "./evidence.ts";
import { performing } from "./perform.ts";
import { tampering } from "./tampering.ts";

/** The parts of an open cluster that grading needs. */
export type GradedCluster = Pick<Cluster, "registry" | "containers" | "network">;

export interface LessonsHost<Open extends GradedCluster> {
  /** Undefined where there is no cluster any more. */
  current(): Open | undefined;
  /** Runs one turn. Throws if the cluster was replaced. */
  turn<T>(open: Open, body: () => T): T;
  /** Lets others have a turn. */
  pause(): Promise<void>;
}

export class Lessons<Open extends GradedCluster> implements ClusterLessonRpc {
  readonly #host: LessonsHost<Open>;

  constructor(host: LessonsHost<Open>) {
    this.#host = host;
  }

  /** Each check has turns of its own. */
  gradeStep(question: GradeQuestion): Promise<Graded> {
    return this.#with(async (open) => {
      // What controllers owe the last request is done first.
      this.#host.turn(open, () => undefined);
      const { revision } = open.registry.store;
      const untold = await this.#untold(open, question);
      if (untold !== "") return { ok: true, results: question.expressions.map(() => failed(untold)), revision };
      const results: CheckResult[] = [];
      for (const expression of question.expressions) {
        results.push(await this.#check(open, expression, question));
        await this.#host.pause();
      }
      return { ok: true, results, revision };
    });
  }

  /** Why nothing can be graded. */
  async #untold(open: Open, { since, allowsStatusWrites }: GradeQuestion): Promise<string> {
    const steps = tampering(open.registry, since);
    for (;;) {
      const { done, value } = this.#host.turn(open, () => steps.next());
      if (done) return allowsStatusWrites && since >= open.registry.store.forgotten ? "" : value;
      await this.#host.pause();
    }
  }

  async perform(actions: readonly Action[]): Promise<Performed> {
    return this.#with(async (open) => {
      for (const [at, action] of actions.entries()) {
        try {
          const steps = performing(open.registry, action);
          while (!this.#host.turn(open, () => steps.next().done === true)) await this.#host.pause();
        } catch (error) {
          const { code, message } = refusalOf(error);
          return {
            ok: false,
            code: code === "internal" ? "solution_refused" : code,
            message: `action ${at + 1}: ${message}`,
            ...problemsOf(error),
          };
        }
      }
      return { ok: true, revision: open.registry.store.revision };
    });
  }

  /** The expression is evaluated again with each answer that it has asked for: what it looks at in the end is of one moment. */
  async #check(open: Open, expression: string, { since, answer }: GradeQuestion): Promise<CheckResult> {
    const answers = { http: new Map<string, HttpFact>(), logs: new Map<string, string | NoEvidence>() };
    for (let attempt = 0; attempt <= limits.checkQuestions; attempt++) {
      try {
        const verdict = this.#host.turn(open, () =>
          runCheck(expression, evidenceOf(open.registry, since, answers), answer, open.registry.store.meter),
        );
        return "error" in verdict ? failed(verdict.error) : { passed: verdict.passed, message: "" };
      } catch (error) {
        if (error instanceof PendingCalls) return failed("what is looked at is converted by a webhook");
        if (error instanceof ApiError) return failed(error.message);
        if (!(error instanceof Unanswered)) throw error;
        const { question } = error;
        if (question.what === "http")
          answers.http.set(`${question.from} ${question.url}`, await askHttp(open, question));
        else answers.logs.set(`${question.pod} ${question.container}`, await askLogs(open, question));
      }
    }
    return failed(`the check asks containers more than ${limits.checkQuestions} questions`);
  }

  /** Expected failures are refusals. */
  async #with<Done extends Graded | Performed>(body: (open: Open) => Promise<Done>) {
    const open = this.#host.current();
    try {
      if (!open) throw goneError();
      return await body(open);
    } catch (error) {
      return refusalOf(error);
    }
  }
}

function failed(message: string): CheckResult {
  return { passed: false, message: message.slice(0, limits.checkMessageCharacters) };
}
