// Files that a container's shell opens for its commands.
import { deviceText } from "./programs/machine/devices.ts";
import { limits } from "../../../shared/base/limits.ts";
import { absolute, exists, isFolder } from "./files.ts";
import { streamOf } from "./outside-input.ts";
import { edit, mountOf } from "./process.ts";
import { type Input, type Shell, type Sink, toChunks } from "./shell.ts";

export function openInput({ process, folder }: Shell, name: string): Input | "missing" | "folder" {
  const path = absolute(name, folder);
  const text = process.files.get(path)?.text ?? deviceText(process, path);
  if (text !== undefined) return { rest: text };
  return isFolder(process.files, path) ? "folder" : "missing";
}

/** Opens a file for output. Returns an error text if it cannot be opened. */
export function openOutput(shell: Shell, name: string, appends: boolean): Sink | string {
  const { process } = shell;
  const path = absolute(name, shell.folder);
  if (path === "/dev/null") return () => undefined;
  // A command's output to the container's log arrives like that of a visitor.
  if (!process.isFirst && streamOf(path)) return (text) => edit(process, { path, text, appends: true });
  if (/^\/(dev\/stdout|proc\/(1|self)\/fd\/1)$/.test(path)) return toChunks(process, "stdout");
  if (/^\/(dev\/stderr|proc\/(1|self)\/fd\/2)$/.test(path)) return toChunks(process, "stderr");
  const problem = whyNotWritable(shell, path);
  if (problem !== undefined) return problem;
  const before = process.files.get(path)?.text;
  if (shell.options.noclobber && !appends && before !== undefined) return "File exists";
  if (!appends || before === undefined) edit(process, { path, text: "" });
  return (text) => edit(process, { path, text, appends: true });
}

/** Returns why a path cannot be written, in the words of a shell. */
export function whyNotWritable({ process }: Shell, path: string): string | undefined {
  if (mountOf(process, path)?.readOnly) return "Read-only file system";
  if (path.length > limits.pathBytes) return "File name too long";
  if (isFolder(process.files, path)) return "Is a directory";
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  // If the image is not known, its folders are not known either.
  return process.knowsFiles && !exists(process.files, folder) ? "nonexistent directory" : undefined;
}
