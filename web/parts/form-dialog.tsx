// A dialog with a form: its fields, the line that does the same, the error, and the buttons.
import type { ComponentChildren } from "preact";
import { Dialog } from "./dialog.tsx";
import { FormEnd } from "./form-end.tsx";
import type { Submit } from "./submit.ts";

interface Props {
  readonly title: string;
  readonly close: () => void;
  readonly form: Pick<Submit, "submit" | "busy" | "failure">;
  /** The label of the submit button, and the label while it is busy. */
  readonly action: string;
  readonly doing: string;
  /** The label of the cancel button in a dangerous dialog. */
  readonly cancelLabel?: string;
  readonly children: ComponentChildren;
}

export function FormDialog({ title, close, form: { submit, busy, failure }, children, ...end }: Props) {
  return (
    <Dialog title={title} close={close}>
      <form noValidate onSubmit={submit}>
        {children}
        <FormEnd failure={failure} close={close} busy={busy} {...end} />
      </form>
    </Dialog>
  );
}
