// Snapshots of etcd, and data folders that were restored from them. A snapshot names a moment of the cluster's history instead of holding
// its objects.

/** The name of the file in a data folder that holds the restored snapshot. It is empty in the folder of the installation. */
export const databasePath = "member/snap/db";

export interface EtcdSnapshot {
  /** The moment on the sandbox's clock. */
  readonly atMs: number;
  readonly hash: string;
  readonly revision: number;
  readonly totalKeys: number;
  readonly totalBytes: number;
}

const head = "snapshot of the etcd of a simulated cluster";

export function snapshotText(snapshot: EtcdSnapshot): string {
  return `${head}\n${JSON.stringify(snapshot)}\n`;
}

/** Returns the snapshot in a file; undefined if the file is none. */
export function readSnapshot(text: string | undefined): EtcdSnapshot | undefined {
  if (!text?.startsWith(`${head}\n`) || text.length > 1_000) return undefined;
  try {
    const { atMs, hash, revision, totalKeys, totalBytes } = JSON.parse(
      text.slice(head.length),
    ) as Partial<EtcdSnapshot>;
    if (typeof atMs !== "number" || typeof hash !== "string" || typeof revision !== "number") return undefined;
    if (typeof totalKeys !== "number" || typeof totalBytes !== "number") return undefined;
    return { atMs, hash, revision, totalKeys, totalBytes };
  } catch {
    return undefined;
  }
}
