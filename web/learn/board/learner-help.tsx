// A teacher's actions in one learner's cluster: joining the terminal, going back to a step, and opening a copy of the state.
import { useState } from "preact/hooks";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Run } from "../../../shared/contract/lesson.ts";
import { type Control } from "../../api/control.ts";
import { messageOf } from "../../api/control-failure.ts";
import { curlLine } from "../../api/lines.ts";
import { statesOf } from "../../api/states.ts";
import { may } from "../../api/session.ts";
import { texts } from "../../messages/teaching.ts";
import { Alert } from "../../parts/alert.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { type LessonsApi, lessonPath } from "./lessons-api.ts";

interface Props {
  readonly control: Control;
  readonly api: LessonsApi;
  readonly run: Run;
  readonly changed: (run: Run) => void;
}

export function LearnerHelp({ control, api, run, changed }: Props) {
  const [failure, setFailure] = useState("");
  const does = (action: Promise<Run>) => {
    setFailure("");
    action.then(changed, (error: unknown) => setFailure(messageOf(error)));
  };
  return (
    <>
      <div class="actions">
        {may("lessons:write") && <JoinTerminal api={api} run={run} does={does} />}
        {may("lessons:write") && !run.exam && <BackToStep api={api} run={run} changed={changed} />}
        {may("sandboxes:create") && <OpenCopy control={control} run={run} fail={setFailure} />}
      </div>
      <Alert text={failure} />
    </>
  );
}

interface JoinProps {
  readonly api: LessonsApi;
  readonly run: Run;
  readonly does: (action: Promise<Run>) => void;
}

function JoinTerminal({ api, run: { lesson, run: id, help }, does }: JoinProps) {
  const [line, setLine] = useState("");
  if (help.state === "none") {
    return (
      <button type="button" onClick={() => does(api.help(lesson, id, { state: "asked" }))}>
        {texts.join}
      </button>
    );
  }
  const leave = (
    <button type="button" onClick={() => does(api.help(lesson, id, { state: "none" }))}>
      {texts.leave}
    </button>
  );
  if (help.state === "asked") {
    return (
      <>
        <span role="status" class="hint">
          {texts.asked}
        </span>
        {leave}
      </>
    );
  }
  return (
    <form
      class="pair"
      onSubmit={(event) => {
        event.preventDefault();
        does(api.help(lesson, id, { line }));
        setLine("");
      }}
    >
      <input
        class="code"
        aria-label={texts.line}
        autoComplete="off"
        spellcheck={false}
        value={line}
        onInput={({ currentTarget }) => setLine(currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={line.trim() === ""}>
        {texts.run}
      </button>
      <button type="button" onClick={() => does(api.help(lesson, id, { interrupt: true }))}>
        {texts.interrupt}
      </button>
      <span role="status" class="hint">
        {help.lines.length > 0 && texts.waitingLines(help.lines.length)}
      </span>
      {leave}
    </form>
  );
}

interface BackProps {
  readonly api: LessonsApi;
  readonly run: Run;
  readonly changed: (run: Run) => void;
}

function BackToStep({ api, run, changed }: BackProps) {
  const { lesson, run: id, learner, step: current } = run;
  const [step, setStep] = useState(current);
  const [isAsking, ask] = useState(false);
  const to = Math.min(step, current);
  return (
    <span class="pair">
      <select
        aria-label={texts.backTo}
        value={to}
        onChange={({ currentTarget }) => setStep(Number(currentTarget.value))}
      >
        {run.steps.slice(0, current).map(({ title }, at) => (
          <option key={at} value={at + 1}>
            {at + 1}. {title}
          </option>
        ))}
      </select>
      <button type="button" onClick={() => ask(true)}>
        {texts.goBack}
      </button>
      {isAsking && (
        <ConfirmDialog
          title={texts.goBackAsk(learner, to)}
          action={texts.goBack}
          doing={texts.going}
          line={curlLine("POST", `${lessonPath(lesson)}/runs/${id}/reset`, { step: to })}
          run={async () => changed(await api.reset(lesson, id, to))}
          close={() => ask(false)}
        >
          <p>{texts.goBackMeans}</p>
        </ConfirmDialog>
      )}
    </span>
  );
}

interface CopyProps {
  readonly control: Control;
  readonly run: Run;
  readonly fail: (failure: string) => void;
}

/** Forks the learner's sandbox; in an exam of several clusters, each of them. */
function OpenCopy({ control, run: { sandbox, clusters, learner }, fail }: CopyProps) {
  const [busy, setBusy] = useState(false);
  const fork = async () => {
    setBusy(true);
    fail("");
    try {
      const copies = [];
      for (const { name, sandbox: place } of clusters ?? [{ name: "", sandbox }])
        copies.push(await statesOf(control, { id: place.id, name: "" }).fork({ name: nameOfCopy(learner, name) }));
      location.hash = clusters ? "#/" : `#/sandboxes/${copies[0]?.id ?? ""}`;
    } catch (error) {
      fail(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <button type="button" disabled={busy} onClick={() => void fork()}>
      {busy ? texts.forking : texts.fork}
    </button>
  );
}

/** Returns a valid name of a sandbox. */
function nameOfCopy(learner: string, context: string): string {
  const name = learner.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const suffix = context === "" ? "" : `-${context}`;
  return trimmedEnd(`${`copy-${name}`.slice(0, 40)}${suffix}`.slice(0, 63), "-");
}
