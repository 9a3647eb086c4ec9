// The versions of stored data that a Worker reads. They are written into the message of its version, so that a rollback is refused to a
// Worker that cannot open what a later one has stored.
import { stateVersion } from "../../shared/state/format.ts";
import { newestVersion } from "../../worker/cluster/base/fresh-base.ts";
import { migrations } from "../../worker/store/tables.ts";
import { tenantMigrations } from "../../worker/tenant/tables.ts";

export type StoredVersions = Readonly<Record<string, number>>;

/** The versions of this checkout. Migrations of D1 only add, so an earlier Worker works with a later database. */
export const storedVersions: StoredVersions = {
  sandbox: migrations.length,
  tenant: tenantMigrations.length,
  base: newestVersion,
  state: stateVersion,
};

const prefix = "stored data: ";

/** Returns the message of a version: `Sandbar 0.1.0; stored data: sandbox 9, tenant 6`. */
export function messageOf(service: string, versions: StoredVersions): string {
  const numbers = Object.entries(versions).map(([name, number]) => `${name} ${number}`);
  return `Sandbar ${service}; ${prefix}${numbers.join(", ")}`;
}

/** Parses the message of a version. Returns undefined if it names no versions. */
export function versionsIn(message: string): StoredVersions | undefined {
  const at = message.indexOf(prefix);
  if (at < 0) return undefined;
  const pairs = [...message.slice(at + prefix.length).matchAll(/([a-z]{1,20}) (\d{1,6})/g)];
  return pairs.length === 0
    ? undefined
    : Object.fromEntries(pairs.map(([, name = "", number]): [string, number] => [name, Number(number)]));
}

/** Returns the data that `target` cannot read after `current` has run, as sentences. */
export function unreadableBy(target: StoredVersions, current: StoredVersions): string[] {
  return Object.entries(current).flatMap(([name, number]) => {
    const highest = target[name] ?? 0;
    return number > highest ? [`${name}: it reads up to version ${highest}, and version ${number} is stored`] : [];
  });
}
