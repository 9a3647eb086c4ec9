// The files of snapshots, templates and initial states in the platform's object store, under `<tenant>/<id>`.

export interface StoredFile {
  readonly key: string;
  /** The time of the upload. */
  readonly storedAtMs: number;
}

export interface Files {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Replaces a file if it did not change concurrently. An undefined result leaves it unchanged. Returns whether it was replaced. */
  change(key: string, to: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array | undefined>): Promise<boolean>;
  /** Removes a file; a missing file is no error. */
  remove(key: string): Promise<void>;
  /** Lists a page in the order of keys. `cursor` is undefined on the last page. `prefix`: only files whose keys begin with it. */
  list(
    limit: number,
    cursor?: string,
    prefix?: string,
  ): Promise<{ readonly files: readonly StoredFile[]; readonly cursor?: string }>;
}

export function bucketFiles(bucket: R2Bucket): Files {
  return {
    put: async (key, bytes) => {
      await bucket.put(key, bytes);
    },
    get: async (key) => {
      const storedObject = await bucket.get(key);
      return storedObject ? new Uint8Array(await storedObject.arrayBuffer()) : undefined;
    },
    change: async (key, to) => {
      const storedObject = await bucket.get(key);
      const next = storedObject && (await to(new Uint8Array(await storedObject.arrayBuffer())));
      if (!storedObject || !next) return false;
      return (await bucket.put(key, next, { onlyIf: { etagMatches: storedObject.etag } })) !== null;
    },
    remove: async (key) => {
      await bucket.delete(key);
    },
    list: async (limit, cursor, prefix) => {
      const from = cursor === undefined ? {} : { cursor };
      const objectPage = await bucket.list({ limit, ...from, ...(prefix === undefined ? {} : { prefix }) });
      const files = objectPage.objects.map(({ key, uploaded }) => ({ key, storedAtMs: uploaded.getTime() }));
      return { files, ...(objectPage.truncated ? { cursor: objectPage.cursor } : {}) };
    },
  };
}

export function fileKey({ tenantId, id }: { readonly tenantId: string; readonly id: string }): string {
  return `${tenantId}/${id}`;
}

const deletionPrefix = "_deletions/";

/** Returns the key of the report of an organisation's deletion. No organisation's id begins with an underscore. */
export function deletionReportKey(tenantId: string): string {
  return deletionPrefix + tenantId;
}

export function isDeletionReport(key: string): boolean {
  return key.startsWith(deletionPrefix);
}

/** The values of `madeOf` of a sandbox whose initial state is a file: one that was given, or one that was saved after an import. */
export const storedInitialState = "kept";
export const importedInitialState = "import";

export function isInitialStateStored(madeOf: string): boolean {
  return madeOf === storedInitialState || madeOf === importedInitialState;
}

const beginningPrefix = "begin";

/** Returns the key of the initial state, which is stored as long as the sandbox lives. */
export function initialStateKey({ tenantId, id }: { readonly tenantId: string; readonly id: string }): string {
  return fileKey({ tenantId, id: beginningPrefix + id });
}

/** Returns the sandbox if the file is an initial state. */
export function sandboxOfInitialState(name: string): string | undefined {
  return name.startsWith(beginningPrefix) ? name.slice(beginningPrefix.length) : undefined;
}
