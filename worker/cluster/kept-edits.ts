// What people changed in the files of containers while they ran. Nothing else remembers it, for what runs is worked out anew.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { PersonalEdits } from "../node/options.ts";
import type { Edit } from "../node/shell/files.ts";
import type { Sql } from "../store/sql.ts";
import { deleteMeta, readMeta, writeMeta } from "../store/tables.ts";

/** Of all the texts in one container. */
const mostBytes = 500_000;
const indexKey = "edits";

export class KeptEdits implements PersonalEdits {
  readonly #sql: Sql;
  /** Containers in which something was changed; nearly always none. */
  #keys: Set<string> | undefined;
  readonly #versions = new Map<string, number>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  of({ metadata }: Pod, container: string): readonly Edit[] {
    const key = keyOf(metadata.uid, container);
    const text = this.#known().has(key) ? readMeta(this.#sql, key) : undefined;
    // `keep` wrote it.
    return text === undefined ? [] : (JSON.parse(text) as Edit[]);
  }

  version({ metadata }: Pod): number {
    return this.#versions.get(metadata.uid ?? "") ?? 0;
  }

  /** Adds what is not there yet; whether there was something. What is too much is forgotten, the oldest first. */
  keep(pod: Pod, container: string, edits: readonly Edit[]): boolean {
    const kept = this.of(pod, container);
    const same = new Set(kept.map((one) => JSON.stringify(one)));
    const added = edits.filter((one) => !same.has(JSON.stringify(one)));
    if (added.length === 0) return false;
    const all = [...kept, ...added];
    let bytes = all.reduce((sum, one) => sum + sizeOf(one), 0);
    while (bytes > mostBytes) bytes -= sizeOf(all.shift());
    const { uid = "" } = pod.metadata;
    const key = keyOf(uid, container);
    writeMeta(this.#sql, key, JSON.stringify(all));
    if (!this.#known().has(key)) this.#remember((keys) => keys.add(key));
    this.#versions.set(uid, this.version(pod) + 1);
    return true;
  }

  /** A pod that is gone has no files. */
  forget({ metadata }: Pick<Pod, "metadata">): void {
    const { uid = "" } = metadata;
    this.#versions.delete(uid);
    const gone = [...this.#known()].filter((key) => key.startsWith(keyOf(uid, "")));
    if (gone.length === 0) return;
    for (const key of gone) deleteMeta(this.#sql, key);
    this.#remember((keys) => gone.forEach((key) => keys.delete(key)));
  }

  #known(): Set<string> {
    // `#remember` wrote it.
    this.#keys ??= new Set(JSON.parse(readMeta(this.#sql, indexKey) ?? "[]") as string[]);
    return this.#keys;
  }

  #remember(change: (keys: Set<string>) => void): void {
    const keys = new Set(this.#known());
    change(keys);
    writeMeta(this.#sql, indexKey, JSON.stringify([...keys]));
    this.#keys = keys;
  }
}

function sizeOf(edit: Edit | undefined): number {
  return edit ? edit.path.length + (edit.text?.length ?? 0) + 100 : 0;
}

function keyOf(uid: string | undefined, container: string): string {
  return `edits:${uid ?? ""}/${container}`;
}
