// The list of the lesson's steps. Reached steps can be read again.
import type { Run } from "../../shared/contract/lesson.ts";
import { messages } from "../messages/learn.ts";

interface Props {
  readonly run: Run;
  /** The step whose page is shown. */
  readonly shownStep: number;
  readonly read: (step: number) => void;
}

const tones = { current: "busy", passed: "ok", skipped: "idle", ahead: "idle" } as const;

export function StepList({ run, shownStep, read }: Props) {
  return (
    <nav aria-label={messages.steps}>
      <ol class="steps">
        {run.steps.map(({ title, state, best, maxPoints }, at) => {
          const number = at + 1;
          const text = (
            <>
              <span class="number" aria-hidden="true">
                {state === "passed" ? "✓" : number}
              </span>
              <span class="title">
                <span class="unseen">{messages.stepOf(number, run.steps.length)}: </span>
                {title}
                <span class="unseen">
                  , {messages.states[state]}, {messages.marks(best, maxPoints)}
                </span>
              </span>
            </>
          );
          return (
            <li key={number} class={tones[state]} data-state={state}>
              {number > run.step ? (
                <span class="step">{text}</span>
              ) : (
                <button
                  type="button"
                  class="step"
                  aria-current={number === shownStep ? "step" : undefined}
                  onClick={() => read(number)}
                >
                  {text}
                </button>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
