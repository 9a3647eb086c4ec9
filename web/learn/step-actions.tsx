// The actions on a step: answer its question, check it, restart it, or skip it.
import { useEffect, useId, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { Dialog } from "../parts/dialog.tsx";
import { type Answers, answersToSend, QuestionList, storedAnswers } from "./question-list.tsx";
import type { LearnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";
import type { OwnRun } from "./use-run.ts";

interface Props {
  readonly api: LearnerApi;
  readonly run: Run;
  readonly busy: boolean;
  readonly does: OwnRun["does"];
  /** Called with the change and the message about it. */
  readonly done: (change: { readonly before: Run; readonly now: Run }, text: string) => void;
}

export function StepActions({ api, run, busy, does, done }: Props) {
  const { page, step } = run;
  const [answer, setAnswer] = useState(page.answer);
  const [answers, setAnswers] = useState<Answers>(() => storedAnswers(page.questions));
  const [openDialog, ask] = useState<"restart" | "skip">();
  useEffect(() => setAnswers(storedAnswers(page.questions)), [step, run.stepStartedAt, run.run]);
  // The answer is reset when the step changes or restarts.
  useEffect(() => setAnswer(page.answer), [page.answer, step, run.stepStartedAt]);
  const act = async (
    request: () => Promise<Run>,
    noticeFor: (change: { readonly before: Run; readonly now: Run }) => string,
  ) => {
    ask(undefined);
    const change = await does(request);
    if (change) done(change, noticeFor(change));
  };
  const check = () =>
    void act(
      () => api.check(page.question === undefined ? undefined : answer, answersToSend(page.questions, answers)),
      graded,
    );
  return (
    <form
      class="step-actions"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) check();
      }}
    >
      <QuestionList
        questions={page.questions}
        answers={answers}
        change={(name, changed) => setAnswers((before) => ({ ...before, [name]: changed }))}
        isOver={false}
      />
      {page.question !== undefined && <Question text={page.question} answer={answer} change={setAnswer} />}
      {allHold(run) && <p class="hint all-hold">{messages.allHold}</p>}
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? messages.checking : messages.check}
        </button>
        <button type="button" disabled={busy} onClick={() => ask("restart")}>
          {messages.restart}
        </button>
        {run.allowsSkipping && step < run.steps.length && (
          <button type="button" disabled={busy} onClick={() => ask("skip")}>
            {messages.skip}
          </button>
        )}
      </div>
      {openDialog && <ActionDialog what={openDialog} api={api} run={run} close={() => ask(undefined)} act={act} />}
    </form>
  );
}

interface ActionDialogProps {
  readonly what: "restart" | "skip";
  readonly api: LearnerApi;
  readonly run: Run;
  readonly close: () => void;
  readonly act: (request: () => Promise<Run>, noticeFor: () => string) => Promise<void>;
}

function ActionDialog({ what, api, run, close, act }: ActionDialogProps) {
  if (what === "restart") {
    const restart = () =>
      void act(
        () => api.restart(),
        () => messages.restarted,
      );
    return <Restart close={close} sure={restart} />;
  }
  const skip = (to: number) =>
    void act(
      () => api.skip(to),
      () => messages.skipped(to),
    );
  return <Skip run={run} close={close} sure={skip} />;
}

interface QuestionProps {
  readonly text: string;
  readonly answer: string;
  readonly change: (answer: string) => void;
}

function Question({ text, answer, change }: QuestionProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>
        {text} <span class="unseen">{messages.answer}</span>
      </label>
      <textarea id={id} rows={2} value={answer} onInput={({ currentTarget }) => change(currentTarget.value)} />
    </div>
  );
}

function graded({ before, now }: { readonly before: Run; readonly now: Run }): string {
  const stepResult = now.steps[before.step - 1];
  if (!stepResult) return "";
  if (stepResult.state === "passed") return messages.stepPassed(before.step, stepResult.best);
  const wrong = now.page.step === before.step ? now.page.questions.filter(({ passed }) => !passed).length : 0;
  const missing = stepResult.checks.filter(({ passed }) => !passed).length + wrong;
  return missing === 0 ? messages.stepPassed(before.step, stepResult.best) : messages.stepFailed(missing);
}

/** Reports whether everything of the current step holds already, so that the learner only has to go on. */
function allHold({ steps, step, page }: Run): boolean {
  const current = steps[step - 1];
  if (!current?.graded || current.state === "passed" || page.questions.some(({ passed }) => !passed)) return false;
  return current.checks.every(({ passed }) => passed);
}

function Restart({ close, sure }: { readonly close: () => void; readonly sure: () => void }) {
  return (
    <Dialog title={messages.restartAsk} close={close}>
      <p>{messages.restartMeans}</p>
      <Choice close={close} action={messages.restart} sure={sure} />
    </Dialog>
  );
}

function Skip({
  run,
  close,
  sure,
}: {
  readonly run: Run;
  readonly close: () => void;
  readonly sure: (to: number) => void;
}) {
  const [to, setTo] = useState(run.step + 1);
  const id = useId();
  return (
    <Dialog title={messages.skipAsk} close={close}>
      <p>{messages.skipMeans}</p>
      <div class="field">
        <label for={id}>{messages.skipTo}</label>
        <select id={id} value={to} onChange={({ currentTarget }) => setTo(Number(currentTarget.value))}>
          {run.steps.map(
            ({ title }, at) =>
              at + 1 > run.step && (
                <option key={at} value={at + 1}>
                  {messages.stepOf(at + 1, run.steps.length)}: {title}
                </option>
              ),
          )}
        </select>
      </div>
      <Choice close={close} action={messages.skip} sure={() => sure(to)} />
    </Dialog>
  );
}

interface ChoiceProps {
  readonly close: () => void;
  readonly action: string;
  readonly sure: () => void;
}

function Choice({ close, action, sure }: ChoiceProps) {
  return (
    <div class="actions choice">
      <button type="button" onClick={close}>
        {messages.keep}
      </button>
      <button type="button" class="primary" onClick={sure}>
        {action}
      </button>
    </div>
  );
}
