// A button that saves a text as a file.
import { useState } from "preact/hooks";
import { messageOf } from "../api/control-failure.ts";

interface Props {
  readonly label: string;
  readonly text: () => Promise<string> | string;
  /** The file's name. */
  readonly file: string;
  readonly class?: string;
}

const keptMs = 10_000;

export function SaveButton({ label, text, file, class: className = "" }: Props) {
  const [failure, setFailure] = useState("");
  const save = async () => {
    try {
      const url = URL.createObjectURL(new Blob([await text()], { type: "application/octet-stream" }));
      const link = document.createElement("a");
      link.href = url;
      link.download = file;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), keptMs);
      setFailure("");
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <button type="button" class={className} onClick={() => void save()}>
      <span aria-live="polite">{failure || label}</span>
    </button>
  );
}
