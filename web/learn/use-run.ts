// The run of the page: read at first, every few seconds while the page is visible, and after each action.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { draftSuffix } from "../../shared/lesson/draft.ts";
import { ControlFailure, messageOf } from "../api/control.ts";
import { tellFrame } from "./frame-events.ts";
import type { LearnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";

const pollMs = 10_000;
/** The polling interval of a lesson draft. */
const draftPollMs = 1_500;

export interface OwnRun {
  readonly run: Run | undefined;
  /** The error message, or empty. */
  readonly failure: string;
  /** Reports whether an action is running. */
  readonly busy: boolean;
  /** Runs one action at a time. Returns the run before and after it, or undefined if it was refused. */
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
      const now = await api.run();
      if (countBefore !== actionCount.current) return;
      keep(now);
      setFailure("");
    } catch (error) {
      if (countBefore === actionCount.current) setFailure(wordsOf(error));
    }
  }, [api, keep]);
  useEffect(() => repeatedly(read, () => (last.current?.lesson.endsWith(draftSuffix) ? draftPollMs : pollMs)), [read]);
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
  return { run, failure, busy, does };
}

/** Calls `body` at once and repeatedly while the page is visible. Returns a function that stops it. */
function repeatedly(body: () => Promise<void>, everyMs: () => number): () => void {
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
  return () => {
    ended = true;
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", round);
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof ControlFailure)) return messageOf(error);
  if (error.status === 401) return messages.wrongToken;
  if (error.code === "suspended") return messages.suspended;
  return error.code === "busy" ? messages.busy : error.message;
}
