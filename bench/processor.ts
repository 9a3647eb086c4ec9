// The processor time that workerd, and what stands before it, has taken, and the memory it has: on a busy machine they say more than the
// clock on the wall.
import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = 100;
const pageBytes = 4096;

/** Seconds so far, or NaN where there is no /proc. */
export function processorSeconds(): number {
  // After the command: state, parent, ..., user and system time.
  return sumOf(11, 12) / ticksPerSecond;
}

/** Bytes of memory that are in use (RSS), or NaN where there is no /proc. */
export function residentBytes(): number {
  return sumOf(21) * pageBytes;
}

/** Of the processes that this one has started. */
function sumOf(...fields: readonly number[]): number {
  try {
    const stats = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((one) => one?.[1] === String(process.pid));
    return stats.reduce((sum, one) => sum + fields.reduce((all, field) => all + Number(one?.[field]), 0), 0);
  } catch {
    return Number.NaN;
  }
}

/** The fields of a process that come after the name of its command, which may hold anything. */
function statOf(id: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
