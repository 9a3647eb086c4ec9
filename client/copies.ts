// The operator's copies of everything that a service stores, for backups and restores.
import type { Ask } from "./ask.ts";
import { type Requests, requestsOf } from "./requests.ts";
import type * as T from "./types.ts";

const path = "/v1/admin/copy";

export class ServiceCopies {
  readonly #ask: Ask;
  readonly #api: Requests;

  constructor(ask: Ask) {
    this.#ask = ask;
    this.#api = requestsOf(ask);
  }

  /** Lists the tables of each database with their rows. */
  copyFacts(): Promise<T.CopyFacts> {
    return this.#api.get(path);
  }

  /** Returns the first rows of all tables at one moment, or a page of one table. */
  copyRows(query: T.CopyRowsQuery): Promise<T.CopiedTables> {
    return this.#api.get(`${path}/rows`, { ...query });
  }

  restoreRows(rows: T.RestoreRows): Promise<T.RestoredRows> {
    return this.#api.post(`${path}/rows`, rows);
  }

  /** Lists the files, a page at a time. */
  copyFiles(cursor?: string): Promise<T.CopiedFiles> {
    return this.#api.get(`${path}/files`, { cursor });
  }

  async copyFile(key: string): Promise<Uint8Array<ArrayBuffer>> {
    const answer = await this.#ask(`${path}/file`, { query: { key } });
    return new Uint8Array(await answer.arrayBuffer());
  }

  async restoreFile(key: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#ask(`${path}/file`, { method: "PUT", query: { key }, body: bytes, type: "application/octet-stream" });
  }

  /** Returns a page of the tables of an object. */
  copyObject(query: T.CopyObjectQuery): Promise<T.CopiedObject> {
    return this.#api.get(`${path}/objects`, { ...query });
  }

  /** Stores a page of complete lines. The last page opens the object. */
  async restoreObject(query: T.CopyObjectQuery, lines: string): Promise<T.RestoredObject> {
    const question = { method: "POST", query: { ...query }, body: lines, type: "application/x-ndjson" } as const;
    // The answer follows the contract.
    return (await (await this.#ask(`${path}/objects`, question)).json()) as T.RestoredObject;
  }
}
