// The opened parts of a sandbox's page, as named texts. The address stores them, so that a link opens the same view again.
import { signal } from "@preact/signals";

export type PlaceName = "tab" | "kind" | "ns" | "q" | "sort" | "open" | "pane" | "from" | "to";

export interface Place {
  /** Returns a text, or "" if it is absent. Components that read it render again when it changes. */
  get(name: PlaceName): string;
  /** Changes texts; "" removes one. With `replace`, the browser's history gets no new entry. */
  go(changes: Partial<Record<PlaceName, string>>, how?: "push" | "replace"): void;
  /** Returns the address with these changes, for links. */
  href(changes: Partial<Record<PlaceName, string>>): string;
}

/** A place stored after the `?` of the page's fragment. */
export function addressPlace(): Place {
  return placeWith({
    read: () => queryIn(location.hash),
    write: (query, how) => {
      const address = addressWith(location.hash, query);
      if (how === "push") history.pushState(null, "", address);
      else history.replaceState(null, "", address);
    },
    href: (query) => addressWith(location.hash, query),
    changes: (changed) => {
      addEventListener("hashchange", changed);
      addEventListener("popstate", changed);
    },
  });
}

/** A place stored in memory, for pages that do not own the fragment. */
export function memoryPlace(beginning: Partial<Record<PlaceName, string>> = {}): Place {
  let stored = new URLSearchParams(beginning);
  return placeWith({
    read: () => stored,
    write: (query) => {
      stored = query;
    },
    href: () => "#",
    changes: () => undefined,
  });
}

interface Keeping {
  read(): URLSearchParams;
  write(query: URLSearchParams, how: "push" | "replace"): void;
  href(query: URLSearchParams): string;
  changes(changed: () => void): void;
}

function placeWith({ read, write, href, changes }: Keeping): Place {
  const current = signal(read());
  changes(() => {
    current.value = read();
  });
  return {
    get: (name) => current.value.get(name) ?? "",
    href: (changes) => href(changed(current.value, changes)),
    go: (changes, how = "push") => {
      const next = changed(current.value, changes);
      if (next.toString() === current.value.toString()) return;
      write(next, how);
      current.value = next;
    },
  };
}

function changed(query: URLSearchParams, changes: Partial<Record<PlaceName, string>>): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  return next;
}

function queryIn(hash: string): URLSearchParams {
  const at = hash.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : hash.slice(at + 1));
}

function addressWith(hash: string, query: URLSearchParams): string {
  const [page = ""] = hash.split("?");
  // These characters are safe in a fragment, and unescaped addresses are easier to read.
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text ? `${page || "#/"}?${text}` : page || "#/";
}
