// The page of an exam: its tasks in any order, flags, the time that is left, and at the end the report by domain.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../../shared/contract/lesson.ts";
import { messages } from "../../messages/exam.ts";
import { TimeLeft } from "../../parts/age.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CheckList } from "../check-list.tsx";
import type { LearnerApi } from "../learner-api.ts";
import { PageText } from "../page-text.tsx";
import { Panes } from "../panes.tsx";
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
  /** Runs a line in the terminal, once it is open. */
  const [runLine, setRunLine] = useState<(line: string) => void>();
  // The terminal is opened anew when the function changes.
  const onTerminalChange = useCallback((line: ((text: string) => void) | undefined) => setRunLine(() => line), []);
  const { step, steps } = run;
  const isRunning = run.state === "running";
  const isFlagged = exam.flagged.includes(step);
  useEffect(() => {
    document.title = `${run.title} · Sandbar`;
  }, [run.title]);
  const act = async (action: Parameters<LearnerApi["exam"]>[0]) => {
    if ((await does(() => api.exam(action))) && action.task !== undefined) heading.current?.focus();
  };
  return (
    <div class={isRunning ? "lesson exam" : "lesson exam over"}>
      <header class="lesson-head">
        <h1>{run.title}</h1>
        <p class="facts">
          <span>{run.learner}</span>
          <strong>{messages.task(step, steps.length)}</strong>
          {isRunning && <TimeLeft time={exam.endsAt} />}
          {isRunning && (
            <button type="button" disabled={busy} onClick={() => askFinish(true)}>
              {busy ? messages.grading : messages.finish}
            </button>
          )}
        </p>
      </header>
      <div class="lesson-body">
        <section class="panel page-panel" aria-label={messages.task(step, steps.length)}>
          <TaskList run={run} exam={exam} open={(task) => void act({ task })} />
          {exam.report && <ExamReport exam={exam} report={exam.report} />}
          {run.state === "expired" && <p class="notice">{messages.ended}</p>}
          <article ref={heading} tabIndex={-1}>
            <PageText text={run.page.text} run={runLine} />
          </article>
          {exam.report && <CheckList run={run} number={step} />}
          <TaskActions run={run} isFlagged={isFlagged} busy={busy} act={(action) => void act(action)} />
          {failure && (
            <p class="notice" role="alert">
              {failure}
            </p>
          )}
        </section>
        {isRunning && <Panes api={api} run={run} onTerminalChange={onTerminalChange} onCommand={ignore} />}
      </div>
      {isFinishing && (
        <Finish flagged={exam.flagged.length} close={() => askFinish(false)} sure={() => void act({ finish: true })} />
      )}
    </div>
  );
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
