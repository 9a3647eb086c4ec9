// What a command may do between two turns of the page.
import type { ShellProcess } from "../../../shared/shell/evaluate/shell.ts";
import { type Meter, newMetered } from "../../../shared/shell/meter.ts";

/** About a second in which the page answers nothing. */
const turnWork = 2_000_000;
const mostBytes = 128 * 1024 * 1024;
const mostDepth = 1000;

/** The payer of a line, of a pipeline's stage or of a job, which its signal ends. */
export class TerminalProcess implements ShellProcess {
  readonly meter: Meter = newMetered(turnWork, mostBytes, mostDepth).meter;
  version = 0;
  signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  get paused(): boolean {
    return this.signal.aborted;
  }

  /** Work that is spent ends a command by its error alone. */
  set paused(_: boolean) {
    this.version++;
  }
}

/** Gives the process another turn's work. */
export function renew({ meter }: Pick<TerminalProcess, "meter">): void {
  meter.work = turnWork;
}
