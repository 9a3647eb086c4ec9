// A text that the browser saves as a file.

import { texts as all } from "../messages/components.ts";

const texts = all.saveFile;

const keptMs = 2500;

/** Returns the message to show. */
export function saveFile(text: string, name: string, type = "application/octet-stream"): string {
  return saveBlob(new Blob([text], { type }), name);
}

/** Returns the message to show. */
export function saveBlob(blob: Blob, name: string): string {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), keptMs);
  return texts.saved;
}
