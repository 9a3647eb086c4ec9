// Reads `cases/<file>.yaml`: requests that are sent both to a real API server and to a sandbox's.
//
// A file has `objects`, the objects that its cases send, by name, and `cases`, which run in order in one cluster. A case has these fields:
// - `name: a pod is created`: unique in the file.
// - `POST: /api/v1/namespaces/parity/pods`: the method and the path.
// - `object: pod`: the body, which is one of the objects.
// - `with: { spec.hostPID: true }`: values to set in the object, by path.
// - `without: [spec.containers]`: paths to remove from the object.
// - `body: { ... }`: the body itself, instead of an object. A text is sent unchanged.
// - `type: merge-patch+json`: the content type, after `application/` unless it has a slash. The default is `json`.
// - `accept: yaml`: the accepted type, in the same form. The default is none.
// - `as: jane`: the user to impersonate, or `{ user, groups, uid, extra }`.
// - `token: stranger-token`: a token instead of the administrator's. `none` sends no token.
// - `headers: { ... }`: any other headers.
// - `keep: { token: metadata.continue }`: values of the answer, which later cases write as `{token}` in their path and body.
// - `each: { no name: { metadata.name: "" } }`: one case for each entry, named `name: entry`. The entry holds values to set or fields of a case.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { must } from "../../shared/base/assert.ts";
import { withDifference } from "../kinds/difference.ts";

export interface Case {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: no credentials. */
  readonly token?: string;
  readonly body?: string;
  /** Paths into the answer, by the name that later cases call the value. */
  readonly keep: Readonly<Record<string, string>>;
}

export interface CaseFile {
  readonly name: string;
  readonly cases: readonly Case[];
}

type Changes = Readonly<Record<string, unknown>>;

interface WrittenCase {
  readonly name: string;
  readonly object?: string;
  readonly with?: Changes;
  readonly without?: readonly string[];
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly as?: string | Impersonation;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly keep?: Readonly<Record<string, string>>;
  readonly each?: Readonly<Record<string, Changes>>;
  readonly [method: string]: unknown;
}

interface Impersonation {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
}

interface WrittenFile {
  readonly objects?: Readonly<Record<string, unknown>>;
  readonly cases: readonly WrittenCase[];
}

const folder = join(import.meta.dirname, "cases");
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"];
const fieldsOfCase = new Set(["object", "with", "without", "body", "type", "accept", "as", "token", "headers", "keep"]);

/** The names of all files, sorted. */
export function caseFiles(): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => file.slice(0, -".yaml".length))
    .sort();
}

export function readCases(name: string): CaseFile {
  // Written in this form.
  const { objects = {}, cases } = parse(readFileSync(join(folder, `${name}.yaml`), "utf8")) as WrittenFile;
  return {
    name,
    cases: cases
      .flatMap((writtenCase) => expanded(writtenCase))
      .map((writtenRequest) => caseOf(writtenRequest, objects)),
  };
}

/** Expands a case. An entry whose keys are fields of a case, or a method, overrides those; any other entry is the sent object. */
function expanded({ each, ...base }: WrittenCase): WrittenCase[] {
  if (!each) return [base];
  return Object.entries(each).map(([entry, change]) => {
    const name = `${base.name}: ${entry}`;
    const isCase = Object.keys(change).some((key) => fieldsOfCase.has(key) || methods.includes(key));
    return isCase ? { ...base, ...change, name } : { ...base, name, with: { ...base.with, ...change } };
  });
}

function caseOf(writtenCase: WrittenCase, objects: Readonly<Record<string, unknown>>): Case {
  const method = must(
    methods.find((each) => (writtenCase[each] ?? undefined) !== undefined),
    `a method of ${writtenCase.name}`,
  );
  const body = bodyOf(writtenCase, objects);
  const token = writtenCase.token ?? "admin-token";
  return {
    name: writtenCase.name,
    method,
    path: String(writtenCase[method]),
    headers: {
      ...(body === undefined ? {} : { "content-type": mediaType(writtenCase.type ?? "json") }),
      ...(writtenCase.accept === undefined ? {} : { accept: mediaType(writtenCase.accept) }),
      ...impersonation(writtenCase.as),
      ...writtenCase.headers,
    },
    ...(token === "none" ? {} : { token }),
    ...(body === undefined ? {} : { body }),
    keep: writtenCase.keep ?? {},
  };
}

function bodyOf(writtenCase: WrittenCase, objects: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof writtenCase.object === "string") {
    const object = must(objects[writtenCase.object], `the object ${writtenCase.object}`);
    return JSON.stringify(withDifference(object, { set: writtenCase.with ?? {}, removed: writtenCase.without ?? [] }));
  }
  return writtenCase.body === undefined || typeof writtenCase.body === "string"
    ? writtenCase.body
    : JSON.stringify(writtenCase.body);
}

function mediaType(name: string): string {
  return name.includes("/") ? name : `application/${name}`;
}

function impersonation(as: string | Impersonation | undefined): Record<string, string> {
  if (as === undefined) return {};
  const { user, groups = [], uid } = typeof as === "string" ? { user: as } : as;
  return {
    ...(user === undefined ? {} : { "impersonate-user": user }),
    // A real client sends a header for each; joined like this they are read alike.
    ...(groups.length ? { "impersonate-group": groups.join(", ") } : {}),
    ...(uid === undefined ? {} : { "impersonate-uid": uid }),
  };
}
