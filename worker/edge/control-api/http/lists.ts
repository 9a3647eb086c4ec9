// Pages, sorts and filters the lists that a handler returns as a whole, which all have a bound. A route declares it with `list`.
import * as z from "zod";
import { listEntries } from "../../../../shared/contract/hosted/list.ts";
import { invalidField } from "../body.ts";

/** A list of a route's answer. */
export interface ListFacts {
  /** The field of the answer that has the entries. */
  readonly items: string;
  /** The fields of an entry that identify it. */
  readonly id: readonly string[];
  readonly sort: readonly string[];
  readonly filter: readonly string[];
}

type Entry = Readonly<Record<string, unknown>>;

interface ListQuery extends Readonly<Record<string, unknown>> {
  readonly limit?: number;
  readonly cursor?: string;
  readonly sort?: string;
}

/** The place where a page ends: the last entry, and its position, which counts if the entry is gone. */
const place = z.tuple([z.string(), z.int().min(0), z.string()]);

/** Returns the page of a complete answer. Other representations than JSON are returned as they are. */
export async function paged(facts: ListFacts, query: ListQuery, answer: Response): Promise<Response> {
  const isJson = answer.ok && /^application\/json\b/.test(answer.headers.get("content-type") ?? "");
  if (!isJson) return answer;
  // The route's schema has the list.
  const body = await answer.json<Record<string, readonly Entry[]>>();
  const { limit = listEntries, cursor, sort = "" } = query;
  const filtered = (body[facts.items] ?? []).filter((entry) =>
    facts.filter.every((field) => query[field] === undefined || textOf(entry[field]) === query[field]),
  );
  const entries = sort === "" ? filtered : filtered.toSorted(orderOf(sort));
  const from = cursor === undefined ? 0 : startOf(cursor, sort, entries, facts);
  const page = entries.slice(from, from + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && from + limit < entries.length;
  const next = hasMore ? { nextCursor: encodePlace([sort, from + limit, keyOf(last, facts)]) } : {};
  return Response.json({ ...body, [facts.items]: page, ...next });
}

/** Compares by a field; the sort is stable, so equal entries keep their order. */
function orderOf(sort: string): (a: Entry, b: Entry) => number {
  const isDescending = sort.startsWith("-");
  const field = isDescending ? sort.slice(1) : sort;
  const compare = (a: Entry, b: Entry) => {
    const [left, right] = [a[field], b[field]];
    if (typeof left === "number" && typeof right === "number") return left - right;
    return textOf(left) < textOf(right) ? -1 : textOf(left) > textOf(right) ? 1 : 0;
  };
  return isDescending ? (a, b) => compare(b, a) : compare;
}

function startOf(cursor: string, sort: string, entries: readonly Entry[], facts: ListFacts): number {
  const [before, position, key] = decodePlace(cursor);
  if (before !== sort) throw invalidField("cursor", "is of a list with another sort");
  const at = entries.findIndex((entry) => keyOf(entry, facts) === key);
  return at < 0 ? position : at + 1;
}

function keyOf(entry: Entry, { id }: ListFacts): string {
  return id.map((field) => textOf(entry[field])).join(" ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function encodePlace(value: z.output<typeof place>): string {
  return btoa(encodeURIComponent(JSON.stringify(value))).replaceAll("=", "");
}

function decodePlace(cursor: string): z.output<typeof place> {
  try {
    return place.parse(JSON.parse(decodeURIComponent(atob(cursor))));
  } catch {
    throw invalidField("cursor", "is not a cursor");
  }
}
