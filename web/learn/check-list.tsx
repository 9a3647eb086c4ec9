// What a step is graded by: which checks hold, what each brings, and a hint where one does not.
import type { Run } from "../../shared/contract/lesson.ts";
import { messages } from "../messages/learn.ts";

interface Props {
  readonly run: Pick<Run, "steps">;
  /** The step's, beginning with 1. */
  readonly number: number;
}

export function CheckList({ run, number }: Props) {
  const step = run.steps[number - 1];
  if (!step) return null;
  const { checks, attempts, best, last, maxPoints, graded } = step;
  return (
    <div class="checks">
      <h2 id="checks">
        {messages.checks} <span class="hint">{messages.marks(best, maxPoints)}</span>
      </h2>
      <ul aria-labelledby="checks" aria-live="polite">
        {checks.map(({ name, points, passed, hint, message }) => (
          <li key={name} class={!graded ? "idle" : passed ? "ok" : "bad"} data-check={name}>
            <span class="lamp" aria-hidden="true" />
            <div>
              <span class="name">{name}</span>{" "}
              <span class="hint">
                {messages.points(points)}, {!graded ? messages.untried : passed ? messages.passed : messages.notPassed}
              </span>
              {hint !== "" && (
                <p class="tip">
                  <strong>{messages.hint}:</strong> {hint}
                </p>
              )}
              {message !== "" && (
                <p class="tip reason">
                  <strong>{messages.reason}:</strong> {message}
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
      {attempts > 0 && (
        <p class="hint">
          {messages.attempts(attempts)}
          {attempts > 1 && `: ${messages.best(best, last)}`}
        </p>
      )}
    </div>
  );
}
