// How objects were encrypted in etcd when they were written. An object keeps that form until it is written again, so the form follows from
// its resource version and from the configurations of the API servers that have run.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { encryptedAtRest, type EncryptionKey } from "../../containers/node/encryption-at-rest.ts";
import { type EncryptedResources, encryptionKeyOf } from "../../containers/node/encryption-config.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";

const key = "encryption";
/** The maximum number and characters of the configurations that are stored; the oldest are dropped. */
const mostEpochs = 50;
export const mostEpochCharacters = 500_000;

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
    let next = [...epochs, { after: revision, entries }].slice(-mostEpochs);
    // The newest always remains, because a configuration has at most 100,000 characters.
    while (next.length > 1 && JSON.stringify(next).length > mostEpochCharacters) next = next.slice(1);
    this.#epochs = next;
    writeMeta(this.#sql, key, JSON.stringify(next));
  }

  /** Returns a function that encrypts the value of an object for a key in etcd; undefined if the object is not encrypted. */
  of(kind: Resource, object: KubeObject): ((path: string, value: string) => string) | undefined {
    const encryptionKey = this.#keyOf(kind, object);
    return encryptionKey && ((path, value) => encryptedAtRest(encryptionKey, path, value));
  }

  isStale(kind: Resource, object: KubeObject): boolean {
    const epochs = this.#read();
    if (epochs.length === 0) return false;
    const newest = encryptionKeyOf(epochs.at(-1)?.entries ?? [], kind.group, kind.plural);
    const current = this.#keyOf(kind, object);
    return newest?.provider !== current?.provider || newest?.name !== current?.name;
  }

  #keyOf(kind: Resource, { metadata }: KubeObject): EncryptionKey | undefined {
    const epochs = this.#read();
    if (epochs.length === 0) return undefined;
    const revision = Number(metadata.resourceVersion ?? 0);
    const epoch = epochs.findLast(({ after }) => revision > after);
    return epoch && encryptionKeyOf(epoch.entries, kind.group, kind.plural);
  }

  #read(): readonly Epoch[] {
    // `begin` wrote it.
    this.#epochs ??= JSON.parse(readMeta(this.#sql, key) ?? "[]") as Epoch[];
    return this.#epochs;
  }
}
