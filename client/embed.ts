// The operations of the frame in an embedding page: a visitor's sandbox, and work in it.
import type { Ask } from "./ask.ts";
import { type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/** Operations without a key: the service has signed the embedded content. */
export class Embed {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  /** Creates the visitor's sandbox, or returns the existing one. */
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
