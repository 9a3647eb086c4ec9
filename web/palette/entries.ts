// The entries of the command palette and the search among them. Imports no page.
import { signal } from "@preact/signals";

export interface Entry {
  /** The id, unique among all entries. Recent entries are remembered by it. */
  readonly id: string;
  readonly group: string;
  readonly label: string;
  /** The namespace of an object, or another text beside the label. */
  readonly detail?: string;
  /** The kind of an object. */
  readonly kind?: string;
  /** The kubectl line that does the same. */
  readonly line?: string;
  run(): void;
}

/** A source offers entries while it is registered. `load` requests those that are not loaded yet. */
export interface Source {
  entries(): readonly Entry[];
  load?(signal: AbortSignal): void;
}

export const sources = signal<readonly Source[]>([]);

/** Registers a source. Returns a function that removes it. */
export function offer(source: Source): () => void {
  sources.value = [...sources.value, source];
  return () => {
    sources.value = sources.value.filter((registered) => registered !== source);
  };
}

const mostRecent = 8;
const recentIds = signal<readonly string[]>([]);

export function noteRecent({ id }: Entry): void {
  recentIds.value = [id, ...recentIds.value.filter((recentId) => recentId !== id)].slice(0, mostRecent);
}

/** The maximum number of entries shown. */
const mostFound = 60;

/** Returns the entries that contain every word of the query, best first. Without a query, the recent ones come first. */
export function matching(all: readonly Entry[], query: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = all.flatMap((entry, at) => {
    const score = scoreOf(entry, words);
    return score === undefined ? [] : [{ entry, at, score }];
  });
  return scored
    .sort((left, right) => left.score - right.score || left.at - right.at)
    .slice(0, mostFound)
    .map(({ entry }) => entry);
}

/** Returns a score, lower is better, or undefined if a word is missing. */
function scoreOf({ id, label, detail = "", kind = "", line = "", group }: Entry, words: readonly string[]) {
  const recent = recentIds.value.indexOf(id);
  if (words.length === 0) return recent < 0 ? mostRecent : recent;
  const name = label.toLowerCase();
  const rest = `${detail} ${kind} ${group} ${line}`.toLowerCase();
  let score = recent < 0 ? 0 : -1;
  for (const word of words) {
    if (name === word) score += 0;
    else if (name.startsWith(word)) score += 1;
    else if (new RegExp(`[^a-z0-9]${word.replaceAll(/[^a-z0-9]/g, "\\$&")}`).test(name)) score += 2;
    else if (name.includes(word)) score += 3;
    else if (rest.includes(word)) score += 5;
    else return undefined;
  }
  return score;
}
