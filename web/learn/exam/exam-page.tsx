// The page of an exam: its tasks in any order, flags, the time that is left, and at the end the report by domain.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../../shared/contract/lesson.ts";
import { messages } from "../../messages/exam.ts";
import { TimeLeft } from "../../parts/age.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckList } from "../check-list.tsx";
import type { LearnerApi } from "../learner-api.ts";
import type { PageTerminals } from "../page-terminals.ts";
import { PageText } from "../page-text.tsx";
import { Panes } from "../panes.tsx";
import { TeacherNotes } from "../teacher-notes.tsx";
import type { OwnRun } from "../use-run.ts";
import { ExamReport } from "./exam-report.tsx";
import { TaskList } from "./task-list.tsx";

interface Props {
  readonly api: LearnerApi;
  readonly run: Run;
  readonly exam: NonNullable<Run["exam"]>;
  readonly failure: string;
  readonly busy: boolean;
  readonly does: OwnRun["does"];
}

export function ExamPage({ api, run, exam, failure, busy, does }: Props) {
  const heading = useRef<HTMLElement>(null);
  const [isFinishing, askFinish] = useState(false);
  const [terminals, onTerminalsChange] = useState<PageTerminals>();
  /** Runs a line in the visible terminal, once it is open. */
  const runLine = terminals?.current.run;
  const { step, steps } = run;
  const isRunning = run.state === "running";
  const context = exam.clusters?.[step - 1];
  useEffect(() => {
    document.title = `${run.title} · Sandbar`;
  }, [run.title]);
  const act = async (action: Parameters<LearnerApi["exam"]>[0]) => {
    if ((await does(() => api.exam(action))) && action.task !== undefined) heading.current?.focus();
  };
  return (
    <div class={isRunning ? "lesson exam" : "lesson exam over"}>
      <Head run={run} exam={exam} busy={busy} finish={() => askFinish(true)} />
      <TeacherNotes api={api} run={run} does={does} terminals={terminals} />
      <div class="lesson-body" inert={run.paused}>
        <section class="panel page-panel" aria-label={messages.task(step, steps.length)}>
          <TaskList run={run} exam={exam} open={(task) => void act({ task })} />
          {exam.report && <ExamReport run={run} exam={exam} report={exam.report} />}
          {run.state === "expired" && <p class="notice">{messages.ended}</p>}
          <article ref={heading} tabIndex={-1}>
            {isRunning && context !== undefined && <PageText text={messages.useContext(context)} run={runLine} />}
            <PageText text={run.page.text} run={runLine} />
          </article>
          {exam.report && <CheckList run={run} number={step} />}
          <TaskActions
            run={run}
            isFlagged={exam.flagged.includes(step)}
            busy={busy}
            act={(action) => void act(action)}
          />
          {failure && (
            <p class="notice" role="alert">
              {failure}
            </p>
          )}
        </section>
        {/* A paused cluster answers no request, so the panes begin again after it. */}
        {isRunning && !run.paused && (
          <Panes api={api} run={run} onTerminalsChange={onTerminalsChange} onCommand={ignore} shownContext={context} />
        )}
      </div>
      {isFinishing && isRunning && (
        <Finish flagged={exam.flagged.length} close={() => askFinish(false)} sure={() => void act({ finish: true })} />
      )}
    </div>
  );
}

interface HeadProps extends Pick<Props, "run" | "exam" | "busy"> {
  readonly finish: () => void;
}

function Head({ run, exam, busy, finish }: HeadProps) {
  const isRunning = run.state === "running";
  const moved = useMovedEnd(exam.endsAt, isRunning && !run.paused);
  return (
    <header class="lesson-head">
      <h1>{run.title}</h1>
      <p class="facts">
        <span>{run.learner}</span>
        <strong>{messages.task(run.step, run.steps.length)}</strong>
        {isRunning && (
          <span role="timer">
            {messages.timeLeft}: <TimeLeft time={exam.endsAt} />
          </span>
        )}
        <span role="status">{moved !== "" && messages.endMoved(timeOf(moved))}</span>
      </p>
      {isRunning && (
        <button type="button" disabled={busy} onClick={finish}>
          {busy ? messages.grading : messages.finish}
        </button>
      )}
    </header>
  );
}

/** Returns the end of the exam if the teacher moved it while the page was open, or "". */
function useMovedEnd(endsAt: string, isCounted: boolean): string {
  const first = useRef<string>(undefined);
  const [moved, setMoved] = useState("");
  useEffect(() => {
    if (!isCounted) return;
    if (first.current !== undefined && first.current !== endsAt) setMoved(endsAt);
    first.current = endsAt;
  }, [endsAt, isCounted]);
  return moved;
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}

interface ActionsProps {
  readonly run: Run;
  readonly isFlagged: boolean;
  readonly busy: boolean;
  readonly act: (action: Parameters<LearnerApi["exam"]>[0]) => void;
}

function TaskActions({ run: { step, steps, state }, isFlagged, busy, act }: ActionsProps) {
  return (
    <div class="actions">
      <button type="button" disabled={busy || step === 1} onClick={() => act({ task: step - 1 })}>
        {messages.previous}
      </button>
      {state === "running" && (
        <button type="button" disabled={busy} aria-pressed={isFlagged} onClick={() => act({ flag: step })}>
          {isFlagged ? messages.unflag : messages.flag}
        </button>
      )}
      <button
        type="button"
        class="primary"
        disabled={busy || step === steps.length}
        onClick={() => act({ task: step + 1 })}
      >
        {messages.next}
      </button>
    </div>
  );
}

interface FinishProps {
  readonly flagged: number;
  readonly close: () => void;
  readonly sure: () => void;
}

function Finish({ flagged, close, sure }: FinishProps) {
  return (
    <Dialog title={messages.finishAsk} close={close}>
      <p>{messages.finishMeans(flagged)}</p>
      <div class="actions choice">
        <button type="button" onClick={close}>
          {messages.goOn}
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            close();
            sure();
          }}
        >
          {messages.finish}
        </button>
      </div>
    </Dialog>
  );
}

/** An exam grades nothing when a command has run. */
function ignore(): void {}
