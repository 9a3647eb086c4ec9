// The list of an exam's tasks, with their weights and flags.
import type { Run } from "../../../shared/contract/lesson.ts";
import { percentOf } from "../../../shared/lesson/exam.ts";
import { messages } from "../../messages/exam.ts";

interface Props {
  readonly run: Run;
  readonly exam: NonNullable<Run["exam"]>;
  readonly open: (task: number) => void;
}

export function TaskList({ run, exam, open }: Props) {
  return (
    <nav class="tasks" aria-label={messages.tasks}>
      <ol>
        {run.steps.map(({ title, maxPoints, last }, at) => {
          const number = at + 1;
          const isFlagged = exam.flagged.includes(number);
          return (
            <li key={number}>
              <button
                type="button"
                class="task"
                aria-current={number === run.step ? "step" : undefined}
                onClick={() => open(number)}
              >
                <span aria-hidden="true">{number}</span>
                <span class="title">{title}</span>
                {exam.clusters && <span class="hint">{exam.clusters[at]}</span>}
                {isFlagged && <span class="flag">⚑ {messages.flagged}</span>}
                <span class="hint">
                  {exam.report ? messages.of(last, maxPoints) : messages.weight(percentOf(maxPoints, run.maxPoints))}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
