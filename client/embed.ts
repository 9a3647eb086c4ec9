// What the frame in somebody's page asks of the control API: a visitor's sandbox, and what is done in it.
import type { Ask } from "./ask.ts";
import { type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/** None of it needs a key: the service has signed what is shown. */
export class Embed {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  /** Makes the visitor's sandbox, or finds it again. */
  createEmbedSession(input: T.CreateEmbedSession): Promise<T.EmbedSession> {
    return this.#api.post("/v1/embed/sessions", input);
  }

  resetEmbedded(session: string): Promise<T.EmbedReset> {
    return this.#api.post("/v1/embed/reset", { session });
  }

  checkEmbedded(session: string): Promise<T.Run> {
    return this.#api.post("/v1/embed/check", { session });
  }

  answerEmbedded(session: string, answer: string): Promise<T.Run> {
    return this.#api.post("/v1/embed/answer", { session, answer });
  }
}
