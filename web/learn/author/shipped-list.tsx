// The lessons that the service brings along: use one as it is, or change it first.
import { useState } from "preact/hooks";
import { readLessonFolder } from "../../../shared/lesson/read-folder.ts";
import { messageOf } from "../../api/control-failure.ts";
import { texts } from "../../messages/author.ts";
import { Alert } from "../../parts/alert.tsx";
import type { LessonsApi } from "../board/lessons-api.ts";
import { type ShippedLesson, shippedLessons } from "./shipped.ts";

interface Props {
  readonly api: LessonsApi;
  /** The names of the organisation's lessons. */
  readonly present: readonly string[];
}

export function ShippedList({ api, present }: Props) {
  const [busy, setBusy] = useState("");
  const [failure, setFailure] = useState("");
  const missing = shippedLessons().filter(({ name }) => !present.includes(name));
  if (missing.length === 0) return null;
  const use = async ({ name, files }: ShippedLesson) => {
    setBusy(name);
    setFailure("");
    try {
      const read = readLessonFolder(files);
      if (!("lesson" in read)) throw new Error(read.problems[0]?.message ?? name);
      await api.publish(read.lesson);
      location.hash = `#/lessons/${name}`;
    } catch (error) {
      setFailure(messageOf(error));
      setBusy("");
    }
  };
  return (
    <section class="shipped" aria-label={texts.shipped}>
      <h2>{texts.shipped}</h2>
      <Alert text={failure} />
      <ul>
        {missing.map((lesson) => (
          <li key={lesson.name} class="panel" data-lesson={lesson.name}>
            <h3>{lesson.title}</h3>
            <p>{lesson.description}</p>
            <div class="actions">
              <button type="button" class="primary" disabled={busy !== ""} onClick={() => void use(lesson)}>
                {busy === lesson.name ? texts.using : texts.use}
                <span class="unseen"> {lesson.title}</span>
              </button>
              <a class="button" href={`#/lessons?new=${lesson.name}`}>
                {texts.change}
                <span class="unseen"> {lesson.title}</span>
              </a>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
