// Classes: a link to a lesson for many learners.
import type { Ask, ListQuery } from "./ask.ts";
import { below, type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

export class Classes {
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#api = requestsOf(ask);
  }

  createClass(lesson: string, input: T.CreateClass): Promise<T.LessonClass> {
    return this.#api.post(ofLesson(lesson), input);
  }

  listClasses(lesson: string, page: ListQuery = {}): Promise<T.LessonClassList> {
    return this.#api.get(ofLesson(lesson), page);
  }

  deleteClass(lesson: string, id: string): Promise<void> {
    return this.#api.remove(below(ofLesson(lesson), id));
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
