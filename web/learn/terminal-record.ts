// The record of the terminals of a learner's page: lines and their output, sent while they run, in small groups and in order.
import { recordingLimits } from "../../shared/base/lesson-limits.ts";
import type { RecordCommands } from "../../shared/contract/hosted/teaching.ts";
import { RunningLine } from "./running-line.ts";

type Command = RecordCommands["commands"][number];

/** The exit code of a line whose terminal was closed, as that of a process that SIGHUP ends. */
const hangUpCode = 129;

export interface TerminalRecord {
  /** Called before a line runs. */
  started(line: string): void;
  /** Receives everything that the terminal shows. */
  write(text: string): void;
  /** Called after each line. */
  ended(line: string, exitCode: number): void;
  /** Ends the record of the terminal and sends the rest. */
  stop(): void;
}

export interface PageRecord {
  newTerminal(): TerminalRecord;
  /** Sends what has not arrived yet while the page closes. A page that the browser keeps for its history may go on. */
  closing(mayGoOn: boolean): void;
}

interface RecordApi {
  record(input: RecordCommands, isClosing: boolean): Promise<void>;
}

/** `page` is the id under which the page numbers its entries. */
export function recordPage(api: RecordApi, page: string, nowMs: () => number): PageRecord {
  const queue = new EntryQueue(api, page);
  let lines = 0;
  return {
    newTerminal: () => {
      let line: RunningLine | undefined;
      const end = (exitCode: number) => {
        if (line) queue.end(line, exitCode);
        line = undefined;
      };
      return {
        started: (text) => {
          lines += 1;
          line = new RunningLine(text, lines, nowMs);
          queue.begin(line);
        },
        write: (text) => {
          if (line?.write(text)) queue.schedule();
        },
        ended: (_, exitCode) => end(Math.min(255, Math.max(0, exitCode))),
        stop: () => end(hangUpCode),
      };
    },
    closing: (mayGoOn) => queue.closing(mayGoOn),
  };
}

/** Sends entries in order, a request at a time, and repeats a failed request. */
class EntryQueue {
  readonly #api: RecordApi;
  readonly #page: string;
  readonly #running = new Set<RunningLine>();
  #waiting: Command[] = [];
  /** The entries of the request that is on its way or is repeated. */
  #group: Command[] = [];
  #seq = 0;
  #failures = 0;
  #isSending = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: RecordApi, page: string) {
    this.#api = api;
    this.#page = page;
  }

  begin(line: RunningLine): void {
    this.#running.add(line);
    this.schedule();
  }

  end(line: RunningLine, exitCode: number): void {
    this.#running.delete(line);
    this.#add(line.take({ isEnd: true, exitCode }));
    this.schedule();
  }

  /** Sends soon, unless a request is on its way: its end schedules the next one. */
  schedule(): void {
    if (this.#isSending) return;
    this.#timer ??= setTimeout(() => void this.#send(), recordingLimits.sendMs * 2 ** this.#failures);
  }

  closing(mayGoOn: boolean): void {
    const taking = mayGoOn ? { isEnd: false, exitCode: undefined } : { isEnd: true, exitCode: hangUpCode };
    for (const line of this.#running) this.#add(line.take(taking));
    if (!mayGoOn) this.#running.clear();
    // An entry that has arrived already is stored once, because it has its number.
    const commands = newestWithin([...this.#group, ...this.#waiting]);
    this.#waiting = [];
    if (commands.length > 0) this.#api.record({ page: this.#page, commands }, true).catch(() => undefined);
  }

  #add(entries: readonly Omit<Command, "seq">[]): void {
    for (const entry of entries) this.#waiting.push({ ...entry, seq: ++this.#seq });
    this.#waiting = this.#waiting.slice(-recordingLimits.waitingCommands);
  }

  async #send(): Promise<void> {
    this.#timer = undefined;
    if (this.#group.length === 0) {
      // Output of running lines is taken as late as possible, so that it is one entry after a pause.
      for (const line of this.#running) this.#add(line.take({ isEnd: false, exitCode: undefined }));
      this.#group = this.#waiting.splice(0, recordingLimits.commandsAtOnce);
    }
    if (this.#group.length === 0) return;
    this.#isSending = true;
    try {
      await this.#api.record({ page: this.#page, commands: this.#group }, false);
      this.#group = [];
      this.#failures = 0;
    } catch {
      this.#failures += 1;
      // The group is given up; the entries after it have a chance.
      if (this.#failures >= recordingLimits.sendAttempts) {
        this.#group = [];
        this.#failures = 0;
      }
    }
    this.#isSending = false;
    const hasMore = this.#group.length > 0 || this.#waiting.length > 0;
    if (hasMore || [...this.#running].some((line) => line.hasOutput)) this.schedule();
  }
}

/** Returns the newest entries that a closing page may send in one request. */
function newestWithin(commands: readonly Command[]): Command[] {
  const encoder = new TextEncoder();
  const newest: Command[] = [];
  let bytes = 0;
  for (const command of commands.toReversed()) {
    bytes += encoder.encode(JSON.stringify(command)).length;
    if (bytes > recordingLimits.closingBytes || newest.length === recordingLimits.commandsAtOnce) break;
    newest.unshift(command);
  }
  return newest;
}
