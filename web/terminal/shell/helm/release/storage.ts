// Stores releases as Secrets of the type `helm.sh/release.v1`, so that every Helm 3 reads them.
import type { Clock } from "../../../../../shared/base/clock.ts";
import type { Client } from "../../../../kubectl/cluster/client.ts";
import { asError, isNotFound, StatusError } from "../../../../kubectl/errors.ts";
import { listAt, stringAt, stringsAt } from "../../../../kubectl/object.ts";
import { decodeRelease, encodeRelease, type Release } from "./release.ts";

const type = "helm.sh/release.v1";
const systemLabels = ["name", "owner", "status", "version", "createdAt", "modifiedAt"];

/** The error of a release that does not exist. */
export class ReleaseNotFound extends Error {
  override name = "ReleaseNotFound";

  constructor() {
    super("release: not found");
  }
}

export interface Storage {
  readonly namespace: string;
  /** Returns the revisions in ascending order. Throws ReleaseNotFound if there are none. */
  history(name: string): Promise<Release[]>;
  get(name: string, revision: number): Promise<Release>;
  /** Returns the newest revision. */
  last(name: string): Promise<Release>;
  /** Returns all revisions of all releases, in all namespaces if the storage's namespace is empty. */
  list(): Promise<Release[]>;
  /** Stores a new revision, and removes the oldest ones beyond `maxHistory`. */
  create(release: Release, maxHistory: number): Promise<void>;
  update(release: Release): Promise<void>;
  delete(release: Release): Promise<void>;
}

function keyOf(name: string, revision: number): string {
  return `sh.helm.release.v1.${name}.v${revision}`;
}

function userLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !systemLabels.includes(key)));
}

async function secretOf(release: Release, times: Readonly<Record<string, string>>) {
  return {
    apiVersion: "v1",
    kind: "Secret",
    type,
    metadata: {
      name: keyOf(release.name, release.version),
      labels: {
        ...times,
        ...release.labels,
        name: release.name,
        owner: "helm",
        status: release.info.status,
        version: String(release.version),
      },
    },
    data: { release: await encodeRelease(release) },
  };
}

export function newStorage(client: Client, namespace: string, clock: Clock): Storage {
  const folder = namespace === "" ? "/api/v1/secrets" : `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const query = async (selector: string): Promise<Release[]> => {
    const list = await client.json(folder, { query: { labelSelector: selector } });
    const releases: Release[] = [];
    for (const secret of listAt(list, "items")) {
      // Secrets that are no releases are skipped, like upstream does.
      const release = await decodeRelease(
        stringAt(secret, "data", "release"),
        userLabels(stringsAt(secret, "metadata", "labels")),
      ).catch(() => undefined);
      if (release) releases.push(release);
    }
    return releases.sort((a, b) => a.version - b.version);
  };
  const seconds = () => String(Math.floor(clock.nowMs() / 1000));
  const storage: Storage = {
    namespace,
    history: async (name) => {
      const releases = await query(`name=${name},owner=helm`);
      if (releases.length === 0) throw new ReleaseNotFound();
      return releases;
    },
    last: async (name) => {
      const release = (await storage.history(name)).at(-1);
      if (!release) throw new ReleaseNotFound();
      return release;
    },
    get: async (name, revision) => {
      const release = (await storage.history(name)).find(({ version }) => version === revision);
      if (!release) throw new ReleaseNotFound();
      return release;
    },
    list: () => query("owner=helm"),
    create: async (release, maxHistory) => {
      if (maxHistory > 0) await removeOldest(storage, release.name, maxHistory - 1);
      const body = await secretOf(release, { createdAt: seconds() });
      try {
        await client.json(folder, { method: "POST", body, query: { fieldManager: "helm" } });
      } catch (error) {
        if (error instanceof StatusError && error.status.reason === "AlreadyExists")
          throw new Error("release: already exists");
        throw new Error(`create: failed to create: ${asError(error).message}`);
      }
    },
    update: async (release) => {
      const body = await secretOf(release, { modifiedAt: seconds() });
      const path = `${folder}/${encodeURIComponent(keyOf(release.name, release.version))}`;
      try {
        await client.json(path, { method: "PUT", body, query: { fieldManager: "helm" } });
      } catch (error) {
        throw new Error(`update: failed to update: ${asError(error).message}`);
      }
    },
    delete: async (release) => {
      const path = `${folder}/${encodeURIComponent(keyOf(release.name, release.version))}`;
      await client.json(path, { method: "DELETE" }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  };
  return storage;
}

/** Keeps the deployed revision, and the newest others. */
async function removeOldest(storage: Storage, name: string, keep: number): Promise<void> {
  const releases = await storage.history(name).catch((error: unknown) => {
    if (error instanceof ReleaseNotFound) return [];
    throw error;
  });
  const deployed = releases.filter(({ info }) => info.status === "deployed").at(-1);
  let excess = releases.length - keep;
  for (const release of releases) {
    if (excess <= 0) return;
    if (release === deployed) continue;
    await storage.delete(release);
    excess--;
  }
}
