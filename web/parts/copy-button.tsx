// A button that puts a text on the clipboard, and saves it as a file where the browser does not allow that.
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control.ts";

interface Props {
  readonly label: string;
  readonly text: () => Promise<string> | string;
  /** The name of the file, if it comes to that. */
  readonly file: string;
  readonly class?: string;
}

const shownMs = 2500;

export function CopyButton({ label, text, file, class: className = "" }: Props) {
  const [said, say] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => say(""), said ? shownMs : 0);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      const value = await text();
      say((await toClipboard(value)) ? "Copied" : download(value, file));
    } catch (error) {
      say(messageOf(error));
    }
  };
  return (
    <button type="button" class={className} onClick={() => void copy()}>
      <span aria-live="polite">{said || label}</span>
    </button>
  );
}

function download(text: string, file: string): string {
  const url = URL.createObjectURL(new Blob([text], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), shownMs);
  return "Saved as a file";
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
