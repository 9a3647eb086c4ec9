// Classes: a link to a lesson for many learners, and what their teacher does for them.
import type { Ask, ListQuery } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

export class Classes {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  /** Lists the versions of a lesson, the newest first. */
  listLessonVersions(lesson: string, page: ListQuery = {}): Promise<T.LessonVersionList> {
    return this.#api.get(below("/v1/lessons", lesson, "versions"), page);
  }

  createClass(lesson: string, input: T.CreateClass): Promise<T.LessonClass> {
    return this.#api.post(ofLesson(lesson), input);
  }

  listClasses(lesson: string, page: ListQuery = {}): Promise<T.LessonClassList> {
    return this.#api.get(ofLesson(lesson), page);
  }

  getClass(lesson: string, id: string): Promise<T.LessonClass> {
    return this.#api.get(below(ofLesson(lesson), id));
  }

  deleteClass(lesson: string, id: string): Promise<void> {
    return this.#api.remove(below(ofLesson(lesson), id));
  }

  /** Changes a class. A deadline moves the end of its live runs; `null` removes it. */
  patchClass(lesson: string, id: string, input: T.PatchClass): Promise<T.LessonClass> {
    return this.#api.patch(below(ofLesson(lesson), id), input);
  }

  /** Lists the seats of a class, each with its own link. */
  listSeats(lesson: string, id: string, page: ListQuery = {}): Promise<T.SeatList> {
    return this.#api.get(below(ofLesson(lesson), id, "seats"), page);
  }

  /** Reserves seats for e-mail addresses. Returns all seats. */
  reserveSeats(lesson: string, id: string, input: T.ReserveSeats): Promise<T.SeatList> {
    return this.#api.post(below(ofLesson(lesson), id, "seats"), input);
  }

  /** Shows a message to one learner, a class, or all learners of the lesson. */
  sendMessage(lesson: string, input: T.SendMessage): Promise<T.Reached> {
    return this.#api.post(below("/v1/lessons", lesson, "messages"), input);
  }

  /** Adds minutes to the time of one learner, a class, or all learners of the lesson. */
  addTime(lesson: string, input: T.AddTime): Promise<T.Reached> {
    return this.#api.post(below("/v1/lessons", lesson, "time"), input);
  }

  /** Pauses or continues the runs of one learner, a class, or all learners of the lesson. */
  pauseRuns(lesson: string, input: T.PauseRuns): Promise<T.Reached> {
    return this.#api.post(below("/v1/lessons", lesson, "pause"), input);
  }

  /** Lists pairs of runs that have unusually much in common. */
  compareRuns(lesson: string, query: { class?: string } = {}): Promise<T.Comparison> {
    return this.#api.get(below("/v1/lessons", lesson, "comparison"), query);
  }

  /** Lists the lines of the learner's terminal. `after`: the number of the last known one. */
  listCommands(lesson: string, run: string, after?: number): Promise<T.CommandList> {
    return this.#api.get(below("/v1/lessons", lesson, "runs", run, "commands"), { after });
  }

  /** Asks to join the learner's terminal, runs a line in it, or leaves it. */
  helpLearner(lesson: string, run: string, input: T.HelpLearner): Promise<T.Run> {
    return this.#api.post(below("/v1/lessons", lesson, "runs", run, "help"), input);
  }

  /** Shares the state of a sandbox: everybody with the link gets a fork. */
  createShare(sandbox: string, input: T.CreateShare): Promise<T.Share> {
    return this.#api.post(below("/v1/sandboxes", sandbox, "shares"), input);
  }

  listShares(page: ListQuery = {}): Promise<T.ShareList> {
    return this.#api.get("/v1/shares", page);
  }

  deleteShare(id: string): Promise<void> {
    return this.#api.remove(below("/v1/shares", id));
  }

  /** Describes a shared state. `share`: the token of its link. Needs no key. */
  lookAtShare(share: string): Promise<T.ShareLook> {
    return this.#api.post("/v1/shares/look", { share });
  }

  /** Creates a fork of a shared state. Needs no key. */
  openShare(share: string): Promise<T.OpenedShare> {
    return this.#api.post("/v1/shares/open", { share });
  }

  /** Returns the lesson and the class of a link. Needs no key. */
  lookAtClass(input: T.LookAtClass): Promise<T.ClassLook> {
    return this.#api.post("/v1/classes/look", input);
  }

  /** Joins a class. Needs no key. */
  joinClass(input: T.JoinClass): Promise<T.Joined> {
    return this.#api.post("/v1/classes/join", input);
  }
}

function ofLesson(lesson: string): string {
  return below("/v1/lessons", lesson, "classes");
}
