// The files of a local service's data folder that belong to a backup: secrets, keys, certificates and kubeconfigs.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const names = ["secret", "secret.old", "api-key", "operator-key", "playground", "kubeconfig"];
const certificates = "tls";

export function readLocalFiles(data: string): Map<string, Uint8Array> {
  const tls = join(data, certificates);
  const all = [...names, ...(existsSync(tls) ? readdirSync(tls).map((name) => `${certificates}/${name}`) : [])];
  const existing = all.filter((name) => existsSync(join(data, name)));
  return new Map(existing.map((name) => [name, new Uint8Array(readFileSync(join(data, name)))]));
}

/** Writes the files into a new data folder. Names that no backup has are refused. */
export function writeLocalFiles(data: string, files: ReadonlyMap<string, Uint8Array>): void {
  for (const [name, bytes] of files) {
    if (!names.includes(name) && !/^tls\/[a-z0-9][a-z0-9.-]*$/.test(name))
      throw new Error(`${name} is not a file of a data folder`);
    const path = join(data, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, bytes, { mode: 0o600 });
    chmodSync(path, 0o600);
  }
}
