// The list of stashed changes, which git keeps as a log of the reference `refs/stash`.
import type { Repository } from "./repository.ts";

export interface Stash {
  readonly oid: string;
  readonly message: string;
}

const logName = "logs/refs/stash";
const noOid = "0".repeat(40);

/** Returns the stashed changes, the newest first. */
export function stashes(repository: Repository): Stash[] {
  const lines = (repository.readState(logName) ?? "").split("\n").filter(Boolean);
  return lines
    .map((line) => ({ oid: line.split(" ")[1] ?? "", message: line.slice(line.indexOf("\t") + 1) }))
    .reverse();
}

export async function writeStashes(repository: Repository, list: readonly Stash[], person: string): Promise<void> {
  const [newest] = list;
  if (!newest) {
    repository.writeState(logName, undefined);
    repository.writeState("refs/stash", undefined);
    return;
  }
  const oldestFirst = [...list].reverse();
  const lines = oldestFirst.map(
    ({ oid, message }, at) => `${oldestFirst[at - 1]?.oid ?? noOid} ${oid} ${person}\t${message}\n`,
  );
  repository.writeState(logName, lines.join(""));
  await repository.setRef("refs/stash", newest.oid);
}
