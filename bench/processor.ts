// The processor time that workerd, and what stands before it, has taken, and the memory it has: on a busy machine they say more than the
// clock on the wall.
import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = 100;
const pageBytes = 4096;

/** Seconds so far, or NaN where there is no /proc. */
export function processorSeconds(): number {
  // After the command: state, parent, ..., user and system time.
  return sumOf(undefined, 11, 12) / ticksPerSecond;
}

/** Bytes of memory that workerd has (RSS), or NaN where there is no /proc. */
export function residentBytes(): number {
  return sumOf(["workerd"], 21) * pageBytes;
}

/** Of the processes that this one has started, or of those with these commands. */
function sumOf(commands: readonly string[] | undefined, ...fields: readonly number[]): number {
  try {
    const stats = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((one) => one?.fields[1] === String(process.pid) && (commands?.includes(one.command) ?? true));
    return stats.reduce((sum, one) => sum + fields.reduce((all, field) => all + Number(one?.fields[field]), 0), 0);
  } catch {
    return Number.NaN;
  }
}

/** The name of a process's command, which may hold anything, and the fields that come after it. */
function statOf(id: string): { readonly command: string; readonly fields: readonly string[] } | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, "utf8");
    const [start, end] = [text.indexOf("("), text.lastIndexOf(")")];
    return { command: text.slice(start + 1, end), fields: text.slice(end + 2).split(" ") };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
