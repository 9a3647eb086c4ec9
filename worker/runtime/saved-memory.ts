// The saved memory of the controllers of a seeded cluster. In other clusters the memory is lost with the process, as upstream's is.
import type { Sql } from "../store/sql.ts";
import { deleteMeta, readMeta, savedMemoryPrefix, writeMeta } from "../store/tables.ts";
import type { RunningController } from "./running-controllers.ts";

/** The maximum characters of one controller's saved memory. A longer one is not saved. */
export const mostSavedCharacters = 500_000;

export class SavedMemory {
  readonly #sql: Sql;
  readonly #controllers: readonly RunningController[];
  /** The saved texts by controller; undefined if there is none. */
  readonly #texts = new Map<string, string | undefined>();

  /** Restores the memory of all controllers that save theirs. */
  constructor(sql: Sql, controllers: Iterable<RunningController>) {
    this.#sql = sql;
    this.#controllers = [...controllers].filter(({ controller }) => controller.memoryFormat !== undefined);
    for (const { controller, memory } of this.#controllers) {
      const text = readMeta(sql, keyOf(controller.name));
      this.#texts.set(controller.name, text);
      if (text !== undefined) controller.memoryFormat?.restore(memory, JSON.parse(text));
    }
  }

  /** Saves the memory that has changed since the last call. */
  save(): void {
    for (const { controller, memory } of this.#controllers) {
      const json = JSON.stringify(controller.memoryFormat?.save(memory)) as string | undefined;
      const text = json !== undefined && json.length <= mostSavedCharacters ? json : undefined;
      if (text === this.#texts.get(controller.name)) continue;
      this.#texts.set(controller.name, text);
      if (text === undefined) deleteMeta(this.#sql, keyOf(controller.name));
      else writeMeta(this.#sql, keyOf(controller.name), text);
    }
  }
}

function keyOf(controller: string): string {
  return savedMemoryPrefix + controller;
}
