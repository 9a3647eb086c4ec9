// What of a sandbox is opened: texts by name, of which the address keeps those that are there, so that a link opens the same again.
import { signal } from "@preact/signals";

export type PlaceName = "tab" | "kind" | "ns" | "q" | "sort" | "open" | "pane" | "from" | "to" | "at";

export interface Place {
  /** "" where nothing is said. Whoever reads it in a component is drawn again when it changes. */
  get(name: PlaceName): string;
  /** "" takes a text away. `replace`: the browser's way back does not lead to what was. */
  go(changes: Partial<Record<PlaceName, string>>, how?: "push" | "replace"): void;
  /** The address with these changes, for links. */
  href(changes: Partial<Record<PlaceName, string>>): string;
}

/** Behind the `?` of the page's fragment. */
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

/** Where the fragment is another's: nothing is kept. */
export function memoryPlace(beginning: Partial<Record<PlaceName, string>> = {}): Place {
  let kept = new URLSearchParams(beginning);
  return placeWith({
    read: () => kept,
    write: (query) => {
      kept = query;
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
    href: (wanted) => href(changed(current.value, wanted)),
    go: (wanted, how = "push") => {
      const next = changed(current.value, wanted);
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
  // Nothing but these is misread in a fragment, and people read addresses.
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%2C", ",");
  return text ? `${page || "#/"}?${text}` : page || "#/";
}
