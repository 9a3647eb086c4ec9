// agnhost mounttest: tells of files and of what they are mounted on, and makes new ones.
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
    ["fs_type", (path) => told(call, path, "statfs", (one) => `mount type of ${quoted(path)}: ${typeOf(call, one)}\n`)],
    ...[0o644, 0o666, 0o660, 0o777].map((mode): [string, (path: string) => boolean] => [
      `new_file_0${mode.toString(8)}`,
      (path) => written(call, path, mode),
    ]),
    ["file_mode", (path) => told(call, path, "Stat", (one) => `mode of file ${quoted(path)}: ${modeOf(call, one)}\n`)],
    [
      "file_perm",
      (path) => told(call, path, "Stat", (one) => `perms of file ${quoted(path)}: -${permissions(call, one)}\n`),
    ],
    ["file_owner", (path) => owned(call, path)],
    ["file_content", (path) => shown(call, path)],
    ["file_content_in_loop", (path) => looked(call, path, flags)],
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

function quoted(path: string): string {
  return JSON.stringify(path);
}

function pathOf({ shell }: ProgramCall, path: string): string {
  return absolute(path, shell.folder);
}

/** Says something of a file that is there. */
function told(call: ProgramCall, path: string, what: string, text: (whole: string) => string): boolean {
  const whole = pathOf(call, path);
  if (!call.process.files.exists(whole)) {
    call.out(`error from ${what}(${quoted(path)}): ${what === "Stat" ? `stat ${path}: ` : ""}${missing}\n`);
    return false;
  }
  call.out(text(whole));
  return true;
}

/** Upstream tells others than tmpfs by their number. */
function typeOf({ process }: ProgramCall, path: string): string {
  const type = mountOf(process, path)?.type ?? "overlay";
  return type === "tmpfs" ? type : String(type === "ext4" ? 0xef53 : 0x794c7630);
}

const letters = ["---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"];

function permissions({ process: { files } }: ProgramCall, path: string): string {
  const mode = files.get(path)?.mode ?? 0o755;
  return [6, 3, 0].map((shift) => letters[(mode >> shift) & 7] ?? "").join("");
}

/** As Go writes a file's mode: kinds and special bits first. */
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

function owned(call: ProgramCall, path: string): boolean {
  return told(call, path, "stat", (whole) => {
    const { uid = 0, gid = 0 } = call.process.files.get(whole) ?? {};
    return `owner UID of ${quoted(path)}: ${uid}\nowner GID of ${quoted(path)}: ${gid}\n`;
  });
}

function written(call: ProgramCall, path: string, mode: number): boolean {
  const whole = pathOf(call, path);
  const problem = whyNotWritable(call.shell, whole);
  if (problem !== undefined) {
    const why = problem === "nonexistent directory" ? missing : problem.toLowerCase();
    call.out(`error writing new file ${quoted(path)}: open ${path}: ${why}\n`);
    return false;
  }
  edit(call.process, { path: whole, text: newText, mode });
  return shown(call, path);
}

function shown(call: ProgramCall, path: string): boolean {
  const text = call.process.files.get(pathOf(call, path))?.text;
  if (text === undefined) call.out(`error reading file content for ${quoted(path)}: open ${path}: ${missing}\n`);
  else call.out(`content of file ${quoted(path)}: ${text}\n`);
  return text !== undefined;
}

function* looked(call: ProgramCall, path: string, flags: ReturnType<typeof flagsOf>): Task<boolean> {
  const { process, out } = call;
  const endMs = process.clockMs + flags.number("retry_time", 180) * 1000;
  let isWell = true;
  while (process.clockMs < endMs && !process.paused) {
    charge(process, 1);
    const text = process.files.get(pathOf(call, path))?.text;
    isWell = text !== undefined;
    if (text === undefined) out(`Error reading file ${path}: open ${path}: ${missing}, retrying\n`);
    else {
      out(`content of file ${quoted(path)}: ${text}\n`);
      if (flags.is("break_on_expected_content", true)) {
        if (text === newText) break;
        out(`Unexpected content. Expected: ${newText}. Retrying\n`);
      }
    }
    yield* sleep(process, retryMs);
  }
  return isWell;
}
