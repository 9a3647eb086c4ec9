// The dialog that confirms the deletion of a sandbox.
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { forgetViewToken } from "../api/own-view.ts";
import { sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useSubmit } from "../parts/submit.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.deleteDialog;

interface Props {
  readonly control: Control;
  readonly sandbox: Sandbox;
  readonly close: () => void;
  readonly deleted: () => void;
}

export function DeleteDialog({ control, sandbox, close, deleted }: Props) {
  const form = useSubmit(async () => {
    await control.remove(sandbox.id);
    forgetViewToken(sandbox.id);
    close();
    deleted();
  }, []);
  return (
    <FormDialog
      title={texts.title(sandbox.name)}
      close={close}
      form={form}
      action={texts.deleteSandbox}
      doing={texts.deleting}
      cancelLabel={texts.cancel}
    >
      <p>{texts.means}</p>
      <CommandLine line={sandbarLine("delete", sandbox.id)} />
    </FormDialog>
  );
}
