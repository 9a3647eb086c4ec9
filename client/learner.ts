// What a learner asks from the page of their run, with the learner's token as the client's key.
import type { Ask } from "./ask.ts";
import type * as T from "./types.ts";

/** `new Sandbar({ key: "sbl_..." }).learner`: about the one run that the token opens. */
export class Learner {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** `step`: whose page it has; one that the learner has come to. */
  getOwnRun(step?: number): Promise<T.Run> {
    return this.#answer("GET", `/v1/learn${step === undefined ? "" : `?step=${step}`}`);
  }

  getOwnAccess(): Promise<T.OwnAccess> {
    return this.#answer("GET", "/v1/learn/access");
  }

  /** Grades the step; `answer`: to its question. */
  checkOwnStep(answer?: string): Promise<T.Run> {
    return this.#answer("POST", "/v1/learn/check", answer === undefined ? {} : { answer });
  }

  restartOwnStep(): Promise<T.Run> {
    return this.#answer("POST", "/v1/learn/restart", {});
  }

  /** `step` begins with 1. */
  skipOwnSteps(step: number): Promise<T.Run> {
    return this.#answer("POST", "/v1/learn/skip", { step });
  }

  // The service answers what its contract says.
  async #answer<A>(method: "GET" | "POST", path: string, body?: unknown): Promise<A> {
    const question = body === undefined ? { method } : { method, body };
    return (await this.#ask(path, question)).json() as Promise<A>;
  }
}
