// The work of reads and writes. The store accounts it to the meter of its cluster.
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";

/** The work of writing a small object (from draft to log), of reading a row, and of returning an object from memory. */
const workOf = { write: 300, row: 30, object: 3 } as const;
/** The characters of JSON that are written or parsed in one unit of work. */
const charactersPerWork = { write: 50, parse: 500 / 3 } as const;

export class Effort {
  readonly #meter: WorkMeter;
  #characters = 0;

  constructor(meter: WorkMeter) {
    this.#meter = meter;
  }

  /** The characters of JSON that were read from or written to SQLite since the store was opened. */
  get characters(): number {
    return this.#characters;
  }

  accountWrite(characters: number): void {
    this.#meter.account(workOf.write + characters / charactersPerWork.write);
    this.#characters += characters;
  }

  accountRead(characters: number): void {
    this.#meter.account(workOf.row + characters / charactersPerWork.parse);
    this.#characters += characters;
  }

  accountLookup(objects = 1): void {
    this.#meter.account(workOf.object * objects);
  }
}
