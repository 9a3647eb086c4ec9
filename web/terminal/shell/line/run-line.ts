// Runs a line that was typed.
import { parseScript } from "../../../../shared/shell/language/parse.ts";
import { newMetered } from "../../../../shared/shell/meter.ts";
import { runToEnd } from "../host.ts";
import type { Shell } from "../shell.ts";
import { type Reader, type Sink, writerTo } from "../streams.ts";

export interface LineStreams {
  readonly input: Reader;
  readonly out: Sink;
  readonly err: Sink;
  readonly signal: AbortSignal;
}

/** Runs a line to its end. The shell continues afterwards, also after `exit`. */
export async function runLine(shell: Shell, line: string, { input, out, err, signal }: LineStreams): Promise<number> {
  const { process, machine } = shell;
  const { meter } = process;
  const { depth, bytes } = meter;
  process.signal = signal;
  Object.assign(shell, { input, out: writerTo(out), err: writerTo(err), flow: undefined });
  await runToEnd(shell, shell.runText(shell, line));
  // A command that ended with an error has no result.
  if (meter.depth > depth) Object.assign(meter, { depth, bytes });
  // `exit`, and a failure after `set -e`, would close a terminal.
  if (shell.flow?.kind === "exit") shell.stopsOnFailure = false;
  Object.assign(shell, { flow: undefined, loops: 0, calls: 0, sources: 0, speaker: undefined, isCondition: false });
  machine.kubectl.surroundings.files.folder = shell.folder;
  return shell.exitCode;
}

const mostBytes = 16 * 1024 * 1024;
const mostDepth = 1000;
const mostWork = 1_000_000;

/** Whether more lines belong to the text. */
export function isUnfinished(text: string): boolean {
  if (/\\$/.test(text) && !/\\\\$/.test(text)) return true;
  try {
    return parseScript(text, newMetered(mostWork, mostBytes, mostDepth), { dialect: "bash", isStrict: true }).isOpen;
  } catch {
    return false;
  }
}
