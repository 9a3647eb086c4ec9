// rmdir: removes empty folders.
import { options } from "../../../../shared/shell/options.ts";
import { trimmedEnd } from "../../../../shared/base/trim.ts";
import { exists, type Files, isFolder, namesIn } from "../files.ts";
import { edit } from "../process.ts";
import type { ProgramCall } from "../program.ts";
import { each, isBusybox } from "./per-file.ts";

export function removeFolders(call: ProgramCall): number {
  const { process } = call;
  const { flags } = options(call.args);
  return each(call, (firstPath, firstName) => {
    let [path, name] = [firstPath, trimmedEnd(firstName, "/")];
    for (;;) {
      const problem = whyNotRemovable(process.files, path);
      if (problem === notEmpty && flags.has("ignore-fail-on-non-empty")) return undefined;
      if (problem !== undefined) return `${isBusybox(process) ? "" : "failed to remove "}'${name}': ${problem}`;
      edit(process, { path, text: undefined, removed: true });
      // With -p the folders that the name mentions are removed too, the deepest first.
      if (!flags.has("p") || !name.includes("/", 1)) return undefined;
      path = path.slice(0, path.lastIndexOf("/")) || "/";
      name = trimmedEnd(name.slice(0, name.lastIndexOf("/")), "/");
    }
  });
}

const notEmpty = "Directory not empty";

function whyNotRemovable(files: Files, path: string): string | undefined {
  if (!exists(files, path)) return "No such file or directory";
  if (!isFolder(files, path) || files.link(path) !== undefined) return "Not a directory";
  return namesIn(files, path).length > 0 || path === "/" ? notEmpty : undefined;
}
