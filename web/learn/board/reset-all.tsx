// Resets all running learners, a few at a time, so that a class does not overload the service.
import { useState } from "preact/hooks";
import type { Result } from "../../../shared/contract/lesson.ts";
import { messageOf } from "../../api/control-failure.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import type { LessonsApi } from "./lessons-api.ts";
import { texts as all } from "../../messages/board.ts";

const texts = all.resetAll;

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly results: readonly Result[];
  readonly close: () => void;
}

const atOnce = 4;

export function ResetAll({ api, name, results, close }: Props) {
  const [done, setDone] = useState(0);
  const [busy, setBusy] = useState(false);
  const [failures, setFailures] = useState<readonly string[]>([]);
  const resettable = results.filter(({ state }) => state !== "expired");
  const reset = async () => {
    setBusy(true);
    setDone(0);
    setFailures([]);
    const left = [...resettable];
    const failed: string[] = [];
    const resetUntilEmpty = async () => {
      for (let result = left.shift(); result; result = left.shift()) {
        await api
          .reset(name, result.run)
          .catch((error: unknown) => failed.push(`${result?.learner}: ${messageOf(error)}`));
        setDone((count) => count + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, resetUntilEmpty));
    setBusy(false);
    setFailures(failed);
    if (failed.length === 0) close();
  };
  return (
    <Dialog title={texts.title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void reset();
        }}
      >
        <p>{texts.means(resettable.length)}</p>
        {busy && <p role="status">{texts.progress(done, resettable.length)}</p>}
        <FormEnd
          failure={failures.join("\n")}
          close={close}
          busy={busy}
          action={texts.button}
          doing={texts.resetting}
          cancelLabel={texts.cancel}
        />
      </form>
    </Dialog>
  );
}
