// Editors on a node: the terminal of the page edits the file, and sends the new text as lines of input.
import { tryBytesOfBase64 } from "../../../../../shared/base/base64.ts";
import { decodeUtf8Leniently } from "../../../../../shared/base/utf8.ts";
import {
  editAbandoned,
  editDone,
  editEnd,
  editRequest,
  mostEditCharacters,
} from "../../../../../shared/shell/remote-edit.ts";
import type { Task } from "../../../../../shared/shell/task.ts";
import { absolute } from "../../files.ts";
import { isTyped, takeLine } from "../../input.ts";
import { notSimulated } from "../../not-simulated.ts";
import { edit } from "../../process.ts";
import type { ProgramCall, Programs } from "../../program.ts";
import { isOnNode } from "./on-node.ts";

export const editorPrograms: Programs = { vi: editFile, vim: editFile, nano: editFile };

function* editFile(call: ProgramCall): Task<number> {
  const { process, shell, input, args, out, err, name } = call;
  if (!isOnNode(process)) return yield* notSimulated(call);
  const path = args.find((arg) => !/^[-+]/.test(arg));
  if (!isTyped(input) || !input.isTerminal) {
    err(`${name}: Warning: Input is not from a terminal\n`);
    return 1;
  }
  if (path === undefined) {
    err(`${name}: name a file\n`);
    return 1;
  }
  const file = absolute(path, shell.folder);
  if (process.files.isFolder(file)) {
    err(`"${path}" is a directory\n`);
    return 1;
  }
  const text = process.files.get(file)?.text ?? "";
  if (text.length > mostEditCharacters) {
    err(`${name}: files of more than ${mostEditCharacters} characters cannot be edited here\n`);
    return 1;
  }
  out(editRequest({ program: name, path: file, text }));
  let base64 = "";
  let line: string | undefined;
  while ((line = yield* takeLine(process, input)) !== undefined) {
    const word = line.trim();
    if (word === editEnd || word === editAbandoned || base64.length > mostEditCharacters * 2) break;
    base64 += word;
  }
  if (process.paused) return 0;
  out(editDone);
  if (line?.trim() !== editEnd) return line?.trim() === editAbandoned ? 0 : 1;
  const bytes = tryBytesOfBase64(base64);
  const next = bytes && decodeUtf8Leniently(bytes);
  if (next === undefined || next.length > mostEditCharacters) return 1;
  edit(process, { path: file, text: next });
  return 0;
}
