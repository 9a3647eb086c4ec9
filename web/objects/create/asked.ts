// The text to create objects from; undefined while nobody creates any. Small: the editor comes when it is first needed.
import { signal } from "@preact/signals";
import { texts } from "../../messages/create.ts";

export const createText = signal<string | undefined>(undefined);

/** Characters of a text; what is more is cut by nobody, but refused. */
export const mostCharacters = 1024 * 1024;

/** Joins dropped or uploaded files into one text. Throws if they are too large. */
export async function textOfFiles(files: Iterable<File>): Promise<string> {
  const all = [...files];
  if (all.reduce((sum, { size }) => sum + size, 0) > mostCharacters) throw new Error(texts.tooLarge);
  const parts = await Promise.all(all.map((file) => file.text()));
  return parts.map((text) => text.trim()).join("\n---\n");
}

/** Whether a pasted text is a manifest. */
export function isManifest(text: string): boolean {
  return (
    text.length <= mostCharacters && /^[ \t]{0,40}"?apiVersion"?:/m.test(text) && /^[ \t]{0,40}"?kind"?:/m.test(text)
  );
}
