// A try of a draft against a live cluster: the learner's page in another tab, and the verdict of each check here.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Run, RunWithTokens } from "../../../shared/contract/lesson.ts";
import { draftSuffix } from "../../../shared/lesson/draft.ts";
import { type Lesson, lessonNameCharacters } from "../../../shared/lesson/lesson.ts";
import { messageOf } from "../../api/control-failure.ts";
import { texts } from "../../messages/author.ts";
import { Alert } from "../../parts/alert.tsx";
import type { LessonsApi } from "../board/lessons-api.ts";
import { CheckList } from "../check-list.tsx";

interface Props {
  readonly api: LessonsApi;
  readonly lesson: Lesson;
  readonly close: () => void;
}

const pollMs = 3_000;

export function TryPanel({ api, lesson, close }: Props) {
  const { run, url, failure, solve, end } = useTry(api, lesson);
  return (
    <section class="panel try" aria-label={texts.tryIt}>
      <div class="titled">
        <h2>{texts.tryIt}</h2>
        <div class="actions">
          {url !== "" && (
            <a class="button" href={url} target="_blank" rel="noopener noreferrer">
              {texts.learnersPage}
            </a>
          )}
          {run && !run.exam && run.step < run.steps.length && (
            <button type="button" onClick={solve}>
              {texts.solveStep(run.step)}
            </button>
          )}
          <button
            type="button"
            onClick={() => {
              end();
              close();
            }}
          >
            {texts.endTry}
          </button>
        </div>
      </div>
      <Alert text={failure} />
      {!run && failure === "" && <p class="hint">{texts.beginning}</p>}
      {run && (
        <>
          <p class="facts">
            <span>{texts.atStep(run.step, run.steps.length, run.page.title)}</span>
            <span>{texts.pointsOf(run.points, run.maxPoints)}</span>
          </p>
          <CheckList run={run} number={run.step} />
        </>
      )}
    </section>
  );
}

interface Try {
  readonly run: Run | undefined;
  readonly url: string;
  readonly failure: string;
  readonly solve: () => void;
  readonly end: () => void;
}

/** Publishes the draft under a name of its own, with each change; grades it every few seconds; and deletes it at the end. */
function useTry(api: LessonsApi, lesson: Lesson): Try {
  const name = `${lesson.name}${draftSuffix}`.slice(-lessonNameCharacters).replace(/^-+/, "");
  const [begun, setBegun] = useState<RunWithTokens>();
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState("");
  const isOver = useRef(false);
  const fail = (error: unknown) => setFailure(messageOf(error));
  useEffect(() => {
    const begin = async () => {
      await api.publish({ ...lesson, name });
      const started = await api.start(name, "author");
      setBegun(started);
      setRun(started);
    };
    begin().catch(fail);
    // The draft's name is that of the first text.
  }, [api, name]);
  useEffect(() => {
    if (!begun) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const round = async () => {
      try {
        const { version } = await api.publish({ ...lesson, name });
        if (!isOver.current) setRun(await api.check(name, begun.run, version));
        setFailure("");
      } catch (error) {
        if (!isOver.current) fail(error);
      }
      if (!isOver.current) timer = setTimeout(() => void round(), pollMs);
    };
    void round();
    return () => clearTimeout(timer);
  }, [api, begun, name, lesson]);
  return {
    run,
    url: begun?.url ?? "",
    failure,
    solve: () => {
      if (begun && run) api.skip(name, begun.run, run.step + 1).then(setRun, fail);
    },
    end: () => {
      isOver.current = true;
      if (begun)
        api
          .remove(name, begun.run)
          .then(() => api.removeLesson(name))
          .catch(fail);
    },
  };
}
