// The processor time that workerd has taken: on a busy machine it says more than the clock on the wall.
import { readdirSync, readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** Seconds so far, or NaN where there is no /proc. */
export function processorSeconds(): number {
  try {
    const stats = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((fields) => fields?.[1] === String(process.pid));
    // After the command: state, parent, ..., user and system time.
    return stats.reduce((sum, fields) => sum + Number(fields?.[11]) + Number(fields?.[12]), 0) / ticksPerSecond;
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
