// The learner's page: the list of steps, the page and checks of the current step, and the cluster beside it.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { TimeLeft } from "../parts/age.tsx";
import { Loading } from "../parts/loading.tsx";
import { CheckList } from "./check-list.tsx";
import { ExamPage } from "./exam/exam-page.tsx";
import { type LearnerApi, learnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";
import type { PageTerminals } from "./page-terminals.ts";
import { PageText } from "./page-text.tsx";
import { Panes } from "./panes.tsx";
import { QuestionList, storedAnswers } from "./question-list.tsx";
import { StepActions } from "./step-actions.tsx";
import { StepHelp } from "./step-help.tsx";
import { StepList } from "./step-list.tsx";
import { TeacherNotes } from "./teacher-notes.tsx";
import { useRun } from "./use-run.ts";

export function LessonPage({ token }: { readonly token: string }) {
  const api = useMemo(() => learnerApi(token), [token]);
  const runState = useRun(api);
  if (token === "") return <Problem text={messages.noToken} />;
  if (!runState.run) return runState.failure ? <Problem text={runState.failure} /> : <Loading rows={8} />;
  const { run, failure, busy, does, nudge } = runState;
  const { exam } = run;
  if (exam) return <ExamPage api={api} run={run} exam={exam} failure={failure} busy={busy} does={does} />;
  return <Opened api={api} run={run} failure={failure} busy={busy} does={does} nudge={nudge} />;
}

interface OpenedProps {
  readonly api: LearnerApi;
  readonly run: Run;
  readonly failure: string;
  readonly busy: boolean;
  readonly does: ReturnType<typeof useRun>["does"];
  readonly nudge: ReturnType<typeof useRun>["nudge"];
}

function Opened({ api, run, failure, busy, does, nudge }: OpenedProps) {
  const [notice, say] = useState("");
  const [old, setOld] = useState<Run>();
  const heading = useRef<HTMLElement>(null);
  const [terminals, onTerminalsChange] = useState<PageTerminals>();
  /** Runs a line in the visible terminal, once it is open. */
  const runLine = terminals?.current.run;
  const { state, step } = run;
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
      <Head run={run} shownStep={reading?.page.step ?? step} read={(number) => void read(number)} />
      <TeacherNotes api={api} run={run} does={does} terminals={terminals} />
      <div class="lesson-body" inert={run.paused}>
        <section class="panel page-panel" aria-label={messages.stepOf(reading?.page.step ?? step, run.steps.length)}>
          <article ref={heading} tabIndex={-1}>
            {state !== "running" && <Ending run={run} />}
            {reading && <Reading step={reading.page.step} current={step} back={() => void read(step)} />}
            <PageText text={(reading ?? run).page.text} run={runLine} />
          </article>
          <CheckList run={reading ?? run} number={reading?.page.step ?? step} />
          {reading && (
            <QuestionList
              questions={reading.page.questions}
              answers={storedAnswers(reading.page.questions)}
              change={() => undefined}
              isOver
            />
          )}
          {!reading && state !== "expired" && <StepActions api={api} run={run} busy={busy} does={does} done={done} />}
          <StepHelp
            api={api}
            run={reading ?? run}
            busy={busy}
            does={does}
            canAsk={!reading && state === "running"}
            runLine={runLine}
          />
          <p class="said" role="status">
            {notice}
          </p>
          {failure && (
            <p class="notice" role="alert">
              {failure}
            </p>
          )}
        </section>
        {/* A paused cluster answers no request, so the panes begin again after it. */}
        {state !== "expired" && !run.paused && (
          <Panes api={api} run={run} onTerminalsChange={onTerminalsChange} onCommand={nudge} />
        )}
      </div>
    </div>
  );
}

interface ReadingProps {
  readonly step: number;
  readonly current: number;
  readonly back: () => void;
}

function Reading({ step, current, back }: ReadingProps) {
  return (
    <p class="notice">
      {messages.reading(step)}{" "}
      <button type="button" class="quiet" onClick={back}>
        {messages.back(current)}
      </button>
    </p>
  );
}

interface HeadProps {
  readonly run: Run;
  /** The step whose page is shown. */
  readonly shownStep: number;
  readonly read: (step: number) => void;
}

function Head({ run, shownStep, read }: HeadProps) {
  return (
    <header class="lesson-head">
      <h1>{run.title}</h1>
      <p class="facts">
        <span>
          <span class="unseen">{messages.learner}: </span>
          {run.learner}
        </span>
        <strong>{messages.marks(run.points, run.maxPoints)}</strong>
        {run.state !== "expired" && (
          <span>
            {messages.timeLeft}: <TimeLeft time={run.expiresAt} />
          </span>
        )}
      </p>
      <StepList run={run} shownStep={shownStep} read={read} />
    </header>
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
