// The learner's page: the list of steps, the page and checks of the current step, and the cluster beside it.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { TimeLeft } from "../parts/age.tsx";
import { CheckList } from "./check-list.tsx";
import { ExamPage } from "./exam/exam-page.tsx";
import { type LearnerApi, learnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";
import { PageText } from "./page-text.tsx";
import { Panes } from "./panes.tsx";
import { StepActions } from "./step-actions.tsx";
import { StepList } from "./step-list.tsx";
import { useRun } from "./use-run.ts";

export function LessonPage({ token }: { readonly token: string }) {
  const api = useMemo(() => learnerApi(token), [token]);
  const runState = useRun(api);
  if (token === "") return <Problem text={messages.noToken} />;
  if (!runState.run)
    return runState.failure ? <Problem text={runState.failure} /> : <p class="empty">{messages.loading}</p>;
  const { exam } = runState.run;
  if (exam) return <ExamPage api={api} run={runState.run} exam={exam} {...shownWith(runState)} />;
  return <Opened api={api} run={runState.run} failure={runState.failure} busy={runState.busy} does={runState.does} />;
}

function shownWith({ failure, busy, does }: ReturnType<typeof useRun>) {
  return { failure, busy, does };
}

interface OpenedProps {
  readonly api: LearnerApi;
  readonly run: Run;
  readonly failure: string;
  readonly busy: boolean;
  readonly does: ReturnType<typeof useRun>["does"];
}

function Opened({ api, run, failure, busy, does }: OpenedProps) {
  const [notice, say] = useState("");
  const [old, setOld] = useState<Run>();
  const heading = useRef<HTMLElement>(null);
  /** Runs a line in the terminal, once it is open. */
  const [runLine, setRunLine] = useState<(line: string) => void>();
  const onTerminalChange = useCallback((line: ((text: string) => void) | undefined) => setRunLine(() => line), []);
  const { state, step, points, maxPoints } = run;
  const reading = old && old.page.step !== step ? old : undefined;
  useEffect(() => {
    document.title = `${run.title} · Sandbar`;
  }, [run.title]);
  const read = async (number: number) => {
    setOld(number === step ? undefined : await api.run(number).catch(() => undefined));
    heading.current?.focus();
  };
  const done = ({ before, now }: { readonly before: Run; readonly now: Run }, text: string) => {
    say(text);
    setOld(undefined);
    if (now.step !== before.step) heading.current?.focus();
  };
  return (
    <div class={state === "running" ? "lesson" : "lesson over"}>
      <header class="lesson-head">
        <h1>{run.title}</h1>
        <p class="facts">
          <span>
            <span class="unseen">{messages.learner}: </span>
            {run.learner}
          </span>
          <strong>{messages.marks(points, maxPoints)}</strong>
          {state !== "expired" && (
            <span>
              {messages.timeLeft}: <TimeLeft time={run.expiresAt} />
            </span>
          )}
        </p>
        <StepList run={run} shownStep={reading?.page.step ?? step} read={(number) => void read(number)} />
      </header>
      <div class="lesson-body">
        <section class="panel page-panel" aria-label={messages.stepOf(reading?.page.step ?? step, run.steps.length)}>
          <article ref={heading} tabIndex={-1}>
            {state !== "running" && <Ending run={run} />}
            {reading && (
              <p class="notice">
                {messages.reading(reading.page.step)}{" "}
                <button type="button" class="quiet" onClick={() => void read(step)}>
                  {messages.back(step)}
                </button>
              </p>
            )}
            <PageText text={(reading ?? run).page.text} run={runLine} />
          </article>
          <CheckList run={reading ?? run} number={reading?.page.step ?? step} />
          {!reading && state !== "expired" && <StepActions api={api} run={run} busy={busy} does={does} done={done} />}
          <p class="said" role="status">
            {notice}
          </p>
          {failure && (
            <p class="notice" role="alert">
              {failure}
            </p>
          )}
        </section>
        {state !== "expired" && <Panes api={api} run={run} onTerminalChange={onTerminalChange} />}
      </div>
    </div>
  );
}

function Ending({ run: { state, points, maxPoints } }: { readonly run: Run }) {
  const isFinished = state === "finished";
  return (
    <div class={isFinished ? "ending ok" : "ending idle"}>
      <h2>{isFinished ? messages.finishedTitle : messages.expiredTitle}</h2>
      <p>{(isFinished ? messages.finished : messages.expired)(points, maxPoints)}</p>
    </div>
  );
}

function Problem({ text }: { readonly text: string }) {
  return (
    <p class="notice" role="alert">
      {text}
    </p>
  );
}
