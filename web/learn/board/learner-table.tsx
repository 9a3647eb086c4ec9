// The class as a table: a row for each run, with actions for its learner.
import { useState } from "preact/hooks";
import type { LessonWithDocument, Result } from "../../../shared/contract/lesson.ts";
import { messageOf } from "../../api/control-failure.ts";
import { may } from "../../api/session.ts";
import { texts } from "../../messages/classes.ts";
import { Age, TimeLeft } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { texts as leading } from "../../messages/teaching.ts";
import { type LeadAction, LeadDialog } from "./lead-dialogs.tsx";
import type { LessonsApi } from "./lessons-api.ts";
import { isLive, isStuck } from "./standing.ts";
import { texts as all } from "../../messages/board.ts";

const words = all.learnerTable;

interface Props {
  readonly api: LessonsApi;
  readonly lesson: LessonWithDocument | undefined;
  readonly results: readonly Result[];
  readonly now: number;
  /** The id of the selected run. */
  readonly opened: string;
  readonly open: (run: string) => void;
  readonly changed: () => void;
  /** Shows a sentence about what was done. */
  readonly notify: (text: string) => void;
}

const columns = [
  words.learner,
  words.state,
  words.step,
  words.timeAtStep,
  words.attempts,
  words.steps,
  words.points,
  words.timeLeft,
];
const tones = { current: "busy", passed: "ok", skipped: "idle", ahead: "idle" } as const;

export function LearnerTable({ api, lesson, results, now, opened, open, changed, notify }: Props) {
  const [failure, setFailure] = useState("");
  const [openDialog, ask] = useState<{ readonly what: "reset" | "remove"; readonly result: Result }>();
  const [led, lead] = useState<{ readonly action: LeadAction; readonly result: Result }>();
  return (
    <>
      <Alert text={failure} />
      <div class="panel scroll">
        <table class="sandboxes">
          <thead>
            <tr>
              {columns.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <th scope="col">
                <span class="unseen">{words.actions}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {results.map((result) => (
              <tr key={result.run} data-learner={result.learner} class={result.run === opened ? "chosen" : ""}>
                <Facts result={result} lesson={lesson} now={now} />
                <RowActions
                  result={result}
                  isLive={isLive(result, now)}
                  api={api}
                  isOpen={result.run === opened}
                  open={() => open(result.run)}
                  ask={(what) => ask({ what, result })}
                  lead={(action) => lead({ action, result })}
                />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {led && (
        <LeadDialog
          api={api}
          name={led.result.lesson}
          led={{ run: led.result.run, title: led.result.learner }}
          action={led.action}
          close={(text) => {
            lead(undefined);
            notify(text);
            changed();
          }}
        />
      )}
      {openDialog && (
        <Sure
          {...openDialog}
          api={api}
          close={() => ask(undefined)}
          done={(error) => {
            setFailure(error);
            changed();
          }}
        />
      )}
    </>
  );
}

interface RowActionsProps {
  readonly result: Result;
  readonly isLive: boolean;
  readonly api: LessonsApi;
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly ask: (what: "reset" | "remove") => void;
  readonly lead: (action: LeadAction) => void;
}

function RowActions({ result, isLive: hasCluster, api, isOpen, open, ask, lead }: RowActionsProps) {
  const { learner, lesson, run, paused } = result;
  return (
    <td class="actions">
      <button type="button" class="quiet" aria-expanded={isOpen} onClick={open}>
        {hasCluster ? words.watch : words.replay}
        <span class="unseen"> {learner}</span>
      </button>
      {may("lessons:write") && (
        <>
          <CopyButton class="quiet" label={words.copyLink} text={() => api.link(lesson, run)} file={`${learner}.txt`} />
          {hasCluster &&
            (["message", "time", paused ? "resume" : "pause"] as const).map((action) => (
              <button key={action} type="button" class="quiet" onClick={() => lead(action)}>
                {leading[action]}
                <span class="unseen"> {learner}</span>
              </button>
            ))}
          {hasCluster && (
            <button type="button" class="quiet" onClick={() => ask("reset")}>
              {words.reset}
              <span class="unseen"> {learner}</span>
            </button>
          )}
          <button type="button" class="quiet danger" onClick={() => ask("remove")}>
            {words.delete}
            <span class="unseen"> {learner}</span>
          </button>
        </>
      )}
    </td>
  );
}

interface FactsProps {
  readonly result: Result;
  readonly lesson: LessonWithDocument | undefined;
  readonly now: number;
}

function Facts({ result, lesson, now }: FactsProps) {
  const { learner, state, step, steps, stepStartedAt, points, maxPoints, endsAt, version } = result;
  const stuck = isStuck(result, now);
  // Another version of the lesson may have other titles.
  const title = lesson?.version === version ? lesson.lesson.steps[step - 1]?.title : undefined;
  return (
    <>
      <th scope="row">
        {learner}
        {result.class !== undefined && <span class="hint"> {texts.joinedByLink}</span>}
        {result.members !== undefined && <span class="hint"> {result.members.join(", ")}</span>}
      </th>
      <td data-label={words.status}>
        <span class={`chip ${state === "finished" ? "ok" : stuck ? "bad" : state === "running" ? "busy" : "idle"}`}>
          {result.paused ? leading.paused : stuck ? words.stuck : state === "running" ? words.atWork : state}
        </span>
        {result.graded?.by === "time" && <span class="hint"> {words.timeOver}</span>}
      </td>
      <td data-label={words.step}>
        {step}
        {title && <span class="hint"> {title}</span>}
      </td>
      <td data-label={words.timeAtStep}>{state === "running" && <Age time={stepStartedAt} />}</td>
      <td data-label={words.attempts}>{steps[step - 1]?.attempts ?? 0}</td>
      <td data-label={words.steps}>
        <ol class="dots">
          {allSteps(result, lesson).map(({ state: stepState, best, attempts }, at) => (
            <li key={at} class={tones[stepState]} title={words.stepTitle(at + 1, stepState, best, attempts)}>
              {stepState === "passed" ? best : stepState === "skipped" ? "–" : best || "·"}
              <span class="unseen">{words.stepState(at + 1, stepState)}</span>
            </li>
          ))}
        </ol>
      </td>
      <td data-label={words.points}>
        {points} / {maxPoints}
      </td>
      <td data-label={words.timeLeft}>
        <TimeLeft time={endsAt} />
      </td>
    </>
  );
}

/** Returns all steps, including those that the learner has not reached, if the lesson's document is known. */
function allSteps({ steps, version }: Result, lesson: LessonWithDocument | undefined): Result["steps"] {
  const missing = lesson?.version === version ? Math.max(lesson.steps - steps.length, 0) : 0;
  return [...steps, ...Array.from({ length: missing }, () => untried)];
}

const untried: Result["steps"][number] = {
  ...{ state: "ahead", attempts: 0, best: 0, last: 0, hints: 0, solutionShown: false },
  ...{ answers: {}, tries: [] },
};

interface SureProps {
  readonly what: "reset" | "remove";
  readonly result: Result;
  readonly api: LessonsApi;
  readonly close: () => void;
  /** Called with the error message, or with an empty string on success. */
  readonly done: (failure: string) => void;
}

function Sure({ what, result: { lesson, run, learner }, api, close, done }: SureProps) {
  const isReset = what === "reset";
  const form = useSubmit(async () => {
    await (isReset ? api.reset(lesson, run) : api.remove(lesson, run)).then(
      () => done(""),
      (error: unknown) => done(messageOf(error)),
    );
    close();
  }, []);
  return (
    <FormDialog
      title={isReset ? words.resetAsk(learner) : words.deleteAsk(learner)}
      close={close}
      form={form}
      action={isReset ? words.reset : words.deleteRun}
      doing={isReset ? words.resetting : words.deleting}
      cancelLabel={words.cancel}
    >
      <p>{isReset ? words.resetMeans : words.deleteMeans}</p>
    </FormDialog>
  );
}
