// agnhost mounttest: prints facts of files and of their mounts, and creates files.
import { finished, type Task } from "../../../../shared/shell/task.ts";
import { absolute, isFolder } from "../../shell/files.ts";
import { edit, mountOf } from "../../shell/process.ts";
import { sleep } from "../../shell/system-call.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { whyNotWritable } from "../../shell/redirect.ts";
import { flagsOf } from "./flags.ts";

const newText = "mount-tester new file\n";
const retryMs = 2000;
const missing = "no such file or directory";

export function* mounttest(call: ProgramCall): Task<number> {
  const flags = flagsOf(call.args, ["break_on_expected_content"]);
  const steps: [string, (path: string) => boolean | Task<boolean>][] = [
    [
      "fs_type",
      (path) =>
        printFact(call, path, "statfs", (fullPath) => `mount type of ${quotePath(path)}: ${typeOf(call, fullPath)}\n`),
    ],
    ...[0o644, 0o666, 0o660, 0o777].map((mode): [string, (path: string) => boolean] => [
      `new_file_0${mode.toString(8)}`,
      (path) => writeFile(call, path, mode),
    ]),
    [
      "file_mode",
      (path) =>
        printFact(call, path, "Stat", (fullPath) => `mode of file ${quotePath(path)}: ${modeOf(call, fullPath)}\n`),
    ],
    [
      "file_perm",
      (path) =>
        printFact(
          call,
          path,
          "Stat",
          (fullPath) => `perms of file ${quotePath(path)}: -${permissions(call, fullPath)}\n`,
        ),
    ],
    ["file_owner", (path) => printOwner(call, path)],
    ["file_content", (path) => printContent(call, path)],
    ["file_content_in_loop", (path) => watchContent(call, path, flags)],
  ];
  let isWell = true;
  for (const [name, step] of steps) {
    const path = flags.text(name);
    if (path === "" || call.process.paused) continue;
    charge(call.process, 1);
    isWell = (yield* finished(step(path))) && isWell;
  }
  return isWell ? 0 : 1;
}

function quotePath(path: string): string {
  return JSON.stringify(path);
}

function pathOf({ shell }: ProgramCall, path: string): string {
  return absolute(path, shell.folder);
}

/** Prints a fact of an existing file. */
function printFact(call: ProgramCall, path: string, what: string, text: (fullPath: string) => string): boolean {
  const fullPath = pathOf(call, path);
  if (!call.process.files.exists(fullPath)) {
    call.out(`error from ${what}(${quotePath(path)}): ${what === "Stat" ? `stat ${path}: ` : ""}${missing}\n`);
    return false;
  }
  call.out(text(fullPath));
  return true;
}

/** Returns the type of a file system. Upstream prints other types than tmpfs as numbers. */
function typeOf({ process }: ProgramCall, path: string): string {
  const type = mountOf(process, path)?.type ?? "overlay";
  return type === "tmpfs" ? type : String(type === "ext4" ? 0xef53 : 0x794c7630);
}

const letters = ["---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"];

function permissions({ process: { files } }: ProgramCall, path: string): string {
  const mode = files.get(path)?.mode ?? 0o755;
  return [6, 3, 0].map((shift) => letters[(mode >> shift) & 7] ?? "").join("");
}

/** Formats a file's mode as Go does: types and special bits first. */
function modeOf(call: ProgramCall, path: string): string {
  const { files } = call.process;
  const mode = files.get(path)?.mode ?? 0o755;
  const kinds = [
    isFolder(files, path) ? "d" : "",
    mode & 0o4000 ? "u" : "",
    mode & 0o2000 ? "g" : "",
    mode & 0o1000 ? "t" : "",
  ];
  return `${kinds.join("") || "-"}${permissions(call, path)}`;
}

function printOwner(call: ProgramCall, path: string): boolean {
  return printFact(call, path, "stat", (fullPath) => {
    const { uid = 0, gid = 0 } = call.process.files.get(fullPath) ?? {};
    return `owner UID of ${quotePath(path)}: ${uid}\nowner GID of ${quotePath(path)}: ${gid}\n`;
  });
}

function writeFile(call: ProgramCall, path: string, mode: number): boolean {
  const fullPath = pathOf(call, path);
  const problem = whyNotWritable(call.shell, fullPath);
  if (problem !== undefined) {
    const why = problem === "nonexistent directory" ? missing : problem.toLowerCase();
    call.out(`error writing new file ${quotePath(path)}: open ${path}: ${why}\n`);
    return false;
  }
  edit(call.process, { path: fullPath, text: newText, mode });
  return printContent(call, path);
}

function printContent(call: ProgramCall, path: string): boolean {
  const text = call.process.files.get(pathOf(call, path))?.text;
  if (text === undefined) call.out(`error reading file content for ${quotePath(path)}: open ${path}: ${missing}\n`);
  else call.out(`content of file ${quotePath(path)}: ${text}\n`);
  return text !== undefined;
}

function* watchContent(call: ProgramCall, path: string, flags: ReturnType<typeof flagsOf>): Task<boolean> {
  const { process, out } = call;
  const endMs = process.clockMs + flags.number("retry_time", 180) * 1000;
  let isWell = true;
  while (process.clockMs < endMs && !process.paused) {
    charge(process, 1);
    const text = process.files.get(pathOf(call, path))?.text;
    isWell = text !== undefined;
    if (text === undefined) out(`Error reading file ${path}: open ${path}: ${missing}, retrying\n`);
    else {
      out(`content of file ${quotePath(path)}: ${text}\n`);
      if (flags.is("break_on_expected_content", true)) {
        if (text === newText) break;
        out(`Unexpected content. Expected: ${newText}. Retrying\n`);
      }
    }
    yield* sleep(process, retryMs);
  }
  return isWell;
}
