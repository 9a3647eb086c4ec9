// What a terminal keeps in the browser: files, history, the folder and the namespace, by sandbox, bounded.
import { type Files, memoryFiles } from "../kubectl/files.ts";
import { keptPrefix } from "./forget.ts";
import { home } from "./shell/shell.ts";
import { texts as all } from "../messages/terminal.ts";

const texts = all.storage;

/** Characters of all files of one terminal, their names among them. */
const maxCharacters = 1024 * 1024;
const maxFiles = 300;

interface Kept {
  files: Readonly<Record<string, string>>;
  history: readonly string[];
  namespace: string;
  savedMs: number;
}

export interface Store {
  readonly files: Files;
  readonly history: readonly string[];
  /** "" where none was chosen. */
  readonly namespace: string;
  keepHistory(lines: readonly string[]): void;
  keepNamespace(namespace: string): void;
}

/** `storage`: undefined where the browser gives none (a frame without storage, a private window): then nothing outlives the page. */
export function openStore(key: string | undefined, storage: Storage | undefined, nowMs: () => number): Store {
  const place = key === undefined ? undefined : keptPrefix + key;
  const before = place === undefined ? undefined : read(storage, place);
  const kept: Kept = before ?? { files: { [`${home}/`]: "", "/tmp/": "" }, history: [], namespace: "", savedMs: 0 };
  const save = () => {
    if (place === undefined || !storage) return;
    kept.savedMs = nowMs();
    write(storage, place, JSON.stringify(kept));
  };
  const changed = (files: Readonly<Record<string, string>>) => {
    // What stands in /dev and /tmp does not outlive the page.
    kept.files = Object.fromEntries(
      Object.entries(files).filter(([path]) => !path.startsWith("/dev/") && !/^\/tmp\/./.test(path)),
    );
    save();
  };
  return {
    files: memoryFiles(kept.files, home, changed, { maxBytes: maxCharacters, maxFiles }),
    history: kept.history,
    namespace: kept.namespace,
    keepHistory: (lines) => {
      kept.history = [...lines];
      save();
    },
    keepNamespace: (namespace) => {
      if (kept.namespace === namespace) return;
      kept.namespace = namespace;
      save();
    },
  };
}

function read(storage: Storage | undefined, place: string): Kept | undefined {
  try {
    const text = storage?.getItem(place);
    // Written below.
    return text ? (JSON.parse(text) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

/** Where the browser has no more room, terminals that were not used for the longest time make it. */
function write(storage: Storage, place: string, text: string): void {
  for (;;) {
    try {
      storage.setItem(place, text);
      return;
    } catch {
      const oldest = others(storage, place)[0];
      if (oldest === undefined) throw new Error(texts.writeNoSpace);
      storage.removeItem(oldest);
    }
  }
}

function others(storage: Storage, place: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  return keys
    .filter((key) => key.startsWith(keptPrefix) && key !== place)
    .map((key) => ({ key, savedMs: read(storage, key)?.savedMs ?? 0 }))
    .sort((a, b) => a.savedMs - b.savedMs)
    .map(({ key }) => key);
}

/** The browser's own; asking for it may be refused. */
export function browserStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
