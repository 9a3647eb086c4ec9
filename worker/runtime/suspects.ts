// Requests that may have killed a run. The platform ends a run for its CPU or memory without a word, and what it had not yet
// stored is lost: so after such a run requests are tried one at a time, and each try is on disk before it is made.
import type { Sql } from "../store/sql.ts";
import { readMeta, writeMeta } from "../store/tables.ts";

export interface Suspect {
  readonly controller: string;
  readonly namespace: string;
  readonly name: string;
}

const metaKey = "suspects";

export class Suspects {
  readonly #sql: Sql;
  /** Tries that were begun and not ended, by request. */
  readonly #tries: Map<string, number>;

  constructor(sql: Sql) {
    this.#sql = sql;
    // #save wrote it.
    this.#tries = new Map(JSON.parse(readMeta(sql, metaKey) ?? "[]") as [string, number][]);
  }

  get size(): number {
    return this.#tries.size;
  }

  tries(request: Suspect): number {
    return this.#tries.get(keyOf(request)) ?? 0;
  }

  all(): readonly Suspect[] {
    return [...this.#tries.keys()].map((key) => {
      const [controller = "", namespace = "", name = ""] = key.split("\n");
      return { controller, namespace, name };
    });
  }

  set(request: Suspect, tries: number): void {
    this.#tries.set(keyOf(request), tries);
    this.#save();
  }

  clear(request: Suspect): void {
    if (this.#tries.delete(keyOf(request))) this.#save();
  }

  #save(): void {
    writeMeta(this.#sql, metaKey, JSON.stringify([...this.#tries]));
  }
}

function keyOf({ controller, namespace, name }: Suspect): string {
  return `${controller}\n${namespace}\n${name}`;
}
