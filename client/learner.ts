// The operations of a learner's page, with the learner's token as the client's key.
import type { Ask } from "./ask.ts";
import { type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

/** Operations on the run that the token belongs to: `new Sandbar({ key: "sbl_..." }).learner`. */
export class Learner {
  readonly #api: Requests;
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#api = requestsOf(ask);
  }

  /** `step`: the step whose page is included. The learner must have reached it. */
  getOwnRun(step?: number): Promise<T.Run> {
    return this.#api.get("/v1/learn", { step });
  }

  getOwnAccess(): Promise<T.OwnAccess> {
    return this.#api.get("/v1/learn/access");
  }

  /** Grades the step. `input`: the answer to its question, or the answers to its questions by name. */
  checkOwnStep(input: string | T.CheckOwnStep = {}): Promise<T.Run> {
    return this.#api.post("/v1/learn/check", typeof input === "string" ? { answer: input } : input);
  }

  /** Returns the next hint, whose price is subtracted from the step's points. */
  takeOwnHint(): Promise<T.Run> {
    return this.#api.post("/v1/learn/hint", {});
  }

  /** Returns the solution after the lesson's number of tries. */
  showOwnSolution(): Promise<T.Run> {
    return this.#api.post("/v1/learn/solution", {});
  }

  async recordOwnCommands(input: T.RecordCommands): Promise<void> {
    await this.#ask("/v1/learn/commands", { method: "POST", body: input });
  }

  /** Allows the teacher to run lines in a terminal, or ends it. `terminal`: an id that you draw at random. */
  consentToHelp(input: T.ConsentToHelp): Promise<T.Run> {
    return this.#api.post("/v1/learn/help", input);
  }

  /** Takes the teacher's lines up to a number. Run them afterwards, so that each runs at most once. */
  takeHelpLines(input: T.TakeHelpLines): Promise<T.Run> {
    return this.#api.post("/v1/learn/help/lines", input);
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
