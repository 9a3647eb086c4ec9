// The end of a dialog's form: the error, the cancel button, and the submit button.
import { Alert } from "./alert.tsx";
import { texts as all } from "../messages/components.ts";

const texts = all.formEnd;

interface Props {
  /** The error that belongs to no field, or empty. */
  readonly failure: string;
  readonly close: () => void;
  readonly busy: boolean;
  /** The label of the submit button, and the label while it is busy. */
  readonly action: string;
  readonly doing: string;
  /** The label of the cancel button in a dangerous dialog, where it has the focus. */
  readonly cancelLabel?: string;
}

export function FormEnd({ failure, close, busy, action, doing, cancelLabel: keep }: Props) {
  return (
    <>
      <Alert text={failure} />
      <footer>
        <button type="button" autoFocus={keep !== undefined} onClick={close}>
          {keep ?? texts.cancel}
        </button>
        <button type="submit" class={keep === undefined ? "primary" : "primary danger"} disabled={busy}>
          {busy ? doing : action}
        </button>
      </footer>
    </>
  );
}
