// The ETag of every resource that one GET route returns and other methods of its path change. A tag has two parts: the hash of what requests
// change, which `If-Match` compares, and the hash of the entire representation, which `If-None-Match` compares. A GET route declares the tag
// with `version`; nothing else is needed for a resource.
import { hashOf, randomText } from "../../mac.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import type { Route, RouteRequest } from "../route.ts";
import type { ControlApiServer } from "../server.ts";

const partCharacters = 16;
const tagShape = /^\s*(?:W\/)?"[\x21\x23-\x7e]*"\s*$/;
/** The pauses of a request that waits for another one with `If-Match`, and their number. */
const waitMs = 50;
const mostWaits = 60;

/** Adds the tag to the answer of a GET route, or answers 304 if the client has this representation. */
export async function tagged({ version }: Route, { headers }: RouteRequest, answer: Response): Promise<Response> {
  const tag = version && (await tagOf(answer, version.apart));
  if (tag === undefined) return answer;
  const condition = headers.get("if-none-match");
  const isCurrent =
    condition !== null && (condition.trim() === "*" || tagsIn(condition, "If-None-Match").includes(tag));
  const response = isCurrent ? new Response(null, { status: 304 }) : new Response(answer.body, answer);
  response.headers.set("etag", tag);
  return response;
}

/**
 * Runs a write if the resource has a tag of `If-Match`, and adds its new tag to the answer. Requests with `If-Match` to the same resource
 * run one after the other. Throws 412 if the resource has changed. Without the header, the write runs at once.
 */
export async function whileMatching(
  reader: Route | undefined,
  request: RouteRequest,
  { write, tenantId }: { readonly write: () => Promise<Response>; readonly tenantId: string },
): Promise<Response> {
  const condition = request.headers.get("if-match");
  if (condition === null) return write();
  if (reader === undefined) throw invalidField("If-Match", "this resource has no ETag: send the request without it");
  const tags = condition.trim() === "*" ? undefined : tagsIn(condition, "If-Match");
  const read = async () => {
    const version = reader.version ?? { apart: [] };
    return tagOf(await reader.answerTo({ ...request, headers: new Headers(), query: {} }), version.apart);
  };
  return whileHeld(request.controlApi, { tenantId, resource: resourceOf(reader, request) }, async () => {
    const tag = await read();
    if (tags && !tags.some((expected) => changePart(expected) === changePart(tag ?? ""))) throw changed(tag);
    const answer = await write();
    const next = answer.status === 200 ? await read() : undefined;
    if (next === undefined) return answer;
    const response = new Response(answer.body, answer);
    response.headers.set("etag", next);
    return response;
  });
}

function resourceOf({ path }: Route, request: RouteRequest): string {
  return path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => request.path[name] ?? "");
}

async function whileHeld(
  controlApi: ControlApiServer,
  { tenantId, resource }: { readonly tenantId: string; readonly resource: string },
  work: () => Promise<Response>,
): Promise<Response> {
  // A person without an organization only changes their own account.
  if (tenantId === "") return work();
  const tenant = controlApi.tenant(tenantId);
  const holder = randomText(16);
  for (let waits = 0; !(await tenant.hold(resource, holder)); waits++) {
    if (waits === mostWaits) throw new ControlError(409, "busy", "other requests change the resource: ask again");
    await controlApi.wait(waitMs);
  }
  try {
    return await work();
  } finally {
    controlApi.later(() => tenant.release(resource, holder), `the lock of ${resource}`);
  }
}

/** Returns the tag of a JSON answer; undefined for any other. `apart`: the fields that change by themselves. */
async function tagOf(answer: Response, apart: readonly string[]): Promise<string | undefined> {
  const isJson = answer.status === 200 && /^application\/json\b/.test(answer.headers.get("content-type") ?? "");
  if (!isJson) return undefined;
  const text = await answer.clone().text();
  // The route's schema is an object.
  const value = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const stable = Object.fromEntries(Object.entries(value).filter(([name]) => !apart.includes(name)));
  const [change, representation] = [await hashOf(JSON.stringify(stable)), await hashOf(text)];
  return `"${change.slice(0, partCharacters)}-${representation.slice(0, partCharacters)}"`;
}

/** Parses a list of tags. A proxy that compresses makes a tag weak, although the resource is the same. */
function tagsIn(header: string, name: string): string[] {
  return header.split(",").map((item) => {
    if (!tagShape.test(item)) throw invalidField(name, 'must be ETags in quotes, such as "a1b2", or *');
    return item.trim().replace(/^W\//, "");
  });
}

function changePart(tag: string): string {
  return tag.slice(1, 1 + partCharacters);
}

function changed(tag: string | undefined): ControlError {
  const message =
    "the resource has changed since its ETag was read: read it again, and send the change with the new ETag";
  const headers: Record<string, string> = tag === undefined ? {} : { etag: tag };
  return new ControlError(412, "precondition_failed", message, "If-Match", { headers });
}
