// What the frame in somebody's page asks of the control API: a visitor's sandbox, and what is done in it.
import type { Ask } from "./ask.ts";
import type * as T from "./types.ts";

/** None of it needs a key: the service has signed what is shown. */
export class Embed {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Makes the visitor's sandbox, or finds it again. */
  createEmbedSession(input: T.CreateEmbedSession): Promise<T.EmbedSession> {
    return this.#post("/v1/embed/sessions", input);
  }

  resetEmbedded(session: string): Promise<T.EmbedReset> {
    return this.#post("/v1/embed/reset", { session });
  }

  checkEmbedded(session: string): Promise<T.Run> {
    return this.#post("/v1/embed/check", { session });
  }

  answerEmbedded(session: string, answer: string): Promise<T.Run> {
    return this.#post("/v1/embed/answer", { session, answer });
  }

  // The service answers what its contract says.
  async #post<A>(path: string, body: unknown): Promise<A> {
    return (await this.#ask(path, { method: "POST", body })).json() as Promise<A>;
  }
}
