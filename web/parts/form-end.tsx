// The end of a dialog's form: what went wrong, a way out, and the button that does it.
import { Alert } from "./alert.tsx";
import { texts as all } from "../messages/parts.ts";

const texts = all.formEnd;

interface Props {
  /** What is wrong with no field in particular; empty where nothing is. */
  readonly failure: string;
  readonly close: () => void;
  readonly busy: boolean;
  /** What the button does, and what it says while that is done. */
  readonly action: string;
  readonly doing: string;
  /** What cannot be undone: the way out is called so and has the focus. */
  readonly keep?: string;
}

export function FormEnd({ failure, close, busy, action, doing, keep }: Props) {
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
