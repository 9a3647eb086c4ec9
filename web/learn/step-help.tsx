// The hints of a step, one after another with their price, and its solution after some tries.
import { useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { Dialog } from "../parts/dialog.tsx";
import type { LearnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";
import { PageText } from "./page-text.tsx";
import type { OwnRun } from "./use-run.ts";

const texts = messages.help;

interface Props {
  readonly api: LearnerApi;
  /** The run, or an earlier page of it. */
  readonly run: Run;
  readonly busy: boolean;
  readonly does: OwnRun["does"];
  readonly canAsk: boolean;
  readonly runLine: ((line: string) => void) | undefined;
}

export function StepHelp({ api, run, busy, does, canAsk, runLine }: Props) {
  const [openDialog, ask] = useState<"hint" | "solution">();
  const { hints, nextHint, solution, solutionAfter } = run.page;
  const takeHint = () => void does(() => api.hint());
  const act = (request: () => Promise<Run>) => {
    ask(undefined);
    void does(request);
  };
  return (
    <div class="step-help">
      {hints.map((hint, at) => (
        <div key={at} class="tip" role="note" aria-label={texts.hintOf(at + 1)}>
          <strong>{texts.hintOf(at + 1)}</strong>
          <PageText text={hint} run={runLine} />
        </div>
      ))}
      {solution !== undefined && (
        <div class="tip" role="note" aria-label={texts.solution}>
          <strong>{texts.solution}</strong>
          <PageText text={solution} run={runLine} />
        </div>
      )}
      {canAsk && (nextHint || solutionAfter !== undefined) && (
        <div class="actions">
          {nextHint && (
            <button type="button" disabled={busy} onClick={() => (nextHint.price > 0 ? ask("hint") : takeHint())}>
              {texts.takeHint(hints.length + 1, nextHint.price)}
            </button>
          )}
          {solutionAfter === 0 && (
            <button type="button" disabled={busy} onClick={() => ask("solution")}>
              {texts.showSolution}
            </button>
          )}
          {solutionAfter !== undefined && solutionAfter > 0 && (
            <span class="hint">{texts.solutionAfter(solutionAfter)}</span>
          )}
        </div>
      )}
      {openDialog === "hint" && nextHint && (
        <Sure
          title={texts.hintAsk}
          text={texts.hintMeans(nextHint.price)}
          action={texts.take}
          close={() => ask(undefined)}
          sure={() => act(() => api.hint())}
        />
      )}
      {openDialog === "solution" && (
        <Sure
          title={texts.solutionAsk}
          text={texts.solutionMeans}
          action={texts.showSolution}
          close={() => ask(undefined)}
          sure={() => act(() => api.solution())}
        />
      )}
    </div>
  );
}

interface SureProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly close: () => void;
  readonly sure: () => void;
}

function Sure({ title, text, action, close, sure }: SureProps) {
  return (
    <Dialog title={title} close={close}>
      <p>{text}</p>
      <div class="actions choice">
        <button type="button" onClick={close}>
          {messages.keep}
        </button>
        <button type="button" class="primary" onClick={sure}>
          {action}
        </button>
      </div>
    </Dialog>
  );
}
