// The stored state of a terminal by sandbox: files, history, folder and namespace, bounded.
import { type Files, memoryFiles } from "../kubectl/files.ts";
import { keptPrefix } from "./forget.ts";
import { home } from "./shell/shell.ts";
import { texts as all } from "../messages/terminal.ts";

const texts = all.storage;

/** The maximum number of characters of all files of a terminal, including their names. */
const maxCharacters = 1024 * 1024;
const maxFiles = 1000;

interface Kept {
  files: Readonly<Record<string, string>>;
  history: readonly string[];
  namespace: string;
  savedMs: number;
}

export interface Store {
  readonly files: Files;
  readonly history: readonly string[];
  /** The selected namespace, or empty. */
  readonly namespace: string;
  keepHistory(lines: readonly string[]): void;
  keepNamespace(namespace: string): void;
}

/** Opens a store. Without `storage` (a frame without storage, a private window), the state ends with the page. */
export function openStore(key: string | undefined, storage: Storage | undefined, nowMs: () => number): Store {
  const place = key === undefined ? undefined : keptPrefix + key;
  const before = place === undefined ? undefined : read(storage, place);
  const state: Kept = before ?? { files: { [`${home}/`]: "", "/tmp/": "" }, history: [], namespace: "", savedMs: 0 };
  const save = () => {
    if (place === undefined || !storage) return;
    state.savedMs = nowMs();
    write(storage, place, JSON.stringify(state));
  };
  const changed = (files: Readonly<Record<string, string>>) => {
    // Files in /dev and /tmp end with the page.
    state.files = Object.fromEntries(
      Object.entries(files).filter(([path]) => !path.startsWith("/dev/") && !/^\/tmp\/./.test(path)),
    );
    save();
  };
  return {
    files: memoryFiles(state.files, home, changed, { maxBytes: maxCharacters, maxFiles }),
    history: state.history,
    namespace: state.namespace,
    keepHistory: (lines) => {
      state.history = [...lines];
      save();
    },
    keepNamespace: (namespace) => {
      if (state.namespace === namespace) return;
      state.namespace = namespace;
      save();
    },
  };
}

function read(storage: Storage | undefined, place: string): Kept | undefined {
  try {
    const text = storage?.getItem(place);
    // Written by the code below.
    return text ? (JSON.parse(text) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the state. If the browser's storage is full, the least recently used terminals are removed. */
function write(storage: Storage, place: string, text: string): void {
  for (;;) {
    try {
      storage.setItem(place, text);
      return;
    } catch {
      const oldest = otherPlaces(storage, place)[0];
      if (oldest === undefined) throw new Error(texts.storageFull);
      storage.removeItem(oldest);
    }
  }
}

function otherPlaces(storage: Storage, place: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  return keys
    .filter((key) => key.startsWith(keptPrefix) && key !== place)
    .map((key) => ({ key, savedMs: read(storage, key)?.savedMs ?? 0 }))
    .sort((a, b) => a.savedMs - b.savedMs)
    .map(({ key }) => key);
}

/** Returns the browser's storage, to which access may be refused. */
export function browserStorage(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}
