// A button that copies a text to the clipboard, or saves it as a file if the browser does not allow that.
import { messageOf } from "../api/control-failure.ts";
import { useNotice } from "./notice.ts";
import { saveFile } from "./save-file.ts";
import { texts as all } from "../messages/components.ts";

const texts = all.copyButton;

interface Props {
  readonly label: string;
  readonly text: () => Promise<string> | string;
  /** The name of the file in that case. */
  readonly file: string;
  readonly class?: string;
  /** The name of the item for screen readers, if there are several buttons. */
  readonly about?: string;
}

export function CopyButton({ label, text, file, class: className = "", about }: Props) {
  const [notice, say] = useNotice();
  const copy = async () => {
    try {
      const value = await text();
      say((await toClipboard(value)) ? texts.copied : saveFile(value, file));
    } catch (error) {
      say(messageOf(error));
    }
  };
  return (
    <button type="button" class={className} onClick={() => void copy()}>
      <span aria-live="polite">{notice || label}</span>
      {about && <span class="unseen"> {about}</span>}
    </button>
  );
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
