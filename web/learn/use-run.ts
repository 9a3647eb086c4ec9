// The run of the page: read at first, every few seconds while the page is visible, and after each action.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { draftSuffix } from "../../shared/lesson/draft.ts";
import { ControlFailure, messageOf } from "../api/control-failure.ts";
import { tellFrame } from "./frame-events.ts";
import type { LearnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";

/** The intervals at which the page asks for changes: usually, for a lesson draft, and after a line was run in the terminal. */
const pollMs = 3_000;
/** The interval while the teacher runs lines in the terminal. */
const helpPollMs = 1_000;
const draftPollMs = 1_500;
const afterLineMs = 400;

export interface OwnRun {
  readonly run: Run | undefined;
  /** The error message, or empty. */
  readonly failure: string;
  /** Reports whether an action is running. */
  readonly busy: boolean;
  /** Runs one action at a time. Returns the run before and after it, or undefined if it was refused. */
  /** Grades the checks again soon, because something was done in the cluster. */
  readonly nudge: () => void;
  readonly does: (action: () => Promise<Run>) => Promise<{ readonly before: Run; readonly now: Run } | undefined>;
}

export function useRun(api: LearnerApi): OwnRun {
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const last = useRef<Run>(undefined);
  /** Counts actions, so that responses requested before an action are discarded. */
  const actionCount = useRef(0);
  const keep = useCallback((now: Run) => {
    tellFrame(now, last.current);
    last.current = now;
    setRun(now);
  }, []);
  const read = useCallback(async () => {
    const countBefore = actionCount.current;
    try {
      const now = await latest(api, last.current);
      if (countBefore !== actionCount.current) return;
      keep(now);
      setFailure("");
    } catch (error) {
      if (countBefore === actionCount.current) setFailure(wordsOf(error));
    }
  }, [api, keep]);
  const again = useRef<() => void>(undefined);
  useEffect(() => {
    const everyMs = () => {
      if (last.current?.help.state === "joined") return helpPollMs;
      return last.current?.lesson.endsWith(draftSuffix) ? draftPollMs : pollMs;
    };
    const rounds = repeatedly(read, everyMs);
    again.current = rounds.soon;
    return rounds.stop;
  }, [read]);
  const nudge = useCallback(() => void setTimeout(() => again.current?.(), afterLineMs), []);
  const does = useCallback(
    async (action: () => Promise<Run>) => {
      const before = last.current;
      if (!before) return undefined;
      actionCount.current += 1;
      setBusy(true);
      try {
        const now = await action();
        keep(now);
        setFailure("");
        return { before, now };
      } catch (error) {
        setFailure(wordsOf(error));
        // The run may have ended, or another tab acted first.
        await api.run().then(keep, () => undefined);
        return undefined;
      } finally {
        setBusy(false);
      }
    },
    [api, keep],
  );
  return { run, failure, busy, nudge, does };
}

/** Reads the run; with checks that the cluster's change may have fulfilled, grades them. */
async function latest(api: LearnerApi, before: Run | undefined): Promise<Run> {
  if (before?.state !== "running" || before.paused) return api.run();
  const checks = before.steps[before.step - 1]?.checks ?? [];
  if (checks.length === 0) return api.run();
  return api.recheck(before.revision ?? 0);
}

/** Calls `body` at once and repeatedly while the page is visible. `soon` calls it now. */
function repeatedly(body: () => Promise<void>, everyMs: () => number) {
  let timer = 0;
  let ended = false;
  const round = () => {
    clearTimeout(timer);
    if (ended || document.hidden) return;
    void body().finally(() => {
      if (!ended) timer = setTimeout(round, everyMs()) as unknown as number;
    });
  };
  document.addEventListener("visibilitychange", round);
  round();
  const stop = () => {
    ended = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", round);
  };
  return { stop, soon: round };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ControlFailure)) return messageOf(error);
  if (error.status === 401) return messages.wrongToken;
  if (error.code === "suspended") return messages.suspended;
  return error.code === "busy" ? messages.busy : error.message;
}
