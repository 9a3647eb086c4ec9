// The dialog that replaces the administrator's token of a sandbox, after confirmation.
import { useState } from "preact/hooks";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useSubmit } from "../parts/submit.ts";
import { messages } from "../messages.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.rotateDialog;

interface Props {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly close: () => void;
}

export function RotateDialog({ control, sandbox, close }: Props) {
  const [isForAll, setForAll] = useState(false);
  const [isDone, setDone] = useState(false);
  const form = useSubmit(async () => {
    await control.rotate(sandbox.id, { all: isForAll });
    setDone(true);
  }, []);
  if (isDone) {
    return (
      <Dialog title={texts.title(sandbox.name)} close={close}>
        <p role="status">{texts.rotated}</p>
        <footer>
          <CopyButton
            label={messages.sandbox.kubeconfig}
            text={() => control.kubeconfig(sandbox.id)}
            file={`${sandbox.name}.kubeconfig`}
          />
          <button type="button" autoFocus onClick={close}>
            {texts.done}
          </button>
        </footer>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={texts.title(sandbox.name)}
      close={close}
      form={form}
      action={texts.rotate}
      doing={texts.rotating}
      cancelLabel={texts.cancel}
    >
      <p>{texts.means}</p>
      <label class="check">
        <input type="checkbox" checked={isForAll} onChange={(event) => setForAll(event.currentTarget.checked)} />{" "}
        {texts.allTokens}
      </label>
      <CommandLine line={sandbarLine("rotate", sandbox.id, ...(isForAll ? ["--all"] : []))} />
    </FormDialog>
  );
}
