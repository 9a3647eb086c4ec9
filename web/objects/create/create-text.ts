// The text to create objects from. Undefined while the dialog is closed. This module is small because the editor loads on demand.
import { signal } from "@preact/signals";
import { texts } from "../../messages/create.ts";

export const createText = signal<string | undefined>(undefined);

/** The maximum number of characters. Longer texts are refused, not truncated. */
export const mostCharacters = 1024 * 1024;

/** Joins dropped or uploaded files into one text. Throws if they are too large. */
export async function textOfFiles(files: Iterable<File>): Promise<string> {
  const all = [...files];
  if (all.reduce((sum, { size }) => sum + size, 0) > mostCharacters) throw new Error(texts.tooLarge);
  const contents = await Promise.all(all.map((file) => file.text()));
  return contents.map((text) => text.trim()).join("\n---\n");
}

/** Reports whether a pasted text is a manifest. */
export function isManifest(text: string): boolean {
  return (
    text.length <= mostCharacters && /^[ \t]{0,40}"?apiVersion"?:/m.test(text) && /^[ \t]{0,40}"?kind"?:/m.test(text)
  );
}
