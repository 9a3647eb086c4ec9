// How an editor on a node asks the page's terminal to edit a file. An operating system command in the output has the file, and lines of input
// have the new text.
import { base64OfText, textOfBase64 } from "../base/base64.ts";

const begin = "\u001b]5379;";
const end = "\u0007";
/** The line that follows the text. A single dot would be a line of many editors. */
export const editEnd = "=end=";
/** The line if nothing was saved. */
export const editAbandoned = "=abandoned=";
export const mostEditCharacters = 100_000;
const linePattern = /.{1,512}/g;

export interface EditRequest {
  /** The name of the editor: `vi`, `nano`. */
  readonly program: string;
  readonly path: string;
  readonly text: string;
}

export function editRequest({ program, path, text }: EditRequest): string {
  return `${begin}edit;${program};${base64OfText(path)};${base64OfText(text)}${end}`;
}

/** The mark after which output is shown again. */
export const editDone = `${begin}done${end}`;

/** Returns the lines that answer a request. */
export function editLines(text: string | undefined): string {
  if (text === undefined) return `${editAbandoned}\n`;
  const lines = base64OfText(text).match(linePattern) ?? [];
  return `${[...lines, editEnd].join("\n")}\n`;
}

/** Splits output at the first request. Returns undefined if it has none, and `isOpen` if one has begun and not ended. */
export function takeRequest(
  output: string,
): { readonly before: string; readonly request: EditRequest; readonly after: string } | "open" | undefined {
  const from = output.indexOf(`${begin}edit;`);
  if (from < 0) return undefined;
  const to = output.indexOf(end, from);
  if (to < 0) return "open";
  const [, program = "", path = "", text = ""] = output.slice(from + begin.length, to).split(";");
  const request = { program, path: textOfBase64(path), text: textOfBase64(text) };
  return { before: output.slice(0, from), request, after: output.slice(to + end.length) };
}
