// The control API's errors: the responses of `/v1` with a status of 400 or more.
import * as z from "zod";
import { limits } from "../base/limits.ts";

/** All error codes, with their statuses and meanings. */
export const errorCodes = {
  invalid_field: { status: 400, means: "A field of the body or a parameter is wrong; `field` names it." },
  invalid_manifests: { status: 400, means: "The cluster refuses a document of the manifests; `problems` says where." },
  malformed_request: { status: 400, means: "The request is not HTTP: the message says where." },
  unknown_version: { status: 400, means: "`Sandbar-Version` names a version of the API that is not known." },
  malformed_json: { status: 400, means: "The body is not JSON." },
  revision_unknown: { status: 400, means: "The sandbox has not come to that revision yet." },
  incomplete_body: { status: 400, means: "The body broke off." },
  not_a_state: { status: 400, means: "The file is not the state of a sandbox." },
  newer: { status: 400, means: "The file was written by a newer version of the service." },
  cut: { status: 400, means: "The file is not whole." },
  altered: { status: 400, means: "The file was altered since it was written." },
  damaged: { status: 400, means: "The file cannot be read." },
  malformed_copy: {
    status: 400,
    means: "The page is no copy of an object, or it is not all of it; the message says what is wrong.",
  },
  foreign_state: { status: 400, means: "The file was not written by this service." },
  beyond_plan: {
    status: 403,
    means: "More is asked for than the tenant's plan has; `limit` says of what, and how much it has.",
  },
  suspended: { status: 403, means: "The tenant is suspended; the message says why." },
  invalid_passkey: { status: 400, means: "The passkey cannot be taken: it was made for something else, or too late." },
  unauthorized: { status: 401, means: "The API key or the session is missing, not known, or has expired." },
  sign_in_failed: {
    status: 401,
    means: "The passkey is not known, what it signed is not what was asked, or the link has been used or is too old.",
  },
  missing_scope: { status: 403, means: "Whoever asks may not do this; `scope` names what is missing." },
  person_needed: { status: 403, means: "This is for people who have signed in, not for keys." },
  not_invited: { status: 403, means: "New people and organisations come by invitation here." },
  deactivated: { status: 403, means: "The organisation has deactivated the person." },
  managed_person: {
    status: 403,
    means:
      "The person's account is managed by an organisation's identity provider, and belongs to that organisation only.",
  },
  origin_not_allowed: { status: 403, means: "The publishable key is not for pages of that origin." },
  not_offered: { status: 403, means: "The publishable key does not offer that template or lesson." },
  cross_origin: { status: 403, means: "A session's cookie came from another site's page." },
  not_found: { status: 404, means: "There is no such thing, or it is another tenant's." },
  method_not_allowed: { status: 405, means: "The path knows other methods: see the header `Allow`." },
  body_too_slow: { status: 408, means: "The body did not arrive in time." },
  request_in_progress: { status: 409, means: "A request with the same `Idempotency-Key` has not been answered yet." },
  outcome_unknown: {
    status: 409,
    means:
      "A request with the same `Idempotency-Key` was cut off, or its answer could not be kept, and it may have been done: look, and ask again with another key where it was not.",
  },
  too_many_keys: { status: 409, means: "The organisation has as many API keys as it may." },
  too_many_publishable_keys: { status: 409, means: "The organisation has as many publishable keys as it may." },
  too_many_members: { status: 409, means: "The organisation has as many members as it may." },
  too_many_invitations: { status: 409, means: "The organisation has as many open invitations as it may." },
  too_many_passkeys: { status: 409, means: "The person has as many passkeys as they may." },
  too_many_tenants: { status: 409, means: "The person belongs to as many organisations as they may." },
  tenant_exists: { status: 409, means: "There is an organisation with this id." },
  user_exists: { status: 409, means: "There is a person with this user name, or a group with this name." },
  already_member: { status: 409, means: "The person belongs to the organisation already." },
  last_owner: { status: 409, means: "An organisation keeps an owner: make somebody else one first, or delete it." },
  last_passkey: { status: 409, means: "It is the person's only way to sign in." },
  too_many_tokens: { status: 409, means: "The sandbox has as many tokens as it may." },
  too_many_snapshots: { status: 409, means: "There are as many snapshots as there may be." },
  too_many_idempotency_keys: { status: 409, means: "As many `Idempotency-Key`s came within a day as may come." },
  too_many_lessons: { status: 409, means: "There are as many lessons, or as much in them, as there may be." },
  too_many_platforms: { status: 409, means: "The organisation has as many LTI platforms as it may." },
  platform_known: { status: 409, means: "A platform with this issuer and client id is registered already." },
  too_many_classes: { status: 409, means: "The organisation has as many classes as it may." },
  class_full: { status: 409, means: "All seats of the class are taken." },
  name_taken: { status: 409, means: "Somebody in the class is called so already." },
  too_many_runs: { status: 409, means: "There are as many runs of lessons as there may be." },
  solution_refused: { status: 409, means: "The cluster refuses what solves the step; the message names the action." },
  nothing_to_undo: { status: 409, means: "There is no request of a user to take back." },
  no_beginning: { status: 409, means: "The sandbox began with a state that was not kept." },
  limit_exceeded: { status: 409, means: "The sandbox may not hold so much: the message names the limit." },
  not_empty: { status: 409, means: "What is to be restored exists already: restore into an empty service." },
  lost: { status: 409, means: "The copy or restore of an object was interrupted: begin it again." },
  busy: { status: 409, means: "Others went on writing meanwhile: ask again." },
  expired: { status: 410, means: "Its time is up." },
  invitation_used: { status: 410, means: "The invitation was accepted before; it is valid once." },
  revision_gone: { status: 410, means: "History does not go back as far, or not as far forward." },
  precondition_failed: { status: 412, means: "The resource has changed since its ETag was read: see `If-Match`." },
  body_too_large: { status: 413, means: "The body is larger than it may be." },
  too_large: { status: 413, means: "What is asked for is larger than may be." },
  unsupported_media_type: { status: 415, means: "The body is of a type that is not taken here." },
  idempotency_key_reused: { status: 422, means: "The `Idempotency-Key` came before, with another request." },
  limit_reached: {
    status: 429,
    means:
      "A limit of the tenant's plan, of a publishable key or of a class is used up; `limit` says which, and `Retry-After` when something of it is free again.",
  },
  too_many_failures: {
    status: 429,
    means:
      "Too many wrong credentials came from the same address, or were guesses at the same one; `Retry-After` says when to try again. Right ones are accepted meanwhile.",
  },
  too_soon: {
    status: 429,
    means: "The learner did something in the run within the last second; `Retry-After` says when to ask again.",
  },
  header_too_large: { status: 431, means: "The headers are larger than they may be." },
  internal: { status: 500, means: "Something went wrong on the service's side." },
  stored_data_damaged: {
    status: 500,
    means: "What is stored of the sandbox or the organisation cannot be read; the message says what to do.",
  },
  stored_data_newer: {
    status: 503,
    means:
      "A newer version of the service wrote what is stored of the sandbox or the organisation; nothing was changed.",
  },
  moving: {
    status: 503,
    means: "The tenant is moving to another database; `Retry-After` says when to ask again. Its sandboxes run on.",
  },
  restarting: { status: 503, means: "The service is being restarted; `Retry-After` says when to ask again." },
  interrupted: {
    status: 504,
    means:
      "The service was restarted before it answered, so whether the request was carried out is not known. With the same `Idempotency-Key` it can be sent again.",
  },
  format_unknown: { status: 501, means: "There is no answer in the format that is asked for." },
  sso_unavailable: { status: 502, means: "The organisation's identity provider does not answer as it should." },
  storage_full: { status: 507, means: "There is no room left to store anything." },
} as const;

/** The codes of failures that no client causes. Every route that reads or writes can return them. */
export const serviceFailures = ["internal", "storage_full", "stored_data_damaged", "stored_data_newer"] as const;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

export type ErrorStatus = (typeof errorCodes)[ErrorCode]["status"];

/** A problem at one place of manifests. */
export const manifestProblem = z.object({
  /** The number of the document in the text, from 1; empty documents are not counted. */
  document: z.int(),
  /** The line in the text, from 1: of the field, or of the nearest existing parent. */
  line: z.int(),
  /** The field in the document: `spec.template.spec.containers[0].image`. Absent for the entire document. */
  field: z.string().optional(),
  /** The message without document, line and field. */
  message: z.string(),
});

export type ManifestProblem = z.infer<typeof manifestProblem>;

/** The maximum number of problems in one response. */
export const mostFieldProblems = 20;

/** A problem of a request. */
export const fieldProblem = z.object({
  /** The field of the body, or the parameter. Absent for the entire body. */
  field: z.string().optional(),
  detail: z.string(),
});

export type FieldProblem = z.infer<typeof fieldProblem>;

/** A problem of RFC 9457 with the type `application/problem+json`; the member `error` is Sandbar's own. */
export const errorBody = z.object({
  /** The prefix `urn:sandbar:error:` with the code. */
  type: z.string(),
  /** The code's meaning. */
  title: z.string(),
  status: z.int(),
  /** The same as `error.message`. */
  detail: z.string(),
  /** The prefix `urn:sandbar:request:` with the `Request-Id`. Absent if the request was refused before it had one. */
  instance: z.string().optional(),
  /** The problems of `invalid_field`, up to a limit. */
  errors: z.array(fieldProblem).max(mostFieldProblems).optional(),
  error: z.object({
    /** The code for programs, one of `errorCodes`; later versions may add codes. */
    code: z.string(),
    /** The message for people. */
    message: z.string(),
    /** The invalid field of the body, or the parameter: `ttlSeconds`, `frameOrigins.0`. */
    field: z.string().optional(),
    /**
     * The limit of `limit_reached` and `beyond_plan`: its name in the plan or publishable key, its value, its usage, and the requested
     * value.
     */
    limit: z
      .object({ name: z.string(), limited: z.number(), used: z.number().optional(), requested: z.number() })
      .optional(),
    /** The problems of `invalid_manifests`: those of the first refused document, up to a limit. */
    problems: z.array(manifestProblem).max(limits.manifestProblems).optional(),
    /** The missing scope. */
    scope: z.string().optional(),
  }),
});

export type ErrorBody = z.infer<typeof errorBody>;

/** The media type of errors. */
export const problemType = "application/problem+json";

/** Returns an error in the form of the control API. */
export function problemOf(
  status: number,
  error: ErrorBody["error"],
  {
    requestId,
    errors,
  }: { readonly requestId?: string | undefined; readonly errors?: readonly FieldProblem[] | undefined } = {},
): ErrorBody {
  return {
    type: `urn:sandbar:error:${error.code}`,
    title: isErrorCode(error.code) ? errorCodes[error.code].means : error.code,
    status,
    detail: error.message,
    ...(requestId === undefined ? {} : { instance: `urn:sandbar:request:${requestId}` }),
    ...(errors === undefined ? {} : { errors: [...errors] }),
    error,
  };
}
