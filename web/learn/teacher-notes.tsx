// The teacher's notes to the learner: messages, a pause, and the wish to join the terminal.
import { useEffect, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { messages } from "../messages/learn.ts";
import type { LearnerApi } from "./learner-api.ts";
import type { OwnRun } from "./use-run.ts";

const texts = messages.teacher;

interface Props {
  readonly api: LearnerApi;
  readonly run: Run;
  readonly does: OwnRun["does"];
  readonly runLine: ((line: string) => void) | undefined;
}

export function TeacherNotes({ api, run, does, runLine }: Props) {
  const [closed, setClosed] = useState(() => closedIn(run.run));
  const open = run.messages.filter(({ id }) => !closed.includes(id));
  const close = (id: string) => {
    const next = [...closed, id].slice(-mostClosed);
    setClosed(next);
    keepClosed(run.run, next);
  };
  useLinesOf(run, runLine, api, does);
  return (
    <>
      <div class="teacher-notes" role="log" aria-label={texts.messages}>
        {open.map(({ id, at, text }) => (
          <div key={id} class="notice teacher">
            <p>
              <strong>{texts.from}</strong> <time dateTime={at}>{timeOf(at)}</time>
            </p>
            <p>{text}</p>
            <button type="button" class="quiet" onClick={() => close(id)}>
              {texts.close}
              <span class="unseen"> {text}</span>
            </button>
          </div>
        ))}
      </div>
      {run.help.state !== "none" && (
        <div class="notice teacher" role="alert">
          <p>{run.help.state === "asked" ? texts.joinAsk : texts.joined}</p>
          <div class="actions">
            {run.help.state === "asked" && (
              <button type="button" class="primary" onClick={() => void does(() => api.consent(true))}>
                {texts.allow}
              </button>
            )}
            <button type="button" onClick={() => void does(() => api.consent(false))}>
              {run.help.state === "asked" ? texts.refuse : texts.endHelp}
            </button>
          </div>
        </div>
      )}
      {run.paused && (
        <div class="notice teacher paused" role="alert">
          <h2>{texts.paused}</h2>
          <p>{texts.pausedMeans}</p>
        </div>
      )}
    </>
  );
}

/** Runs the teacher's lines in the learner's terminal, each once. */
function useLinesOf(run: Run, runLine: Props["runLine"], api: LearnerApi, does: Props["does"]): void {
  const { state, lines } = run.help;
  const ids = lines.map(({ id }) => id).join(" ");
  useEffect(() => {
    if (state !== "joined" || ids === "" || !runLine) return;
    for (const { text } of lines) runLine(text);
    void does(() => api.consent(true));
    // The lines are the same while their ids are.
  }, [state, ids, runLine]);
}

/** The ids of closed messages that a browser remembers for a run. */
const mostClosed = 40;

function storageName(run: string): string {
  return `sandbar.messages.${run}`;
}

function closedIn(run: string): readonly string[] {
  try {
    return (localStorage.getItem(storageName(run)) ?? "").split(" ");
  } catch {
    return [];
  }
}

function keepClosed(run: string, ids: readonly string[]): void {
  try {
    localStorage.setItem(storageName(run), ids.join(" "));
  } catch {
    // Without storage, a closed message returns with the page.
  }
}

function timeOf(at: string): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
}
