// The board's requests about lessons to the control API.
import type {
  CreateClass,
  LessonClass,
  LessonClassList,
  PatchClass,
  ReserveSeats,
  SeatList,
} from "../../../shared/contract/hosted/class.ts";
import type {
  AddTime,
  CommandList,
  Comparison,
  HelpLearner,
  PauseRuns,
  Reached,
  SendMessage,
} from "../../../shared/contract/hosted/teaching.ts";
import type {
  LessonInfo,
  LessonList,
  LessonVersionList,
  LessonWithDocument,
  Result,
  ResultList,
  Run,
  RunWithTokens,
} from "../../../shared/contract/lesson.ts";
import type { Lesson } from "../../../shared/lesson/lesson.ts";
import { type Control, posting, sending } from "../../api/control.ts";

const pageSize = 100;
/** The number of newest runs that a board shows. */
export const mostShown = 500;
/** The maximum number of pages of a results file, enough for all runs of a tenant. */
const mostPages = 60;

export type LessonsApi = ReturnType<typeof lessonsApi>;

export function lessonPath(lesson: string): string {
  return `/v1/lessons/${encodeURIComponent(lesson)}`;
}

export function classesPath(lesson: string): string {
  return `${lessonPath(lesson)}/classes`;
}

type Ask = Control["ask"];
type AskJson = <T>(path: string, init?: RequestInit) => Promise<T>;

function runPath(name: string, run?: string): string {
  return `${lessonPath(name)}${run === undefined ? "" : `/runs/${encodeURIComponent(run)}`}`;
}

function resultRequests(ask: Ask, json: AskJson) {
  const page = (name: string, classId: string, cursor: string | undefined, format?: "csv" | "xapi") => {
    const query = { limit: String(pageSize), ...(classId === "" ? {} : { class: classId }) };
    const more = { ...(cursor === undefined ? {} : { cursor }), ...(format === undefined ? {} : { format }) };
    return `${lessonPath(name)}/results?${new URLSearchParams({ ...query, ...more }).toString()}`;
  };
  const upTo = async (name: string, classId: string, most: number) => {
    const results: Result[] = [];
    for (let cursor: string | undefined; ; ) {
      const resultPage: ResultList = await json(page(name, classId, cursor));
      results.push(...resultPage.results);
      cursor = resultPage.nextCursor;
      if (cursor === undefined || results.length >= most)
        return {
          results,
          isAll: cursor === undefined,
        };
    }
  };
  return {
    /** Reads the newest results. `isAll` reports whether there are no others. */
    results: (name: string, classId = ""): Promise<{ readonly results: readonly Result[]; readonly isAll: boolean }> =>
      upTo(name, classId, mostShown),
    /** Reads all results as a CSV file. */
    resultsAsCsv: async (name: string, classId: string): Promise<string> => {
      let text = "";
      for (let cursor: string | undefined, pages = 0; pages < mostPages; pages++) {
        const answer = await ask(page(name, classId, cursor, "csv"));
        const rows = await answer.text();
        // Only the first page keeps its header row.
        text += pages === 0 ? rows : rows.slice(rows.indexOf("\r\n") + 2);
        cursor = answer.headers.get("sandbar-next-cursor") ?? undefined;
        if (cursor === undefined) break;
      }
      return text;
    },
    resultsAsJson: async (name: string, classId: string): Promise<string> => {
      const { results } = await upTo(name, classId, pageSize * mostPages);
      return `${JSON.stringify({ results }, undefined, 2)}\n`;
    },
    /** Reads all results as xAPI statements. */
    resultsAsXapi: async (name: string, classId: string): Promise<string> => {
      const statements: unknown[] = [];
      for (let cursor: string | undefined, pages = 0; pages < mostPages; pages++) {
        const answer = await ask(page(name, classId, cursor, "xapi"));
        statements.push(...((await answer.json()) as unknown[]));
        cursor = answer.headers.get("sandbar-next-cursor") ?? undefined;
        if (cursor === undefined) break;
      }
      return `${JSON.stringify(statements, undefined, 2)}\n`;
    },
  };
}

/** The requests about classes, and what a teacher does for learners. */
function classRequests(ask: Ask, json: AskJson) {
  const of = runPath;
  const classPath = (name: string, id: string) => `${classesPath(name)}/${encodeURIComponent(id)}`;
  return {
    message: (name: string, input: SendMessage) => json<Reached>(`${of(name)}/messages`, posting(input)),
    addTime: (name: string, input: AddTime) => json<Reached>(`${of(name)}/time`, posting(input)),
    pause: (name: string, input: PauseRuns) => json<Reached>(`${of(name)}/pause`, posting(input)),
    compare: (name: string, classId: string) =>
      json<Comparison>(`${of(name)}/comparison${classId === "" ? "" : `?class=${encodeURIComponent(classId)}`}`),
    commands: (name: string, run: string, after: number) =>
      json<CommandList>(`${of(name, run)}/commands?after=${after}`),
    help: (name: string, run: string, input: HelpLearner) => json<Run>(`${of(name, run)}/help`, posting(input)),
    seats: (name: string, id: string) => json<SeatList>(`${classPath(name, id)}/seats`),
    reserveSeats: (name: string, id: string, input: ReserveSeats) =>
      json<SeatList>(`${classPath(name, id)}/seats`, posting(input)),
    changeClass: (name: string, id: string, input: PatchClass) =>
      json<LessonClass>(classPath(name, id), sending("PATCH", input)),
    classes: (name: string) => json<LessonClassList>(classesPath(name)),
    createClass: (name: string, input: CreateClass) => json<LessonClass>(classesPath(name), posting(input)),
    deleteClass: async (name: string, id: string): Promise<void> => {
      await ask(classPath(name, id), { method: "DELETE" });
    },
  };
}

export function lessonsApi({ ask }: Pick<Control, "ask">) {
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const of = runPath;
  return {
    list: () => json<LessonList>("/v1/lessons"),
    lesson: (name: string, version?: number) =>
      json<LessonWithDocument>(`${of(name)}${version === undefined ? "" : `?version=${version}`}`),
    versions: (name: string) => json<LessonVersionList>(`${of(name)}/versions`),
    publish: (lesson: Lesson) => json<LessonInfo>("/v1/lessons", posting(lesson)),
    removeLesson: async (name: string): Promise<void> => void (await ask(of(name), { method: "DELETE" })),
    /** Grades a run by a version of the lesson. */
    check: (name: string, run: string, version: number) => json<Run>(`${of(name, run)}/check`, posting({ version })),
    skip: (name: string, run: string, step: number) => json<Run>(`${of(name, run)}/skip`, posting({ step })),
    start: (name: string, learner: string) =>
      json<RunWithTokens>(`${of(name)}/runs`, posting({ learner, resume: true })),
    run: (name: string, run: string) => json<Run>(of(name, run)),
    link: async (name: string, run: string): Promise<string> =>
      (await json<{ url: string }>(`${of(name, run)}/link`, posting({}))).url,
    /** Restarts a run, or goes back to the beginning of a step. */
    reset: (name: string, run: string, step?: number) =>
      json<Run>(`${of(name, run)}/reset`, posting(step === undefined ? {} : { step })),
    remove: async (name: string, run: string): Promise<void> => void (await ask(of(name, run), { method: "DELETE" })),
    ...resultRequests(ask, json),
    ...classRequests(ask, json),
  };
}
