// The run that the page is about: read at the beginning and every few seconds while somebody looks, and after all that is done in it.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../../shared/contract/lesson.ts";
import { draftSuffix } from "../../shared/lesson/draft.ts";
import { ControlFailure, messageOf } from "../api/control.ts";
import { tellFrame } from "./frame-events.ts";
import type { LearnerApi } from "./learner-api.ts";
import { messages } from "../messages/learn.ts";

const pollMs = 10_000;
/** Of a lesson that is being written. */
const draftPollMs = 1_500;

export interface OwnRun {
  readonly run: Run | undefined;
  /** What went wrong, in words; "" where nothing did. */
  readonly failure: string;
  /** Something is under way. */
  readonly busy: boolean;
  /** Does one thing at a time; gives what the run was before and is then, or undefined where it was refused. */
  readonly does: (deed: () => Promise<Run>) => Promise<{ readonly before: Run; readonly now: Run } | undefined>;
}

export function useRun(api: LearnerApi): OwnRun {
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const last = useRef<Run>(undefined);
  /** Counts what was done: an answer to what was asked before is old. */
  const deeds = useRef(0);
  const keep = useCallback((now: Run) => {
    tellFrame(now, last.current);
    last.current = now;
    setRun(now);
  }, []);
  const read = useCallback(async () => {
    const asked = deeds.current;
    try {
      const now = await api.run();
      if (asked !== deeds.current) return;
      keep(now);
      setFailure("");
    } catch (error) {
      if (asked === deeds.current) setFailure(wordsOf(error));
    }
  }, [api, keep]);
  useEffect(() => repeatedly(read, () => (last.current?.lesson.endsWith(draftSuffix) ? draftPollMs : pollMs)), [read]);
  const does = useCallback(
    async (deed: () => Promise<Run>) => {
      const before = last.current;
      if (!before) return undefined;
      deeds.current += 1;
      setBusy(true);
      try {
        const now = await deed();
        keep(now);
        setFailure("");
        return { before, now };
      } catch (error) {
        setFailure(wordsOf(error));
        // Its time may be up, or somebody was faster.
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

/** At once, and as long as the page is seen; returns what ends it. */
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
