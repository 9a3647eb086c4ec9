// How objects were encrypted in etcd when they were written. An object keeps that form until it is written again, so the form follows from
// its resource version and from the configurations of the API servers that have run.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { type EncryptedResources, writtenPrefix } from "../../containers/node/encryption-config.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";

const key = "encryption";
/** The maximum number of configurations that are stored; the oldest are dropped. */
const mostEpochs = 50;

/** The configuration of all writes after a revision. */
interface Epoch {
  readonly after: number;
  readonly entries: readonly EncryptedResources[];
}

type Resource = Pick<Kind, "group" | "plural">;

export class Encryption {
  readonly #sql: Sql;
  #epochs: readonly Epoch[] | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Records the configuration of an API server that has started, if it differs from the last one. */
  begin(entries: readonly EncryptedResources[], revision: number): void {
    const epochs = this.#read();
    const before = epochs.at(-1)?.entries ?? [];
    if (JSON.stringify(before) === JSON.stringify(entries)) return;
    this.#epochs = [...epochs, { after: revision, entries }].slice(-mostEpochs);
    writeMeta(this.#sql, key, JSON.stringify(this.#epochs));
  }

  prefixOf(kind: Resource, { metadata }: KubeObject): string {
    const epochs = this.#read();
    if (epochs.length === 0) return "";
    const revision = Number(metadata.resourceVersion ?? 0);
    const epoch = epochs.findLast(({ after }) => revision > after);
    return epoch ? writtenPrefix(epoch.entries, kind.group, kind.plural) : "";
  }

  isStale(kind: Resource, object: KubeObject): boolean {
    const epochs = this.#read();
    if (epochs.length === 0) return false;
    return writtenPrefix(epochs.at(-1)?.entries ?? [], kind.group, kind.plural) !== this.prefixOf(kind, object);
  }

  #read(): readonly Epoch[] {
    // `begin` wrote it.
    this.#epochs ??= JSON.parse(readMeta(this.#sql, key) ?? "[]") as Epoch[];
    return this.#epochs;
  }
}
