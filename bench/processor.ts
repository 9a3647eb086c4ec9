// The processor time of workerd and of the local HTTP gate in front of it, which are the only children of the bench, and workerd's resident
// memory. On a busy machine they are more precise than elapsed time.
import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;
const nanoseconds = 1e-9;

/** Returns the seconds of processor time of all child processes so far, all threads together; NaN without /proc. */
export function processorSeconds(): number {
  return sum(children().flatMap(({ id }) => threadsOf(id).map((thread) => ranSeconds(id, thread))));
}

/** Returns workerd's resident memory (RSS) in bytes; NaN without /proc. */
export function residentBytes(): number {
  const workerdProcesses = children().filter(({ command }) => command === "workerd");
  // The fields after the command: state, parent, and so on; this one is the number of resident pages.
  return sum(workerdProcesses.map(({ fields }) => Number(fields[21]))) * pageBytes;
}

interface Process {
  readonly id: string;
  readonly command: string;
  /** The fields of `stat` after the command. */
  readonly fields: readonly string[];
}

function children(): Process[] {
  return listed("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => processOf(id) ?? [])
    .filter(({ fields }) => fields[1] === String(process.pid));
}

function processOf(id: string): Process | undefined {
  const text = read(`/proc/${id}/stat`);
  // A command's name may contain any character.
  const [start, end] = [text.indexOf("("), text.lastIndexOf(")")];
  return end < 0 ? undefined : { id, command: text.slice(start + 1, end), fields: text.slice(end + 2).split(" ") };
}

function threadsOf(id: string): string[] {
  return listed(`/proc/${id}/task`);
}

/** Returns seconds with a precision of nanoseconds, where `stat` has hundredths. */
function ranSeconds(id: string, thread: string): number {
  return Number(read(`/proc/${id}/task/${thread}/schedstat`).split(" ")[0]) * nanoseconds;
}

function sum(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((all, value) => all + value, 0);
}

/** Reads a file; "" if the process has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function listed(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
