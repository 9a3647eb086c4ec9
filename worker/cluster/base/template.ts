// A version of the fresh cluster's base as it stands in code: read once per process, and shared by all clusters as far as they are equal.
import { must } from "../../../shared/base/assert.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { BaseEntry } from "../../store/base.ts";
import { freezeAlways } from "../../store/freeze.ts";
import { keyText } from "../../store/index-by-owner.ts";
import { compareText } from "../../store/range.ts";

/**
 * The places that differ from cluster to cluster: uids (the last digits are the object's revision), times, and certificates. A time is that
 * of the cluster's creation or a second after it. Each value is as long as its placeholder, except certificates.
 */
const holes = /(00000000-0000-4000-8000-[0-9]{12}|2026-01-01(?:T00:00:[0-9]{2}(?:\.000000)?Z)?|\$[a-zA-Z]+CA\$)/;
const uidPrefix = "00000000-0000-4000-8000-";

export type Hole =
  | { readonly what: "uid"; readonly revision: number }
  | { readonly what: "date" }
  /** So many seconds after it. */
  | { readonly what: "time" | "microTime"; readonly seconds: number }
  | { readonly what: "certificate"; readonly name: string };

/** Returns the value of a hole. */
export type Values = (hole: Hole) => string;

interface Line {
  readonly entry: BaseEntry;
  /** Texts and holes in turn. */
  readonly owners: readonly string[];
  readonly json: string;
}

export class Template {
  readonly #lines: readonly Line[];
  readonly #revisions = new Map<string, number>();
  readonly #byResource = new Map<string, readonly number[]>();
  /** Made on first use. */
  readonly #objects: (KubeObject | undefined)[] = [];
  readonly #parts: (readonly string[] | undefined)[] = [];
  /** Objects and lists within them that have holes. */
  readonly #open = new WeakSet<object>();

  /** Each line is `resource namespace name owners indexValue json`, `-` for what is empty, in the order of the revisions. */
  constructor(lines: readonly string[]) {
    this.#lines = lines.map(parseLine);
    const byResource = new Map<string, BaseEntry[]>();
    for (const { entry } of this.#lines) {
      this.#revisions.set(keyText(entry), entry.revision);
      const list = byResource.get(entry.resource) ?? [];
      byResource.set(entry.resource, list);
      list.push(entry);
    }
    for (const [resource, entries] of byResource) {
      entries.sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name));
      this.#byResource.set(
        resource,
        entries.map(({ revision }) => revision),
      );
    }
  }

  get revision(): number {
    return this.#lines.length;
  }

  /** The revision of what stands under a `keyText`. */
  find(key: string): number | undefined {
    return this.#revisions.get(key);
  }

  /** The revisions of a resource's objects, in the order of their keys. */
  list(resource: string): readonly number[] {
    return this.#byResource.get(resource) ?? [];
  }

  /** With the number of characters that it has when it is filled. */
  entry(revision: number, values: Values): BaseEntry {
    const { entry, json } = this.#line(revision);
    if (!json.includes("CA$")) return entry;
    return { ...entry, characters: this.text(revision, values).length };
  }

  owners(revision: number, values: Values): readonly string[] {
    return this.#line(revision).owners.map((owner) => fillText(owner, values));
  }

  text(revision: number, values: Values): string {
    const pieces = (this.#parts[revision] ??= this.#line(revision).json.split(holes));
    return pieces.map((piece, at) => (at % 2 ? JSON.stringify(values(holeOf(piece))).slice(1, -1) : piece)).join("");
  }

  /** Returns an object. One without holes is shared by all clusters. */
  object(revision: number, values: Values): KubeObject {
    const object = (this.#objects[revision] ??= this.#read(this.#line(revision).json));
    // A filled object is an object still.
    return this.#fillValue(object, values) as KubeObject;
  }

  #line(revision: number): Line {
    return must(this.#lines[revision - 1], "a revision of the base");
  }

  #read(json: string): KubeObject {
    // It was recorded from an object.
    const object = JSON.parse(json) as KubeObject;
    this.#mark(object);
    return freezeAlways(object);
  }

  /** Whether something in it is to be filled. */
  #mark(value: unknown): boolean {
    if (typeof value === "string") return holes.test(value);
    if (typeof value !== "object" || value === null) return false;
    let isOpen = false;
    for (const [key, inner] of Object.entries(value)) if (this.#mark(inner) || holes.test(key)) isOpen = true;
    if (isOpen) this.#open.add(value);
    return isOpen;
  }

  #fillValue(value: unknown, values: Values): unknown {
    if (typeof value === "string") return fillText(value, values);
    if (typeof value !== "object" || value === null || !this.#open.has(value)) return value;
    if (Array.isArray(value)) return Object.freeze(value.map((inner) => this.#fillValue(inner, values)));
    const entries = Object.entries(value).map(([key, inner]) => [
      fillText(key, values),
      this.#fillValue(inner, values),
    ]);
    return Object.freeze(Object.fromEntries(entries));
  }
}

function fillText(text: string, values: Values): string {
  if (!holes.test(text)) return text;
  return text
    .split(holes)
    .map((piece, at) => (at % 2 ? values(holeOf(piece)) : piece))
    .join("");
}

function holeOf(text: string): Hole {
  if (text.startsWith("$")) return { what: "certificate", name: text.slice(1, -1) };
  if (text.startsWith(uidPrefix)) return { what: "uid", revision: Number(text.slice(uidPrefix.length)) };
  if (text.length === "2026-01-01".length) return { what: "date" };
  const seconds = Number(text.slice("2026-01-01T00:00:".length, "2026-01-01T00:00:00".length));
  return { what: text.includes(".") ? "microTime" : "time", seconds };
}

function parseLine(line: string, at: number): Line {
  const words: string[] = [];
  let from = 0;
  for (let word = 0; word < 5; word++) {
    const to = line.indexOf(" ", from);
    const text = line.slice(from, to);
    words.push(text === "-" ? "" : text);
    from = to + 1;
  }
  const [resource = "", namespace = "", name = "", owners = "", indexValue = ""] = words;
  const json = line.slice(from);
  return {
    entry: { resource, namespace, name, indexValue, revision: at + 1, characters: json.length },
    owners: owners === "" ? [] : owners.split(","),
    json,
  };
}
