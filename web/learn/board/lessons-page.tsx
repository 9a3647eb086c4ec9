// Lessons in the console: all of them, or the board of one.
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

const texts = all.lessonsPage;

interface Props {
  readonly control: Control;
  /** Empty: all of them. */
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
    document.title = texts.lessonsSandbar;
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
      <p>{texts.thereIsNo}</p>
      <p>
        <code>{texts.sandbarLessonPublish}</code>
      </p>
    </div>
  );
}

function LessonTable({ lessons }: { readonly lessons: readonly LessonInfo[] }) {
  return (
    <div class="panel scroll">
      <table class="sandboxes">
        <thead>
          <tr>
            {[texts.lesson, texts.name, texts.version, texts.steps, texts.points, texts.published].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lessons.map(({ name, title, version, steps, points, createdAt }) => (
            <tr key={name} data-name={name}>
              <th scope="row">
                <a href={`#/lessons/${name}`}>{title}</a>
              </th>
              <td data-label={texts.name}>
                <code>{name}</code>
              </td>
              <td data-label={texts.version}>{version}</td>
              <td data-label={texts.steps}>{steps}</td>
              <td data-label={texts.points}>{points}</td>
              <td data-label={texts.published}>
                <Age time={createdAt} /> {texts.ago}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
