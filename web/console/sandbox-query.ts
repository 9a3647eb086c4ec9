// The search and the filters of the list of sandboxes, as the page's address stores them. Independent of the page.
import type { ListedSandbox } from "../../shared/contract/sandbox.ts";

/** The fields by which the list is filtered. `q` has words and labels such as `team=shop`. */
export const filterNames = ["owner", "lesson", "class", "phase"] as const;

export type FilterName = (typeof filterNames)[number];
export type SandboxQuery = Partial<Record<FilterName | "q", string>>;

export function queryOf(address: URLSearchParams): SandboxQuery {
  const entries = ["q", ...filterNames].map((name) => [name, address.get(name) ?? ""] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

/** Formats the query for the page's address: `?owner=ada`, or empty. */
export function textOfQuery(query: SandboxQuery): string {
  const entries = Object.entries(query).filter(([, value]) => value !== "");
  return entries.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(entries))}`;
}

function valueOf(sandbox: ListedSandbox, name: FilterName): string {
  if (name === "lesson") return sandbox.lesson?.name ?? "";
  return name === "class" ? (sandbox.lesson?.class ?? "") : sandbox[name];
}

/** Returns the values among which a filter chooses. */
export function valuesOf(sandboxes: readonly ListedSandbox[], name: FilterName): readonly string[] {
  return [...new Set(sandboxes.map((sandbox) => valueOf(sandbox, name)))].filter(Boolean).sort();
}

export function matchingSandboxes(all: readonly ListedSandbox[], query: SandboxQuery): readonly ListedSandbox[] {
  const filters = filterNames.filter((name) => query[name]);
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (filters.length === 0 && words.length === 0) return all;
  return all.filter((sandbox) => {
    if (!filters.every((name) => valueOf(sandbox, name) === query[name])) return false;
    const labels = Object.entries(sandbox.labels).map(([key, value]) => `${key}=${value}`);
    const { name, id, description, owner, lesson } = sandbox;
    const text = [name, id, description, owner, lesson?.name, lesson?.learner, lesson?.class, ...labels].join("\n");
    return words.every((word) => text.toLowerCase().includes(word));
  });
}
