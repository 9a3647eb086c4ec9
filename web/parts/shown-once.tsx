// A dialog that shows a secret once, to copy or save it.
import type { ComponentChildren } from "preact";
import { CopyButton } from "./copy-button.tsx";

interface Props {
  /** The description of the secret and its expiry. */
  readonly children: ComponentChildren;
  readonly text: string;
  /** The name of the saved file if copying is not allowed. */
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
