// Opens the dialog that creates objects from YAML.
import { useEffect } from "preact/hooks";
import { messageOf } from "../../api/control-failure.ts";
import { texts } from "../../messages/create.ts";
import { onDemand } from "../../parts/on-demand.tsx";
import { showOutput } from "../command-output.tsx";
import { createText, isManifest, textOfFiles } from "./create-text.ts";

const CreateDialog = onDemand(async () => (await import("./create-dialog.tsx")).CreateDialog);

/** Opens the dialog that creates objects: from its button, from dropped files, and from a manifest pasted onto the page. */
export function CreateObjects() {
  useEffect(() => {
    const isFree = () => document.querySelector("dialog[open]") === null;
    const drag = (event: DragEvent) => {
      if (isFree() && event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      const files = event.dataTransfer?.files;
      if (event.defaultPrevented || !isFree() || !files || files.length === 0) return;
      event.preventDefault();
      textOfFiles(files).then(
        (text) => void (createText.value = text),
        (error: unknown) => showOutput(texts.title, messageOf(error)),
      );
    };
    const paste = (event: ClipboardEvent) => {
      const isWritten =
        event.target instanceof Element && event.target.closest("input, textarea, select, .xterm, .cm-editor, dialog");
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!isWritten && isFree() && isManifest(text)) createText.value = text;
    };
    const stop = new AbortController();
    addEventListener("dragover", drag, { signal: stop.signal });
    addEventListener("drop", drop, { signal: stop.signal });
    addEventListener("paste", paste, { signal: stop.signal });
    return () => stop.abort();
  }, []);
  return createText.value === undefined ? null : <CreateDialog text={createText.value} />;
}
