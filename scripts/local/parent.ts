// Ends the service with the process that started it. A killed parent cannot pass on the signal, and npm does not always do so.
import { readFileSync } from "node:fs";

const checkMs = 1000;
/** npm starts a shell, and in a checkout `scripts/start.cjs` may start another Node. */
const mostAncestors = 4;

/** Calls `end` once, when the parent or npm has ended. Does nothing in a process that neither of them started. */
export function followParent(end: () => void): void {
  // `scripts/local/own-node.cjs` starts this process with a channel, which closes when the parent ends.
  process.once("disconnect", end);
  process.channel?.unref();
  if (!process.env.npm_lifecycle_event) return;
  const chain = ancestors();
  const timer = setInterval(() => {
    if (chain.every(({ pid, parent }) => parentOf(pid) === parent)) return;
    clearInterval(timer);
    end();
  }, checkMs).unref();
}

/** Returns this process and its ancestors below npm. If the system does not report ancestors, returns this process alone. */
function ancestors(): { readonly pid: number; readonly parent: number }[] {
  const chain = [{ pid: process.pid, parent: process.ppid }];
  for (let pid = process.ppid; chain.length < mostAncestors && !isNpm(pid); ) {
    const parent = parentOf(pid);
    if (parent === undefined || parent <= 1) break;
    chain.push({ pid, parent });
    pid = parent;
  }
  return isNpm(chain.at(-1)?.parent ?? 0) ? chain : chain.slice(0, 1);
}

function parentOf(pid: number): number | undefined {
  if (pid === process.pid) return process.ppid;
  // The name is in parentheses, and may itself contain parentheses and blanks.
  const fields = read(pid, "stat")
    ?.replace(/^.*\) /s, "")
    .split(" ");
  return fields?.[1] === undefined ? undefined : Number(fields[1]);
}

function isNpm(pid: number): boolean {
  return read(pid, "comm")?.startsWith("npm ") ?? false;
}

function read(pid: number, file: "comm" | "stat"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}
