// The search over the documentation: the index is loaded when the field gets the focus, and searched in the page.
import MiniSearch from "minisearch";
import { texts } from "../messages/docs.ts";

/** A section of a page, as the build writes it into the index. */
interface Entry {
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

interface Index {
  readonly entries: readonly Entry[];
  readonly search: MiniSearch;
}

const shownResults = 12;
const excerptCharacters = 140;

let loading: Promise<Index> | undefined;

function loadIndex(): Promise<Index> {
  loading ??= readIndex().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function readIndex(): Promise<Index> {
  const answer = await fetch("/docs/search.json");
  if (!answer.ok) throw new Error(answer.statusText);
  // Written by the build of the same version.
  const entries = (await answer.json()) as Entry[];
  const search = new MiniSearch({
    fields: ["heading", "page", "text"],
    searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
  });
  search.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return { entries, search };
}

/** Builds the search field and the list of its results. */
export function addSearch(page: Document): void {
  const place = page.getElementById("search");
  if (!place) return;
  const field = page.createElement("input");
  field.type = "search";
  field.placeholder = texts.searchHint;
  field.setAttribute("aria-label", texts.search);
  field.autocomplete = "off";
  const status = page.createElement("p");
  status.className = "unseen";
  status.setAttribute("role", "status");
  const results = page.createElement("ul");
  results.className = "results";
  results.setAttribute("aria-label", texts.results);
  results.hidden = true;
  place.append(field, status, results);

  const show = async () => {
    const query = field.value.trim();
    results.hidden = query === "";
    if (query === "") return;
    const hits = await loadIndex().then(
      (index) => find(index, query),
      () => undefined,
    );
    // A later query has its own results.
    if (query !== field.value.trim()) return;
    const message = hits ? texts.none(query) : texts.failed;
    status.textContent = hits?.length ? texts.count(hits.length) : message;
    results.replaceChildren(
      ...(hits?.length ? hits.map((hit) => resultOf(page, hit, query)) : [lineOf(page, message)]),
    );
  };
  const close = () => void (results.hidden = true);

  field.addEventListener("focus", () => void loadIndex().catch(() => undefined));
  field.addEventListener("input", () => void show());
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") results.querySelector("a")?.click();
  });
  place.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
      field.focus();
    }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      moveFocus(field, results, event.key === "ArrowDown" ? 1 : -1);
    }
  });
  results.addEventListener("click", close);
  page.addEventListener("click", ({ target }) => {
    if (target instanceof Node && !place.contains(target)) close();
  });
  page.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
}

function find({ entries, search }: Index, query: string): Entry[] {
  return search
    .search(query)
    .slice(0, shownResults)
    .flatMap(({ id }) => entries[Number(id)] ?? []);
}

function moveFocus(field: HTMLInputElement, results: HTMLElement, step: number): void {
  const stops: HTMLElement[] = [field, ...results.querySelectorAll<HTMLElement>("a")];
  const current = stops.findIndex((stop) => stop === field.ownerDocument.activeElement);
  stops[(Math.max(current, 0) + step + stops.length) % stops.length]?.focus();
}

function resultOf(page: Document, { url, page: title, heading, text }: Entry, query: string): HTMLLIElement {
  const link = page.createElement("a");
  link.href = url;
  const name = page.createElement("strong");
  name.textContent = heading === title ? title : `${title}: ${heading}`;
  const excerpt = page.createElement("span");
  excerpt.textContent = excerptOf(text, query);
  link.append(name, excerpt);
  const line = page.createElement("li");
  line.append(link);
  return line;
}

function lineOf(page: Document, text: string): HTMLLIElement {
  const line = page.createElement("li");
  line.textContent = text;
  return line;
}

/** Returns the text around the first word of the query. */
function excerptOf(text: string, query: string): string {
  const word = query.split(/\s+/)[0]?.toLowerCase() ?? "";
  const start = Math.max(0, text.toLowerCase().indexOf(word) - excerptCharacters / 3);
  const excerpt = text.slice(start, start + excerptCharacters);
  return `${start > 0 ? "…" : ""}${excerpt}${start + excerptCharacters < text.length ? "…" : ""}`;
}
