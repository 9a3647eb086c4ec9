// The dialog that confirms the deletion of several sandboxes, shows how far it is, and names those that could not be deleted.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { forgetViewToken } from "../api/own-view.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useSubmit } from "../parts/submit.ts";
import { texts as all } from "../messages/console.ts";
import { deleteMany, type DeletionProgress, type FailedDeletion } from "./delete-many.ts";

const texts = all.deleteSeveral;
const namesAtMost = 12;

interface Props {
  readonly control: Control;
  readonly sandboxes: readonly ListedSandbox[];
  readonly close: () => void;
  readonly deleted: () => void;
}

export function DeleteSeveralDialog({ control, sandboxes, close, deleted }: Props) {
  const [remaining, setRemaining] = useState(sandboxes);
  const [{ deleted: done, failures }, setProgress] = useState<DeletionProgress>({ deleted: 0, failures: [] });
  const stopping = useRef(new AbortController());
  // A closed dialog sends nothing more.
  useEffect(() => () => stopping.current.abort(), []);
  const remove = async (id: string) => {
    await control.remove(id);
    forgetViewToken(id);
  };
  const form = useSubmit(async () => {
    const { signal } = stopping.current;
    setProgress({ deleted: 0, failures: [] });
    const { remaining: rest } = await deleteMany({ sandboxes: remaining, remove, tell: setProgress, signal });
    deleted();
    if (signal.aborted) return;
    if (rest.length === 0) close();
    else setRemaining(rest);
  }, []);
  return (
    <FormDialog
      title={texts.title(remaining.length)}
      close={close}
      form={form}
      action={texts.remove(remaining.length)}
      doing={texts.removing(done, remaining.length)}
      cancelLabel={form.busy ? texts.stop : texts.cancel}
    >
      {form.busy ? (
        <progress aria-label={texts.progress} max={remaining.length} value={done + failures.length} />
      ) : (
        <p>{texts.means}</p>
      )}
      {failures.length > 0 ? (
        <Failures failures={failures} />
      ) : (
        <ul class="bulk-names">
          {remaining.slice(0, namesAtMost).map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
          {remaining.length > namesAtMost && <li class="muted">{texts.more(remaining.length - namesAtMost)}</li>}
        </ul>
      )}
    </FormDialog>
  );
}

function Failures({ failures }: { readonly failures: readonly FailedDeletion[] }) {
  return (
    <div role="alert">
      <p>{texts.failed(failures.length)}</p>
      <ul class="bulk-failures">
        {failures.slice(0, namesAtMost).map(({ sandbox: { id, name }, message }) => (
          <li key={id}>
            <strong>{name}</strong>: {message}
          </li>
        ))}
        {failures.length > namesAtMost && <li class="muted">{texts.more(failures.length - namesAtMost)}</li>}
      </ul>
    </div>
  );
}
