// cp, mv, ln and install: files and folders under another path.
import { charge } from "../../../../../shared/shell/meter.ts";
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { assumeFile } from "../../assumptions.ts";
import { absolute, exists, isFolder } from "../../files.ts";
import { edit } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { isBusybox } from "../per-file.ts";

/** A file or folder that gets another path. */
interface Transfer {
  /** The source and the target as the user named them. */
  readonly name: string;
  readonly target: string;
  readonly isFile: boolean;
  /** The absolute path of the source. */
  readonly from: string;
  /** The absolute path of the result. */
  readonly to: string;
  /** Whether the result is placed in the target and not at it. */
  readonly isInside: boolean;
}

export function copy(call: ProgramCall, moves: boolean): number {
  const { rest, flags } = options(call.args);
  const { process, shell } = call;
  const target = rest.at(-1) ?? "";
  // The operands of install and ln may include values of options.
  const isStrict = call.name === "cp" || call.name === "mv";
  let code = 0;
  for (const name of rest.slice(0, -1)) {
    const from = absolute(name, shell.folder);
    charge(process, 1);
    const entry = process.files.get(from);
    const entries = [...(entry ? [[from, entry] as const] : []), ...process.files.below(from)];
    if (entries.length === 0 && !process.knowsFiles) {
      // If the image is not known, it may have the file.
      assumeFile(process, from);
      continue;
    }
    const place = placeOf(call, from, target, isStrict && rest.length > 2);
    // BusyBox leaves the renaming to the kernel, for which a file's own name is no change.
    if (moves && place.to === from && isBusybox(process)) continue;
    const transfer = { name, target, from, isFile: !isFolder(process.files, from), ...place };
    const problem =
      entries.length === 0
        ? `${isBusybox(process) ? "can't" : "cannot"} stat '${name}': No such file or directory`
        : isStrict
          ? complaint(call, transfer, moves)
          : undefined;
    if (problem !== undefined) {
      call.err(`${call.name}: ${problem}\n`);
      code = 1;
      continue;
    }
    for (const [path, { text, mode }] of entries)
      edit(process, { path: place.to + path.slice(from.length), text, mode });
    if (flags.has("v")) call.out(`'${name}' -> '${textOfTarget(transfer)}'\n`);
    if (moves) edit(process, { path: from, text: undefined, removed: true });
  }
  return code;
}

/** If the image is not known, a missing target with a trailing slash is assumed to be a folder of the image. */
function placeOf(
  { process, shell }: ProgramCall,
  from: string,
  target: string,
  needsFolder: boolean,
): Pick<Transfer, "to" | "isInside"> {
  const path = absolute(target, shell.folder);
  const isAssumed = !process.knowsFiles && target.endsWith("/") && !exists(process.files, path);
  const isInside = needsFolder || isAssumed || isFolder(process.files, path);
  return { isInside, to: isInside ? absolute(from.slice(from.lastIndexOf("/") + 1), path) : path };
}

/** Returns why a transfer is refused, in the words of BusyBox or of GNU. */
function complaint(call: ProgramCall, transfer: Transfer, moves: boolean): string | undefined {
  const { name, isFile, target, from, to, isInside } = transfer;
  const targetText = textOfTarget(transfer);
  const isRenamed = moves && isBusybox(call.process);
  if (isRenamed && to.startsWith(`${from}/`)) return `can't rename '${name}': Invalid argument`;
  if (from === to) return `'${name}' and '${targetText}' are the same file`;
  if (to.startsWith(`${from}/`))
    return moves
      ? `cannot move '${name}' to a subdirectory of itself, '${targetText}'`
      : `cannot copy a directory, '${name}', into itself, '${targetText}'`;
  const problem = whyNotPlaced(call, transfer);
  if (problem === undefined) return undefined;
  if (isBusybox(call.process)) {
    if (isRenamed) return `can't rename '${name}': ${problem}`;
    return `can't create ${isFile ? "" : "directory "}'${targetText}': ${problem}`;
  }
  if (isInside) return `target '${target}': ${problem}`;
  if (moves) return `cannot move '${name}' to '${targetText}': ${problem}`;
  return `cannot create ${isFile ? "regular file" : "directory"} '${targetText}': ${problem}`;
}

/** Returns why nothing can be placed at a path: the folder above is missing, or the name of a file ends with a slash. */
function whyNotPlaced({ process: { files, knowsFiles } }: ProgramCall, transfer: Transfer): string | undefined {
  const { isFile, target, to, isInside } = transfer;
  const folder = to.slice(0, to.lastIndexOf("/")) || "/";
  if (!exists(files, folder)) return knowsFiles ? "No such file or directory" : undefined;
  const isMisnamed = isFile && target.endsWith("/") && !isInside;
  return isMisnamed || !isFolder(files, folder) ? "Not a directory" : undefined;
}

function textOfTarget({ target, to, isInside }: Transfer): string {
  return isInside ? `${trimmedEnd(target, "/")}${to.slice(to.lastIndexOf("/"))}` : target;
}
