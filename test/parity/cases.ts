// The requests that are put to a real API server and to a sandbox's alike, read from `cases/<file>.yaml`.
//
//   objects:                             what the cases of the file send, by name
//     pod: { ... }
//   cases:                               in this order, one cluster for the whole file
//     - name: a pod is created           once in the file
//       POST: /api/v1/namespaces/parity/pods
//       object: pod                      the body: one of the objects,
//       with: { spec.hostPID: true }     by path, with this in place
//       without: [spec.containers]       and without that,
//       body: { ... }                    or the body itself; a text is sent as it is
//       type: merge-patch+json           content-type, after application/ unless it holds a slash; `json` by default
//       accept: yaml                     likewise; none by default
//       as: jane                         the user who is impersonated, or { user, groups, uid, extra }
//       token: stranger-token            instead of the administrator's; `none` for none
//       headers: { ... }                 any others
//       keep: { token: metadata.continue }   values of the answer, which later cases write as {token} in path and body
//       each:                            a case for each entry, named `name: entry`, with this in place, or what the entry says
//         no name: { metadata.name: "" }
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
  return { name, cases: cases.flatMap((writtenCase) => expanded(writtenCase)).map((one) => caseOf(one, objects)) };
}

/** An entry whose keys are fields of a case, or a method, overrides those; any other is what the object is sent with. */
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
