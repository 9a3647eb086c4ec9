// A button that puts a text on the clipboard, and saves it as a file where the browser does not allow that.
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control.ts";
import { saveFile } from "./save-file.ts";
import { texts as all } from "../messages/parts.ts";

const texts = all.copyButton;

interface Props {
  readonly label: string;
  readonly text: () => Promise<string> | string;
  /** The name of the file, if it comes to that. */
  readonly file: string;
  readonly class?: string;
  /** Which of several it is, for who hears the page. */
  readonly about?: string;
}

const shownMs = 2500;

export function CopyButton({ label, text, file, class: className = "", about }: Props) {
  const [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => say(""), said ? shownMs : 0);
    return () => clearTimeout(timer);
  }, [said]);
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
      <span aria-live="polite">{said || label}</span>
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
