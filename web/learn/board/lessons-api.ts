// The board's requests about lessons to the control API.
import type { CreateClass, LessonClass, LessonClassList } from "../../../shared/contract/hosted/class.ts";
import type {
  LessonList,
  LessonWithDocument,
  Result,
  ResultList,
  Run,
  RunWithTokens,
} from "../../../shared/contract/lesson.ts";
import { type Control, posting } from "../../api/control.ts";

const pageSize = 100;
/** The number of newest runs that a board shows. */
export const mostShown = 500;
/** The maximum number of pages of a results file, enough for all runs of a tenant. */
const mostPages = 60;

export type LessonsApi = ReturnType<typeof lessonsApi>;

export function classesPath(lesson: string): string {
  return `/v1/lessons/${encodeURIComponent(lesson)}/classes`;
}

export function lessonsApi({ ask }: Pick<Control, "ask">) {
  // The response conforms to the contract of the API.
  const json = async <T>(path: string, init?: RequestInit) => (await (await ask(path, init)).json()) as T;
  const of = (name: string, run?: string) =>
    `/v1/lessons/${encodeURIComponent(name)}${run === undefined ? "" : `/runs/${encodeURIComponent(run)}`}`;
  const page = (name: string, cursor: string | undefined) =>
    `${of(name)}/results?limit=${pageSize}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
  const upTo = async (name: string, most: number) => {
    const results: Result[] = [];
    for (let cursor: string | undefined; ; ) {
      const resultPage: ResultList = await json(page(name, cursor));
      results.push(...resultPage.results);
      cursor = resultPage.nextCursor;
      if (cursor === undefined || results.length >= most)
        return {
          /** Reads the newest results. `isAll` reports whether there are no others. */
          results,
          isAll: cursor === undefined,
        };
    }
  };
  return {
    list: () => json<LessonList>("/v1/lessons"),
    lesson: (name: string) => json<LessonWithDocument>(of(name)),
    /** Reads the newest results. `isAll` reports whether there are no others. */
    results: (name: string): Promise<{ readonly results: readonly Result[]; readonly isAll: boolean }> =>
      upTo(name, mostShown),
    /** Reads all results as a CSV file. */
    resultsAsCsv: async (name: string): Promise<string> => {
      let text = "";
      for (let cursor: string | undefined, pages = 0; pages < mostPages; pages++) {
        const answer = await ask(`${page(name, cursor)}&format=csv`);
        const rows = await answer.text();
        // Only the first page keeps its header row.
        text += pages === 0 ? rows : rows.slice(rows.indexOf("\r\n") + 2);
        cursor = answer.headers.get("sandbar-next-cursor") ?? undefined;
        if (cursor === undefined) break;
      }
      return text;
    },
    resultsAsJson: async (name: string): Promise<string> => {
      const { results } = await upTo(name, pageSize * mostPages);
      return `${JSON.stringify({ results }, undefined, 2)}\n`;
    },
    start: (name: string, learner: string) =>
      json<RunWithTokens>(`${of(name)}/runs`, posting({ learner, resume: true })),
    run: (name: string, run: string) => json<Run>(of(name, run)),
    link: async (name: string, run: string): Promise<string> =>
      (await json<{ url: string }>(`${of(name, run)}/link`, posting({}))).url,
    reset: (name: string, run: string) => json<Run>(`${of(name, run)}/reset`, posting({})),
    remove: async (name: string, run: string): Promise<void> => void (await ask(of(name, run), { method: "DELETE" })),
    classes: (name: string) => json<LessonClassList>(classesPath(name)),
    createClass: (name: string, input: CreateClass) => json<LessonClass>(classesPath(name), posting(input)),
    deleteClass: async (name: string, id: string): Promise<void> => {
      await ask(`${classesPath(name)}/${encodeURIComponent(id)}`, { method: "DELETE" });
    },
  };
}
