// The lessons in the console: the list, or the board of one.
import { useCallback, useEffect, useMemo } from "preact/hooks";
import type { LessonInfo } from "../../../shared/contract/lesson.ts";
import type { Control } from "../../api/control.ts";
import { Age } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import "../learn.css";
import { Board } from "./board.tsx";
import { lessonsApi } from "./lessons-api.ts";
import { texts as all } from "../../messages/board.ts";
import { Table } from "../../parts/table.tsx";

const texts = all.lessonsPage;

interface Props {
  readonly control: Control;
  /** The name of the lesson, or empty for the list. */
  readonly lesson: string;
}

export function LessonsPage({ control, lesson }: Props) {
  const api = useMemo(() => lessonsApi(control), [control]);
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
      </div>
      <Alert text={failure} />
      {value?.lessons.length === 0 && <NoLessons />}
      {value && value.lessons.length > 0 && <LessonTable lessons={value.lessons} />}
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
