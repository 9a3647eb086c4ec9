// The files of sandboxes' Durable Objects: Miniflare keeps a folder for each process and class, with a file for each object.
import { createHash, createHmac } from "node:crypto";
import { join } from "node:path";

/** The Worker's name in a process. Miniflare's names of folders, and the ids of objects, follow from it. */
export function workerNameOf(process: number): string {
  return process === 0 ? "sandbar" : `sandbar-${process}`;
}

/** The root of the objects' folders of a process, which no other process opens. */
export function stateFolderOf(data: string, process: number): string {
  return process === 0 ? join(data, "state") : join(data, "state", `process-${process}`);
}

/** The folder in which Miniflare's processes find each other while they run. */
export function registryFolderOf(data: string): string {
  return join(data, "processes");
}

/** The folder with the files of a process's clusters. */
export function clustersFolderOf(data: string, process: number): string {
  return join(stateFolderOf(data, process), "do", `${workerNameOf(process)}-ClusterObject`);
}

/** Returns the id, in hexadecimal, that workerd derives from an object's name (`ActorIdFactoryImpl` in its `server.c++`). */
export function objectIdOf(name: string, process: number): string {
  const key = createHash("sha256")
    .update(`${workerNameOf(process)}-ClusterObject`)
    .digest();
  const sign = (bytes: string | Buffer) => createHmac("sha256", key).update(bytes).digest().subarray(0, 16);
  const signedName = sign(name);
  return Buffer.concat([signedName, sign(signedName)]).toString("hex");
}

/** The endings of SQLite's files of one database. */
export const databaseEndings = [".sqlite", ".sqlite-wal", ".sqlite-shm"];
