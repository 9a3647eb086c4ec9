// Puts the cases of a file to a server, one after the other, and gives the plain answers.
import { must } from "../../shared/base/assert.ts";
import type { Case, CaseFile } from "./cases.ts";
import { Normaliser, type PlainAnswer, type RawAnswer } from "./normalise.ts";

/** A case with its values filled in. */
export type Sent = Omit<Case, "keep">;
export type Send = (request: Sent) => Promise<RawAnswer>;

const userAgent = { "user-agent": "parity/1.0" };

/** The objects that every file finds: a namespace, and in it the service account that its pods run as. */
const prelude: readonly Sent[] = [
  ["/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "parity" } }] as const,
  [
    "/api/v1/namespaces/parity/serviceaccounts",
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "default" } },
  ] as const,
].map(([path, body]) => ({
  name: "prelude",
  method: "POST",
  path,
  headers: { ...userAgent, "content-type": "application/json" },
  token: "admin-token",
  body: JSON.stringify(body),
}));

/** By the case's name, in order. */
export async function play({ name, cases }: CaseFile, send: Send): Promise<Map<string, PlainAnswer>> {
  const normaliser = new Normaliser();
  const values = new Map<string, string>();
  const answers = new Map<string, PlainAnswer>();
  for (const preludeCase of prelude) await send(preludeCase);
  for (const { keep, ...request } of cases) {
    const path = filled(request.path, values, encodeURIComponent);
    const body = request.body === undefined ? undefined : filled(request.body, values, (value) => value);
    normaliser.sent(request.path, request.body);
    const raw = await send({
      ...request,
      path,
      headers: { ...userAgent, ...request.headers },
      ...(body === undefined ? {} : { body }),
    });
    if (answers.has(request.name)) throw new Error(`${name}: two cases are called ${request.name}`);
    answers.set(request.name, normaliser.plain(raw));
    for (const [key, at] of Object.entries(keep)) values.set(key, valueAt(raw.text, at));
  }
  return answers;
}

function filled(text: string, values: ReadonlyMap<string, string>, write: (value: string) => string): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values.get(name);
    return value === undefined ? placeholder : write(value);
  });
}

function valueAt(text: string, path: string): string {
  let value: unknown = JSON.parse(text);
  for (const step of path.split(".")) value = (value as Readonly<Record<string, unknown>> | undefined)?.[step];
  return String(must(value, path));
}
