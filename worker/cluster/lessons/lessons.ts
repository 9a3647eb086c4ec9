// Grades the checks of a lesson's step in a cluster, and performs the actions that solve a step.
import { questionLimits } from "../../../shared/base/lesson-limits.ts";
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
import { type HttpFact, type NoEvidence, runCheck, runMessage } from "../../../shared/lesson/expressions.ts";
import type { Action } from "../../../shared/lesson/lesson.ts";
import type { Cluster } from "../cluster.ts";
import { problemsOf } from "../manifests/refusal.ts";
import { goneError } from "../state/ended.ts";
import { refusalOf } from "../state/states.ts";
import { askHttp, askLogs } from "./ask-containers.ts";
import { evidenceOf, Unanswered } from "./evidence.ts";
import { runOnNode } from "./run-on-node.ts";
import { performSteps } from "./perform.ts";
import { tamperingSteps } from "./tampering.ts";

/** The parts of an open cluster that grading needs. */
export type GradedCluster = Pick<Cluster, "registry" | "containers" | "network">;

export interface LessonsHost<Open extends GradedCluster> {
  /** Returns the cluster; undefined if it was deleted. */
  current(): Open | undefined;
  /** Runs one turn. Throws if the cluster was replaced. */
  turn<T>(open: Open, body: () => T): T;
  /** Waits until other work had a turn. */
  pause(): Promise<void>;
}

export class Lessons<Open extends GradedCluster> implements ClusterLessonRpc {
  readonly #host: LessonsHost<Open>;
  /** The time of the last automatic grading by the edge's clock, because a sandbox's clock can stand still. */
  #gradedAtMs = Number.NEGATIVE_INFINITY;

  constructor(host: LessonsHost<Open>) {
    this.#host = host;
  }

  /** Grades a step. Each check runs in turns of its own, so that other requests are answered between them. */
  gradeStep(gradeQuestion: GradeQuestion): Promise<Graded> {
    return this.#withCluster(async (open) => {
      const { forgotten } = open.registry.store;
      const question = gradeQuestion.acceptsRestores
        ? { ...gradeQuestion, since: Math.max(gradeQuestion.since, forgotten) }
        : gradeQuestion;
      // An empty turn ends with a drain, so the controllers react to the learner's last request before the checks.
      this.#host.turn(open, () => undefined);
      const { revision } = open.registry.store;
      if (question.unless && this.#canSkip(question.unless, revision))
        return { ok: true, isUnchanged: true, results: [], revision: question.unless.revision };
      const untold = await this.#reasonNotToGrade(open, question);
      if (untold !== "") return { ok: true, results: question.expressions.map(() => failedResult(untold)), revision };
      const results: CheckResult[] = [];
      for (const [at, expression] of question.expressions.entries()) {
        const { since, answer, answers, messages } = question;
        const check = { expression, since, answer: answers?.[at] ?? answer, message: messages?.[at] };
        results.push(await this.#check(open, check));
        await this.#host.pause();
      }
      return { ok: true, results, revision };
    });
  }

  /** Reports whether an automatic grading would tell nothing new. */
  #canSkip({ revision: gradedRevision, nowMs }: NonNullable<GradeQuestion["unless"]>, revision: number): boolean {
    const isSoon = Math.abs(nowMs - this.#gradedAtMs) < questionLimits.automaticPauseMs;
    const canSkip = isSoon || revision === gradedRevision;
    if (!canSkip) this.#gradedAtMs = nowMs;
    return canSkip;
  }

  /** Returns why the step cannot be graded; "" if it can. `since` is the revision at which the step began. */
  async #reasonNotToGrade(open: Open, { since, allowsStatusWrites }: GradeQuestion): Promise<string> {
    const steps = tamperingSteps(open.registry, since);
    for (;;) {
      const { done, value } = this.#host.turn(open, () => steps.next());
      if (!done) {
        await this.#host.pause();
        continue;
      }
      // A step that allows status writes needs only a history that reaches back to its beginning.
      const reachesBack = since >= open.registry.store.forgotten;
      return allowsStatusWrites && reachesBack ? "" : value;
    }
  }

  /** Performs actions in order, as an administrator. The first that is refused ends it. */
  async perform(actions: readonly Action[]): Promise<Performed> {
    return this.#withCluster(async (open) => {
      for (const [at, action] of actions.entries()) {
        try {
          if ("node" in action) await runOnNode(open, action.node, (body) => this.#host.turn(open, body));
          const steps = performSteps(open.registry, action);
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

  /**
   * Runs a check. If it asks a container and has no answer yet, it throws `Unanswered`; the container is asked, and the check runs again from
   * the start. So its last run, whose verdict counts, sees a single revision.
   */
  async #check(open: Open, { expression, since, answer, message }: OneCheck): Promise<CheckResult> {
    const answers = { http: new Map<string, HttpFact>(), logs: new Map<string, string | NoEvidence>() };
    for (let attempt = 0; attempt <= limits.checkQuestions; attempt++) {
      try {
        return this.#host.turn(open, () => {
          const { meter } = open.registry.store;
          const evidence = () => evidenceOf(open.registry, since, answers, fileReader(open));
          const verdict = runCheck(expression, evidence(), answer, meter);
          if (!("error" in verdict) && verdict.passed) return { passed: true, message: "" };
          const reason = message === undefined ? "" : runMessage(message, evidence(), answer, meter);
          return failedResult(reason !== "" || !("error" in verdict) ? reason : verdict.error);
        });
      } catch (error) {
        if (error instanceof PendingCalls) return failedResult("what is looked at is converted by a webhook");
        if (error instanceof ApiError) return failedResult(error.message);
        if (!(error instanceof Unanswered)) throw error;
        const { question } = error;
        if (question.what === "http")
          answers.http.set(`${question.from} ${question.url}`, await askHttp(open, question));
        else answers.logs.set(`${question.pod} ${question.container}`, await askLogs(open, question));
      }
    }
    return failedResult(`the check asks containers more than ${limits.checkQuestions} questions`);
  }

  /** Runs a function with the cluster. Returns expected errors as refusals. */
  async #withCluster<Done extends Graded | Performed>(body: (open: Open) => Promise<Done>) {
    const open = this.#host.current();
    try {
      if (!open) throw goneError();
      return await body(open);
    } catch (error) {
      return refusalOf(error);
    }
  }
}

interface OneCheck {
  readonly expression: string;
  readonly since: number;
  readonly answer: string;
  readonly message: string | undefined;
}

/** Returns a reader of the files of nodes; files of unknown nodes are empty. */
function fileReader({ containers }: GradedCluster): (node: string, path: string) => string {
  return (node, path) => containers.fileOnNode(node, path) ?? "";
}

function failedResult(message: string): CheckResult {
  return { passed: false, message: message.slice(0, limits.checkMessageCharacters) };
}
