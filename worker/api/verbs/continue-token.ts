// The continue token of a paged list: as upstream, base64url of JSON with the revision and the last key.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";

export interface Continuation {
  /** -1 for the newest revision: an inconsistent continuation, returned if the list's revision is compacted. */
  readonly revision: number;
  readonly after: { readonly namespace: string; readonly name: string };
  /** The start of the list in milliseconds. Upstream does not have this field; here it determines the age of a token in a quiet cluster. */
  readonly beganMs?: number | undefined;
}

const version = "meta.k8s.io/v1";

export function encodeContinue({ revision, after, beganMs }: Continuation): string {
  const json = JSON.stringify({ v: version, rv: revision, start: `${after.namespace}/${after.name}`, beganMs });
  return trimmedEnd(btoa(json).replaceAll("+", "-").replaceAll("/", "_"), "=");
}

export function decodeContinue(token: string): Continuation {
  const { v, rv, start, beganMs } = fieldsOf(token);
  if (v !== version) throw invalid(`server does not recognize this encoded version ${typeof v === "string" ? v : ""}`);
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0) {
    throw invalid(`incorrect encoded start resourceVersion (version ${version})`);
  }
  if (typeof start !== "string" || start === "") throw invalid(`encoded start key empty (version ${version})`);
  const at = start.indexOf("/");
  if (at < 0) throw invalid(start);
  const after = { namespace: start.slice(0, at), name: start.slice(at + 1) };
  return { revision: rv, after, ...(typeof beganMs === "number" ? { beganMs } : {}) };
}

function fieldsOf(token: string): JsonObject {
  const bad = /[^A-Za-z0-9_-]/.exec(token)?.index ?? (token.length % 4 === 1 ? token.length - 1 : undefined);
  if (bad !== undefined) throw invalid(`illegal base64 data at input byte ${bad}`);
  try {
    const { value } = parseJson(atob(token.replaceAll("-", "+").replaceAll("_", "/")));
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof ApiError) throw invalid(error.message);
    throw error;
  }
}

function invalid(why: string): ApiError {
  return ApiError.badRequest(`invalid continue token: continue key is not valid: ${why}`);
}
