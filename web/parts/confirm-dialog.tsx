// A dialog that confirms an irreversible action, with its consequences and the line that does the same.
import type { ComponentChildren } from "preact";
import { CommandLine } from "./command-line.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { useSubmit } from "./submit.ts";
import { texts as all } from "../messages/components.ts";

const texts = all.confirmDialog;

interface Props {
  readonly title: string;
  readonly action: string;
  readonly doing: string;
  readonly line: string;
  /** The dialog closes when it is done. */
  readonly run: () => Promise<unknown>;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

export function ConfirmDialog({ title, action, doing, line, run, close, children }: Props) {
  const form = useSubmit(async () => {
    await run();
    close();
  }, []);
  return (
    <FormDialog title={title} close={close} form={form} action={action} doing={doing} cancelLabel={texts.cancel}>
      <div>{children}</div>
      <CommandLine line={line} />
    </FormDialog>
  );
}
