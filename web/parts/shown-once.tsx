// What was just made and is shown this once, to be copied or saved: in a dialog.
import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy-button.tsx";

interface Props {
  /** What it is, and until when. */
  readonly children: ComponentChildren;
  readonly text: string;
  /** The name under which it is saved where copying is not allowed. */
  readonly file: string;
  readonly words: Readonly<Record<"copy" | "done", string>>;
  readonly close: () => void;
}

export function ShownOnce({ children, text, file, words, close }: Props) {
  return (
    <div class="made">
      <p>{children}</p>
      <div class="pair">
        <code>{text}</code>
        <CopyButton label={words.copy} text={() => text} file={file} />
      </div>
      <footer>
        <button type="button" class="primary" onClick={close}>
          {words.done}
        </button>
      </footer>
    </div>
  );
}
