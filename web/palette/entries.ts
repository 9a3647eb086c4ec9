// The entries of the command palette, and the search among them. Imports no page.
import { signal } from "@preact/signals";

export interface Entry {
  /** Unique among all; the recent ones are remembered by it. */
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

/** Offers entries as long as it is registered; `load` asks for what is not there yet. */
export interface Source {
  entries(): readonly Entry[];
  load?(signal: AbortSignal): void;
}

export const sources = signal<readonly Source[]>([]);

/** Returns what takes the source away. */
export function offer(source: Source): () => void {
  sources.value = [...sources.value, source];
  return () => {
    sources.value = sources.value.filter((one) => one !== source);
  };
}

const mostRecent = 8;
const recentIds = signal<readonly string[]>([]);

export function noteRecent({ id }: Entry): void {
  recentIds.value = [id, ...recentIds.value.filter((one) => one !== id)].slice(0, mostRecent);
}

/** More are not shown. */
const mostFound = 60;

/** Returns the entries that have every word of the query, the best first; without a query the recent ones lead. */
export function matching(all: readonly Entry[], query: string): readonly Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = all.flatMap((entry, at) => {
    const score = scoreOf(entry, words);
    return score === undefined ? [] : [{ entry, at, score }];
  });
  return scored
    .sort((one, other) => one.score - other.score || one.at - other.at)
    .slice(0, mostFound)
    .map(({ entry }) => entry);
}

/** The lower the better; undefined if a word is not there. */
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
