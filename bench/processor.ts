// The processor time that workerd, and what stands before it, has taken, and the memory it has: on a busy machine they say more than the
// clock on the wall.
import { readdirSync, readFileSync } from "node:fs";

const pageBytes = 4096;
const nanoseconds = 1e-9;

/** Seconds so far of the processes that this one has started, all threads together; NaN where there is no /proc. */
export function processorSeconds(): number {
  return sum(children().flatMap(({ id }) => threadsOf(id).map((thread) => ranSeconds(id, thread))));
}

/** Bytes of memory that workerd has (RSS), or NaN where there is no /proc. */
export function residentBytes(): number {
  const own = children().filter(({ command }) => command === "workerd");
  // After the command: state, parent, and so on to the pages that are in memory.
  return sum(own.map(({ fields }) => Number(fields[21]))) * pageBytes;
}

interface Process {
  readonly id: string;
  readonly command: string;
  /** Of its `stat`, those after the command. */
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
  // A command's name may hold anything.
  const [start, end] = [text.indexOf("("), text.lastIndexOf(")")];
  return end < 0 ? undefined : { id, command: text.slice(start + 1, end), fields: text.slice(end + 2).split(" ") };
}

function threadsOf(id: string): string[] {
  return listed(`/proc/${id}/task`);
}

/** To the nanosecond, where `stat` has hundredths. */
function ranSeconds(id: string, thread: string): number {
  return Number(read(`/proc/${id}/task/${thread}/schedstat`).split(" ")[0]) * nanoseconds;
}

function sum(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((all, one) => all + one, 0);
}

/** Nothing of what has ended meanwhile. */
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
