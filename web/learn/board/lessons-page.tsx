// The lessons in the console: the list, or the board of one.
import { useCallback, useEffect, useMemo } from "preact/hooks";
import type { LessonInfo } from "../../../shared/contract/lesson.ts";
import type { Control } from "../../api/control.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import "../learn.css";
import { Board } from "./board.tsx";
import { texts as author } from "../../messages/author.ts";
import { may } from "../../api/session.ts";
import { onDemand } from "../../parts/on-demand.tsx";
import { type LessonsApi, lessonsApi } from "./lessons-api.ts";
import { texts as all } from "../../messages/board.ts";
import { Table } from "../../parts/table.tsx";

const texts = all.lessonsPage;

interface Props {
  readonly control: Control;
  /** The name of the lesson, and `edit` for its author's page; empty for the list. */
  readonly segments: readonly string[];
  /** `new` opens the page of a new lesson, with the name of a bundled one as its beginning. */
  readonly query: URLSearchParams;
}

const AuthorPage = onDemand(async () => (await import("../author/author-page.tsx")).AuthorPage);
const ShippedList = onDemand(async () => (await import("../author/shipped-list.tsx")).ShippedList);
const NewLesson = onDemand(async () => {
  const { shippedLessons } = await import("../author/shipped.ts");
  return function NewLesson({ api, from }: { readonly api: LessonsApi; readonly from: string }) {
    const files = shippedLessons().find(({ name }) => name === from)?.files;
    return <AuthorPage key={from} api={api} name="" from={files} />;
  };
});

export function LessonsPage({ control, segments, query }: Props) {
  const api = useMemo(() => lessonsApi(control), [control]);
  const [lesson = "", subpage] = segments;
  const from = query.get("new");
  if (lesson === "" && from !== null) return <NewLesson api={api} from={from} />;
  if (subpage === "edit") return <AuthorPage key={lesson} api={api} name={lesson} from={undefined} />;
  if (lesson !== "") return <Board key={lesson} control={control} api={api} name={lesson} />;
  return <Lessons api={api} />;
}

function Lessons({ api }: { readonly api: ReturnType<typeof lessonsApi> }) {
  const read = useCallback(() => api.list(), [api]);
  const { value, failure } = useLoaded(read);
  useEffect(() => {
    document.title = texts.documentTitle;
  }, []);
  return (
    <>
      <div class="titled page">
        <h1>{texts.lessons}</h1>
        {may("lessons:write") && (
          <div class="actions">
            <a class="button primary" href="#/lessons?new">
              {author.write}
            </a>
          </div>
        )}
      </div>
      <Alert text={failure} />
      {value?.lessons.length === 0 && <NoLessons />}
      {value && value.lessons.length > 0 && <LessonTable lessons={value.lessons} />}
      {value && may("lessons:write") && <ShippedList api={api} present={value.lessons.map(({ name }) => name)} />}
    </>
  );
}

/** The next step. */
function NoLessons() {
  return (
    <div class="panel empty">
      <p>{texts.none}</p>
      <p>
        <code>{texts.publishCommand}</code>
      </p>
    </div>
  );
}

function LessonTable({ lessons }: { readonly lessons: readonly LessonInfo[] }) {
  return (
    <Table
      class="sandboxes"
      label={texts.lessons}
      rows={lessons}
      keyOf={({ name }) => name}
      nameOf={({ name }) => name}
      columns={[
        {
          name: texts.lesson,
          cell: ({ name, title }) => <a href={`#/lessons/${name}`}>{title}</a>,
          sortBy: ({ title }) => title,
        },
        { name: texts.name, cell: ({ name }) => <code>{name}</code>, sortBy: ({ name }) => name },
        { name: texts.version, cell: ({ version }) => version },
        { name: texts.steps, cell: ({ steps }) => steps },
        { name: texts.points, cell: ({ points }) => points },
        {
          name: texts.published,
          cell: ({ createdAt }) => (
            <>
              <Age time={createdAt} /> {texts.ago}
            </>
          ),
          sortBy: ({ createdAt }) => createdAt,
        },
      ]}
    />
  );
}
