// The record of the learner's terminal: lines with the end of their output, sent in small groups.
import { recordingLimits } from "../../shared/base/lesson-limits.ts";
import type { RecordCommands } from "../../shared/contract/hosted/teaching.ts";

type Command = RecordCommands["commands"][number];

const sendAfterMs = 700;

export interface TerminalRecord {
  /** Receives everything that the terminal shows. */
  write(text: string): void;
  /** Called after each line. */
  ended(line: string, exitCode: number): void;
  stop(): void;
}

interface RecordApi {
  record(input: RecordCommands): Promise<void>;
}

export function recordTerminal(api: RecordApi, nowMs: () => number): TerminalRecord {
  let output = "";
  /** The time at which the line was entered: the first line break after the prompt. */
  let startedMs: number | undefined;
  let waiting: Command[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = () => {
    timer = undefined;
    const commands = waiting.slice(0, recordingLimits.commandsAtOnce);
    waiting = waiting.slice(commands.length);
    // A line that cannot be recorded, such as in a paused lesson, is no failure of the learner's.
    if (commands.length > 0) api.record({ commands }).catch(() => undefined);
    if (waiting.length > 0) timer = setTimeout(send, sendAfterMs);
  };
  return {
    write: (text) => {
      if (startedMs === undefined && text.includes("\n")) startedMs = nowMs();
      output = (output + text).slice(-2 * recordingLimits.outputCharacters);
    },
    ended: (line, exitCode) => {
      const endedMs = nowMs();
      const text = withoutEcho(plain(output)).slice(-recordingLimits.outputCharacters);
      const beganMs = startedMs ?? endedMs;
      output = "";
      startedMs = undefined;
      if (line.trim() === "") return;
      waiting.push({
        at: new Date(beganMs).toISOString(),
        line: line.slice(0, recordingLimits.lineCharacters),
        output: text,
        exitCode: Math.min(255, Math.max(0, exitCode)),
        tookMs: Math.min(recordingLimits.tookMs, Math.max(0, Math.round(endedMs - beganMs))),
      });
      timer ??= setTimeout(send, sendAfterMs);
    },
    stop: () => {
      clearTimeout(timer);
      send();
    },
  };
}

/** Removes the prompt and the line as the terminal shows it while it is typed. */
function withoutEcho(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}

/** Removes escape sequences and carriage returns. */
function plain(text: string): string {
  // ESC [ … letter, ESC ] … BEL, and single escapes.
  const escapes = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007|\u001b.`, "g");
  return text.replaceAll(escapes, "").replaceAll("\r", "");
}
