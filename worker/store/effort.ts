// What reading and writing costs, counted: within a turn the clock stands still, so that nothing else can be measured there.
// A unit is about three microseconds on a machine at rest.

import { workSpent } from "../../shared/k8s/bounds/work.ts";

/** A write of a small object, from the draft to the log; a row that is read back; an object that is at hand. */
const unitsOf = { write: 100, row: 10, object: 1 } as const;
/** Characters of JSON that cost one unit to write, or to parse. */
const charactersOf = { write: 150, parse: 500 } as const;

/** Units of `spend` that one of these is: rules are worked off beside the reads and writes. */
const unitsOfWork = 150;

export class Effort {
  #units = 0;
  #characters = 0;

  /** Since the store was opened. */
  get units(): number {
    return this.#units + workSpent() / unitsOfWork;
  }

  /** Characters of JSON that were read from SQLite or written, since the store was opened. */
  get characters(): number {
    return this.#characters;
  }

  wrote(characters: number): void {
    this.#units += unitsOf.write + characters / charactersOf.write;
    this.#characters += characters;
  }

  read(characters: number): void {
    this.#units += unitsOf.row + characters / charactersOf.parse;
    this.#characters += characters;
  }

  looked(objects = 1): void {
    this.#units += unitsOf.object * objects;
  }
}
