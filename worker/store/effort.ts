// What reading and writing costs: the store accounts it to the meter of its cluster.
import type { WorkMeter } from "../../shared/k8s/bounds/work.ts";

/** Work of writing a small object, from the draft to the log; of a row that is read back; of an object in memory. */
const workOf = { write: 300, row: 30, object: 3 } as const;
/** Characters of JSON that are written, or parsed, in one unit of work. */
const charactersPerWork = { write: 50, parse: 500 / 3 } as const;

export class Effort {
  readonly #meter: WorkMeter;
  #characters = 0;

  constructor(meter: WorkMeter) {
    this.#meter = meter;
  }

  /** Characters of JSON that were read from SQLite or written, since the store was opened. */
  get characters(): number {
    return this.#characters;
  }

  wrote(characters: number): void {
    this.#meter.account(workOf.write + characters / charactersPerWork.write);
    this.#characters += characters;
  }

  read(characters: number): void {
    this.#meter.account(workOf.row + characters / charactersPerWork.parse);
    this.#characters += characters;
  }

  looked(objects = 1): void {
    this.#meter.account(workOf.object * objects);
  }
}
