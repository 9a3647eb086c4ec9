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
    document.title = "Lessons · Sandbar";
  }, []);
  return (
    <>
      <div class="titled page">
        <h1>Lessons</h1>
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
      <p>There is no lesson yet. Write one as a folder, or begin with one of those that ship, and publish it:</p>
      <p>
        <code>sandbar lesson publish lessons/first-pod</code>
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
            {["Lesson", "Name", "Version", "Steps", "Points", "Published"].map((title) => (
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
              <td data-label="Name">
                <code>{name}</code>
              </td>
              <td data-label="Version">{version}</td>
              <td data-label="Steps">{steps}</td>
              <td data-label="Points">{points}</td>
              <td data-label="Published">
                <Age time={createdAt} /> ago
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
