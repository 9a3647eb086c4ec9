// The dialog that confirms the deletion of several sandboxes, and says how far it is.
import { useState } from "preact/hooks";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import { type Control, ControlFailure } from "../api/control.ts";
import { forgetViewToken } from "../api/own-view.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useSubmit } from "../parts/submit.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.deleteSeveral;
const namesAtMost = 12;
/** The number of concurrent requests. */
const atOnce = 6;

interface Props {
  readonly control: Control;
  readonly sandboxes: readonly ListedSandbox[];
  readonly close: () => void;
  readonly deleted: () => void;
}

export function DeleteSeveralDialog({ control, sandboxes, close, deleted }: Props) {
  const [done, setDone] = useState(0);
  const form = useSubmit(async () => {
    const waiting = [...sandboxes];
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        await control.remove(next.id).catch(alreadyGone);
        forgetViewToken(next.id);
        setDone((count) => count + 1);
      }
    };
    try {
      await Promise.all(Array.from({ length: atOnce }, work));
    } finally {
      deleted();
    }
    close();
  }, []);
  return (
    <FormDialog
      title={texts.title(sandboxes.length)}
      close={close}
      form={form}
      action={texts.remove(sandboxes.length)}
      doing={texts.removing(done, sandboxes.length)}
      cancelLabel={texts.cancel}
    >
      <p>{texts.means}</p>
      <ul class="bulk-names">
        {sandboxes.slice(0, namesAtMost).map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
        {sandboxes.length > namesAtMost && <li class="muted">{texts.more(sandboxes.length - namesAtMost)}</li>}
      </ul>
    </FormDialog>
  );
}

/** Another client may have deleted it. */
function alreadyGone(error: unknown): void {
  if (!(error instanceof ControlFailure) || ![404, 410].includes(error.status)) throw error;
}
