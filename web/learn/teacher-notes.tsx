// The teacher's notes to the learner: messages, a pause, and the wish to join the terminal.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { messages } from "../messages/learn.ts";
import { newHelpLines } from "./help-lines.ts";
import type { LearnerApi } from "./learner-api.ts";
import type { PageTerminals } from "./page-terminals.ts";
import type { OwnRun } from "./use-run.ts";

const texts = messages.teacher;

interface Props {
  readonly api: LearnerApi;
  readonly run: Run;
  readonly does: OwnRun["does"];
  /** The open terminals of this page. */
  readonly terminals: PageTerminals | undefined;
}

export function TeacherNotes({ api, run, does, terminals }: Props) {
  const [closed, setClosed] = useState(() => closedIn(run.run));
  const open = run.messages.filter(({ id }) => !closed.includes(id));
  const close = (id: string) => {
    const next = [...closed, id].slice(-mostClosed);
    setClosed(next);
    keepClosed(run.run, next);
  };
  useTeachersLines(run, terminals, api);
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
      {run.help.state !== "none" && <JoinNote api={api} help={run.help} does={does} terminals={terminals} />}
      {run.paused && (
        <div class="notice teacher paused" role="alert">
          <h2>{texts.paused}</h2>
          <p>{texts.pausedMeans}</p>
        </div>
      )}
    </>
  );
}

interface JoinProps extends Pick<Props, "api" | "does" | "terminals"> {
  readonly help: Run["help"];
}

/** Asks for consent, which is that of one terminal: the visible one. Another page of the run, or a team's member, can move it to theirs. */
function JoinNote({ api, help, does, terminals }: JoinProps) {
  const joined = terminals?.all.find(({ id }) => id === help.terminal);
  const isAsked = help.state === "asked";
  const current = terminals?.current;
  return (
    <div class="notice teacher" role="alert">
      <p>{isAsked ? texts.joinAsk : joined ? texts.joined(joined.title) : texts.joinedElsewhere}</p>
      <div class="actions">
        {!joined && (
          <button
            type="button"
            class={isAsked ? "primary" : ""}
            disabled={!current}
            onClick={() => void does(() => api.consent(current?.id))}
          >
            {isAsked ? texts.allow : texts.allowHere}
          </button>
        )}
        <button type="button" onClick={() => void does(() => api.consent(undefined))}>
          {isAsked ? texts.refuse : texts.endHelp}
        </button>
      </div>
    </div>
  );
}

/** Runs the teacher's lines in the terminal that has the consent. Each response of the service may bring lines. */
function useTeachersLines(run: Run, terminals: PageTerminals | undefined, api: LearnerApi): void {
  const lines = useMemo(() => newHelpLines(api), [api]);
  useEffect(() => void lines.update(run.help, terminals?.all ?? []), [lines, run, terminals]);
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
