// The operations of a learner's page, with the learner's token as the client's key.
import type { Ask } from "./ask.ts";
import { type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/** Operations on the run that the token belongs to: `new Sandbar({ key: "sbl_..." }).learner`. */
export class Learner {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  /** `step`: the step whose page is included. The learner must have reached it. */
  getOwnRun(step?: number): Promise<T.Run> {
    return this.#api.get("/v1/learn", { step });
  }

  getOwnAccess(): Promise<T.OwnAccess> {
    return this.#api.get("/v1/learn/access");
  }

  /** Grades the step. `answer`: the answer to its question. */
  checkOwnStep(answer?: string): Promise<T.Run> {
    return this.#api.post("/v1/learn/check", answer === undefined ? {} : { answer });
  }

  /** `task`: the task that is shown. `flag`: the task whose flag is turned. `finish`: ends the exam and grades it. */
  actInOwnExam(action: T.ExamAction): Promise<T.Run> {
    return this.#api.post("/v1/learn/exam", action);
  }

  restartOwnStep(): Promise<T.Run> {
    return this.#api.post("/v1/learn/restart", {});
  }

  /** `step` begins with 1. */
  skipOwnSteps(step: number): Promise<T.Run> {
    return this.#api.post("/v1/learn/skip", { step });
  }
}
