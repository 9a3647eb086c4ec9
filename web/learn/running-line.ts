// A line that runs in the learner's terminal: its output in entries of bounded size, as plain text.
import { recordingLimits } from "../../shared/base/lesson-limits.ts";
import type { RecordCommands } from "../../shared/contract/hosted/teaching.ts";

type Command = RecordCommands["commands"][number];

/** Stands for output that is left out. */
const gap = "[…]\n";
/** The entries of a line that are taken at once. */
const entriesAtOnce = 2;
const escape = "\u001b";
const clearScreen = "\u001b[2J";
/** The characters of an unfinished escape sequence that wait for its end. */
const unfinishedCharacters = 64;

interface Taking {
  readonly isEnd: boolean;
  /** Undefined while the line runs. */
  readonly exitCode: number | undefined;
}

export class RunningLine {
  readonly #line: string;
  readonly #number: number;
  readonly #nowMs: () => number;
  readonly #startedMs: number;
  #output = "";
  #sentCharacters = 0;
  #isFirst = true;
  #isCut = false;

  constructor(line: string, number: number, nowMs: () => number) {
    this.#line = line.slice(0, recordingLimits.lineCharacters);
    this.#number = number;
    this.#nowMs = nowMs;
    this.#startedMs = nowMs();
  }

  /** Adds output. Returns false if it is not sent before the line ends, because the line has had its share. */
  write(text: string): boolean {
    this.#output += text;
    const most = 2 * recordingLimits.lineOutputCharacters;
    if (this.#output.length > most) {
      this.#output = this.#output.slice(-recordingLimits.lineOutputCharacters);
      this.#isCut = true;
    }
    return this.hasOutput;
  }

  /** True if there is something to send while the line runs. */
  get hasOutput(): boolean {
    return this.#isFirst || (this.#output !== "" && this.#room(false) > gap.length);
  }

  /** Takes the output since the last call as entries. While the line runs, room is left for the end of its output. */
  take({ isEnd, exitCode }: Taking): Omit<Command, "seq">[] {
    const texts = this.#texts(isEnd);
    if (texts.length === 0 && (this.#isFirst || isEnd)) texts.push("");
    const tookMs = Math.min(recordingLimits.tookMs, Math.max(0, Math.round(this.#nowMs() - this.#startedMs)));
    return texts.map((output, at) => {
      const line = this.#isFirst ? this.#line : "";
      this.#isFirst = false;
      const ended = exitCode !== undefined && at === texts.length - 1 ? { exitCode } : {};
      return { at: new Date(this.#startedMs).toISOString(), line, output, tookMs, number: this.#number, ...ended };
    });
  }

  #room(isEnd: boolean): number {
    const reserved = isEnd ? 0 : recordingLimits.outputCharacters;
    return recordingLimits.lineOutputCharacters - this.#sentCharacters - reserved;
  }

  #texts(isEnd: boolean): string[] {
    const room = this.#room(isEnd);
    const most = isEnd ? room : Math.min(room, entriesAtOnce * recordingLimits.outputCharacters);
    if (most <= gap.length) return [];
    const end = isEnd ? this.#output.length : completeLength(this.#output);
    let text = plain(this.#output.slice(0, end));
    this.#output = this.#output.slice(end);
    if (this.#isCut || text.length > most) text = gap + text.slice(-(most - gap.length));
    this.#isCut = false;
    this.#sentCharacters += text.length;
    const texts: string[] = [];
    for (let at = 0; at < text.length; at += recordingLimits.outputCharacters)
      texts.push(text.slice(at, at + recordingLimits.outputCharacters));
    return texts;
  }
}

/** Returns the length of a text without an escape sequence at its end that has not arrived as a whole. */
function completeLength(text: string): number {
  const at = text.lastIndexOf(escape);
  if (at < 0 || text.length - at > unfinishedCharacters) return text.length;
  return /^\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007]*\u0007|[^[\]])/.test(text.slice(at)) ? text.length : at;
}

/** Removes escape sequences and control characters, and what the screen showed before it was cleared. */
function plain(text: string): string {
  const cleared = text.lastIndexOf(clearScreen);
  // ESC [ … letter, ESC ] … BEL, and single escapes.
  const escapes = new RegExp(
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*\u0007|\u001b.|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]`,
    "g",
  );
  return text.slice(cleared < 0 ? 0 : cleared + clearScreen.length).replaceAll(escapes, "");
}
