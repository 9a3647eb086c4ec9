// An import that arrives in batches, because it is longer than a call between edge and object. The objects are stored as they arrive, and
// written to the cluster in turns when all have arrived.
import { limits } from "../../../shared/base/limits.ts";
import type { ImportedObjects } from "../../../shared/contract/cluster-object.ts";
import type { ManifestPiece } from "../../../shared/schema/yaml/pieces/piece.ts";
import type { Registry } from "../../registry/registry.ts";
import { type ReceivedObject, ReceivedObjects } from "../../store/received-objects.ts";
import type { Sql } from "../../store/sql.ts";
import { importObjects } from "./import.ts";
import { givenOf } from "./imported-object.ts";
import { objectsOfPiece } from "./pieces.ts";

export interface ReceivedImportOptions {
  readonly sql: Sql;
  /** Runs a turn and charges it to the sandbox. */
  measure<T>(body: () => T): T;
  /** Lets other sandboxes have their turns. */
  pause(): Promise<void>;
}

export class ReceivedImport {
  readonly #options: ReceivedImportOptions;
  readonly #received: ReceivedObjects;
  #steps: Generator<void, ImportedObjects, void> | undefined;

  constructor(options: ReceivedImportOptions) {
    this.#options = options;
    this.#received = new ReceivedObjects(options.sql);
  }

  /** Stores a batch. Throws `ManifestError` if a piece cannot be parsed. */
  async receive(pieces: readonly ManifestPiece[]): Promise<void> {
    const { measure, pause } = this.#options;
    for (let at = 0; at < pieces.length; ) {
      at = measure(() => this.#store(pieces, at));
      await pause();
    }
  }

  /** Begins to write the stored objects. */
  begin(registry: Registry): void {
    const received = this.#received;
    this.#steps = importObjects(registry, {
      uids: received.uids(),
      all: function* () {
        // `receive` wrote the texts.
        for (const text of received.texts()) yield givenOf(JSON.parse(text));
      },
    });
  }

  /** Writes some objects. Returns the result when all are written. */
  async continue(): Promise<ImportedObjects | undefined> {
    const { measure, pause } = this.#options;
    for (let written = 0; written < limits.importedPerCall; written += limits.importedPerTurn) {
      const result = measure(() => this.#write());
      if (result) return result;
      await pause();
    }
    return undefined;
  }

  /** Stores the pieces from a position that fit into one turn, and returns the next position. */
  #store(pieces: readonly ManifestPiece[], from: number): number {
    const objects: ReceivedObject[] = [];
    let at = from;
    for (let characters = 0; characters < limits.importReadCharacters; at++) {
      const piece = pieces[at];
      if (!piece) break;
      characters += piece.text.length;
      objects.push(...objectsOfPiece(piece));
    }
    this.#received.add(objects);
    return at;
  }

  #write(): ImportedObjects | undefined {
    const steps = this.#steps;
    if (!steps) throw new Error("no import has begun");
    for (let at = 0; at < limits.importedPerTurn; at++) {
      const { done, value } = steps.next();
      if (!done) continue;
      this.#received.remove();
      this.#steps = undefined;
      return value;
    }
    return undefined;
  }
}
