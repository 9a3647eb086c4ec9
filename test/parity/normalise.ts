// Normalizes an answer: uids, times, revisions, generated names, allocated addresses and signatures are removed.

/** The parts of an answer that are compared. */
export interface PlainAnswer {
  readonly code: number;
  /** Headers with unusual values. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON as a value, anything else as its text. */
  readonly body?: unknown;
}

export interface RawAnswer {
  readonly code: number;
  /** By lower-case name; several of one name are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const comparedHeaders = ["content-type", "warning", "retry-after", "location", "allow"];
const uid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
const accessVolume = /\bkube-api-access-[a-z0-9]{5}\b/g;
const serviceAddress = /\b10\.(?:9[6-9]|10\d|11[01])\.\d+\.\d+\b/g;
const revisionInText =
  /(?<=ResourceVersion in record \(|current: |resource version: |resourceVersion\\?"?:\s?\\?")\d+/g;
const age = /^(?:\d+[smhdy])+$/;
/** The Go package in which a server registers its kinds, which differs between builds. */
const scheme = /(?<=in scheme ")[^"]+/g;
/** In these lists the order is that of a server's caches, which is chance. */
const unordered = ["resourceRules", "nonResourceRules"];
const token = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** Normalises the answers of one cluster: a generated value has the same replacement in all of them. */
export class Normaliser {
  readonly #generated = new Map<string, string>();
  readonly #revisions = new Map<string, string[]>();
  #sent = "";

  /** Records what a client sent, because values that the client chose are not replaced. */
  sent(path: string, body: string | undefined): void {
    this.#sent += `${decodeURIComponent(path)}\n${body ?? ""}\n`;
  }

  plain({ code, headers, text }: RawAnswer): PlainAnswer {
    const headerLines = comparedHeaders
      .filter((name) => headers[name] !== undefined && headers[name] !== "application/json")
      .map((name) => [name, this.#text(headers[name] ?? "")] as const);
    const body = bodyOf(text);
    return {
      code,
      ...(headerLines.length ? { headers: Object.fromEntries(headerLines) } : {}),
      ...(text === "" ? {} : { body: this.#value(body, "") }),
    };
  }

  #value(value: unknown, key: string): unknown {
    if (Array.isArray(value)) {
      const items = value.map((member) => this.#value(member, key));
      if (unordered.includes(key) || items.some(isConflict)) {
        return items.sort((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
      }
      return key === "managedFields" ? items.sort(byManager) : items;
    }
    if (typeof value === "number" && key === "nodePort") return this.#isSent(String(value)) ? value : "<port>";
    if (typeof value === "string") return this.#string(value, key);
    if (typeof value !== "object" || value === null) return value;
    const object = value as Readonly<Record<string, unknown>>;
    this.#learn(object);
    // The texts are the project's own.
    if (key === "columnDefinitions") return { ...object, description: "<description>" };
    if (key === "fieldsV1") return JSON.stringify(sorted(object));
    return Object.fromEntries(
      Object.entries(object).map(([name, member]) => [name, this.#field(object, name, member)]),
    );
  }

  #field(object: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
    if (name === "resourceVersion" && typeof value === "string" && value !== "") {
      return typeof object.uid === "string" ? this.#revision(object.uid, value) : "<revision>";
    }
    if (name === "continue" && value !== "") return "<continue>";
    return this.#value(value, name);
  }

  /** Returns the ordinal of the revision among the revisions of its object in earlier answers. */
  #revision(of: string, revision: string): string {
    const knownRevisions = this.#revisions.get(of) ?? [];
    this.#revisions.set(of, knownRevisions);
    if (!knownRevisions.includes(revision)) knownRevisions.push(revision);
    return `<revision ${knownRevisions.indexOf(revision) + 1}>`;
  }

  /** Records a generated name at its first occurrence. */
  #learn({ generateName, name }: Readonly<Record<string, unknown>>): void {
    if (typeof generateName !== "string" || typeof name !== "string" || !name.startsWith(generateName)) return;
    if (!this.#isSent(name)) this.#generated.set(name, `${generateName}<generated>`);
  }

  #string(value: string, key: string): string {
    if (key === "serverAddress") return "<address>";
    if (key === "cells" && age.test(value)) return "<age>";
    return this.#text(value);
  }

  #text(text: string): string {
    let plain = text
      .replaceAll(uid, (match) => (this.#isSent(match) ? match : "<uid>"))
      .replaceAll(time, (match) => (this.#isSent(match) ? match : "<time>"))
      .replaceAll(serviceAddress, (match) => (this.#isSent(match) ? match : "<address>"))
      .replaceAll(revisionInText, "<revision>")
      .replaceAll(scheme, "<scheme>")
      .replaceAll(token, "<token>")
      .replaceAll(accessVolume, "kube-api-access-<generated>");
    for (const [name, general] of this.#generated) plain = plain.replaceAll(name, general);
    return plain;
  }

  #isSent(text: string): boolean {
    return this.#sent.includes(text);
  }
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A cause of a refused apply: those of several managers stand in an order that is chance. */
function isConflict(candidate: unknown): boolean {
  return (
    typeof candidate === "object" &&
    candidate !== null &&
    "reason" in candidate &&
    candidate.reason === "FieldManagerConflict"
  );
}

/** Their order depends on the second in which each wrote. */
function byManager(a: unknown, b: unknown): number {
  const [first, second] = [a, b].map((managedEntry) => {
    const { operation, manager, subresource, apiVersion } = managedEntry as Readonly<Record<string, unknown>>;
    return JSON.stringify([operation, manager, subresource ?? "", apiVersion]);
  });
  return compare(first ?? "", second ?? "");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, sorted(member)] as const)
      .sort(([a], [b]) => compare(a, b)),
  );
}
