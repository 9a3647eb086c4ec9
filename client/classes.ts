// Classes: a link to a lesson for all who are to do it.
import type { Ask } from "./ask.ts";
import type * as T from "./types.ts";

export class Classes {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  createClass(lesson: string, input: T.CreateClass): Promise<T.LessonClass> {
    return this.#answer("POST", ofLesson(lesson), input);
  }

  listClasses(lesson: string): Promise<T.LessonClassList> {
    return this.#answer("GET", ofLesson(lesson));
  }

  async deleteClass(lesson: string, id: string): Promise<void> {
    await this.#ask(`${ofLesson(lesson)}/${encodeURIComponent(id)}`, { method: "DELETE" });
  }

  /** What a link is about; it needs no key. */
  lookAtClass(input: T.LookAtClass): Promise<T.ClassLook> {
    return this.#answer("POST", "/v1/classes/look", input);
  }

  /** It needs no key. */
  joinClass(input: T.JoinClass): Promise<T.Joined> {
    return this.#answer("POST", "/v1/classes/join", input);
  }

  // The service answers what its contract says.
  async #answer<A>(method: "GET" | "POST", path: string, body?: unknown): Promise<A> {
    return (await this.#ask(path, { method, ...(body === undefined ? {} : { body }) })).json() as Promise<A>;
  }
}

function ofLesson(lesson: string): string {
  return `/v1/lessons/${encodeURIComponent(lesson)}/classes`;
}
