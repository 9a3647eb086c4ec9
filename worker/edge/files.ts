// The files of snapshots, of templates, and of what sandboxes began with, in the platform's object store: `<tenant>/<id>`.

export interface StoredFile {
  readonly key: string;
  /** When it was put there. */
  readonly storedAtMs: number;
}

export interface Files {
  put(key: string, bytes: Uint8Array): Promise<void>;
  get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Puts something else in the place of a file, unless somebody else did or it is gone. Undefined: it stays. Returns whether it changed. */
  change(key: string, to: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array | undefined>): Promise<boolean>;
  /** Of one that is not there, too. */
  remove(key: string): Promise<void>;
  /** A page in the order of keys, and where the next begins; absent on the last. */
  list(limit: number, cursor?: string): Promise<{ readonly files: readonly StoredFile[]; readonly cursor?: string }>;
}

export function bucketFiles(bucket: R2Bucket): Files {
  return {
    put: async (key, bytes) => {
      await bucket.put(key, bytes);
    },
    get: async (key) => {
      const found = await bucket.get(key);
      return found ? new Uint8Array(await found.arrayBuffer()) : undefined;
    },
    change: async (key, to) => {
      const found = await bucket.get(key);
      const next = found && (await to(new Uint8Array(await found.arrayBuffer())));
      if (!found || !next) return false;
      return (await bucket.put(key, next, { onlyIf: { etagMatches: found.etag } })) !== null;
    },
    remove: async (key) => {
      await bucket.delete(key);
    },
    list: async (limit, cursor) => {
      const found = await bucket.list({ limit, ...(cursor === undefined ? {} : { cursor }) });
      const files = found.objects.map(({ key, uploaded }) => ({ key, storedAtMs: uploaded.getTime() }));
      return { files, ...(found.truncated ? { cursor: found.cursor } : {}) };
    },
  };
}

export function fileKey({ tenantId, id }: { readonly tenantId: string; readonly id: string }): string {
  return `${tenantId}/${id}`;
}

/** `madeOf` of a sandbox with whose beginning a file is kept. */
export const keptBeginning = "kept";
const beginningPrefix = "begin";

/** Where what a sandbox began with is kept for as long as it lives. */
export function beginningKey({ tenantId, id }: { readonly tenantId: string; readonly id: string }): string {
  return fileKey({ tenantId, id: beginningPrefix + id });
}

/** The sandbox, where a file's last name is that of a beginning. */
export function sandboxOfBeginning(name: string): string | undefined {
  return name.startsWith(beginningPrefix) ? name.slice(beginningPrefix.length) : undefined;
}
