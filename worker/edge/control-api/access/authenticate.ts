// Authenticates callers of the control API by API key or session. An isolate caches a caller for half a minute.
import { limits } from "../../../../shared/base/limits.ts";
import { hashOf } from "../../mac.ts";
import { ControlError } from "../control-error.ts";
import type { ControlApiServer } from "../server.ts";
import { type Caller, callerOfKey, callerOfSession } from "./caller.ts";
import { requireOwnPage } from "./cookies.ts";
import { sessionHash } from "./sessions.ts";

const keyShape = /^bearer +(sbk_[A-Za-z0-9]{16,128}) *$/i;

/** Throws 401 if the credential is missing or invalid, and 403 if another site's page may have sent the session cookie. */
export async function authenticate(
  controlApi: ControlApiServer,
  { method, headers }: Pick<Request, "method" | "headers">,
): Promise<Caller> {
  const authorization = headers.get("authorization");
  // An API key takes precedence over the cookies that a browser adds.
  if (authorization !== null) {
    const key = keyShape.exec(authorization)?.[1];
    const caller = key === undefined ? undefined : await resolveCaller(controlApi, await hashOf(key), findKey);
    if (!caller) throw unauthorized(key ?? "");
    return caller;
  }
  const hash = await sessionHash(controlApi, headers);
  const caller = hash === undefined ? undefined : await resolveCaller(controlApi, hash, findSession);
  // A request without a credential does not count as a failed attempt.
  if (!caller) throw unauthorized(hash === undefined ? undefined : "");
  if (method !== "GET" && method !== "HEAD") requireOwnPage(controlApi.console, headers);
  return caller;
}

type Find = (controlApi: ControlApiServer, hash: string) => Promise<Caller | undefined>;

async function resolveCaller(controlApi: ControlApiServer, hash: string, find: Find): Promise<Caller | undefined> {
  const { callerCache: callers, nowMs } = controlApi;
  const since = callers.now();
  const remembered = callers.get(hash, nowMs());
  const caller = remembered ?? (await find(controlApi, hash));
  if (!caller || caller.endsAtMs <= nowMs()) return undefined;
  if (!remembered) callers.keep(hash, caller, nowMs(), since);
  return caller;
}

async function findKey(controlApi: ControlApiServer, hash: string): Promise<Caller | undefined> {
  const keyFacts = await controlApi.keys.find(hash);
  const caller = keyFacts && callerOfKey(keyFacts);
  if (caller) noteUse(controlApi, caller, controlApi.keys.noteUse);
  return caller;
}

async function findSession(controlApi: ControlApiServer, hash: string): Promise<Caller | undefined> {
  const sessionFacts = await controlApi.people.session(hash);
  const caller = sessionFacts && callerOfSession(sessionFacts);
  if (caller) noteUse(controlApi, caller, controlApi.people.noteUse);
  return caller;
}

/** Records the use of a credential rarely, and after the response. */
function noteUse({ later, nowMs }: ControlApiServer, caller: Caller, note: ControlApiServer["keys"]["noteUse"]): void {
  const [atMs, beforeMs] = [nowMs(), nowMs() - limits.lastUsedMs];
  if (caller.lastUsedAtMs >= beforeMs || caller.endsAtMs <= atMs) return;
  later(() => note(caller.hash, atMs, beforeMs), "when a key was last used");
}

function unauthorized(credential: string | undefined): ControlError {
  const message = "send an API key as `Authorization: Bearer sbk_...`, or sign in";
  return new ControlError(401, "unauthorized", message, undefined, credential === undefined ? {} : { credential });
}
