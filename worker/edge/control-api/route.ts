// A route of the control API: a value from which the handler's path, the allowed methods and the OpenAPI document are derived.
import * as z from "zod";
import { type ErrorCode, serviceFailures } from "../../../shared/contract/error.ts";
import { pageQuery } from "../../../shared/contract/hosted/list.ts";
import type { Scope } from "../../../shared/contract/scope.ts";
import type { Caller } from "./access/caller.ts";
import { parseFields, invalidFields } from "./body.ts";
import { type ListFacts, paged } from "./http/lists.ts";
import type { LongText } from "./http/long-text.ts";
import type { ControlApiServer } from "./server.ts";

/** The representations of a response. The client's `Accept` header selects one if there are several. */
export interface AnswerShape {
  /** The status; 302 redirects the browser. */
  readonly status: 200 | 201 | 204 | 302;
  readonly json?: z.ZodType;
  /** The media types of text representations. */
  readonly texts?: readonly string[];
  /** The media type of a file. */
  readonly file?: string;
}

/** A request on its way to the handler. */
export interface RouteRequest {
  readonly controlApi: ControlApiServer;
  /** The caller, or `nobody` for public routes. */
  readonly caller: Caller;
  /** The tenant of the caller, or empty. */
  readonly tenantId: string;
  readonly headers: Headers;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  readonly path: Readonly<Record<string, string>>;
  /** The query parameters; a parameter that occurs several times is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** The JSON body before validation. */
  readonly json: unknown;
  /** The body if it is a file. */
  readonly file: Uint8Array<ArrayBuffer> | undefined;
  /** The body if it is a text. */
  readonly text: string | LongText | undefined;
}

export interface RouteCall<Q, B> extends Omit<RouteRequest, "query"> {
  readonly query: Q;
  readonly body: B;
}

/** The callers that a route accepts. */
export type Access =
  /** Everybody. */
  | { readonly kind: "public" }
  /** Everybody, but only from a page of the service, because the response sets a cookie. */
  | { readonly kind: "own-page" }
  /** The operator, by the operator's key. */
  | { readonly kind: "operator" }
  /** A learner, by the token of a lesson's run. */
  | { readonly kind: "learner" }
  /** Every caller with a key or a session. */
  | { readonly kind: "caller" }
  /** A person who has signed in. */
  | { readonly kind: "person" }
  /** A caller whose key or role has the scope. */
  | { readonly kind: "scope"; readonly scope: Scope };

const writeMethods: readonly string[] = ["PUT", "PATCH", "DELETE"];

/** The kinds of access for which the caller must have a key or a session. */
const callerKinds: readonly Access["kind"][] = ["caller", "person", "scope"];

interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path as in `/v1/sandboxes/{id}`. */
  readonly path: string;
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  /** The operation's summary, one sentence. */
  readonly summary: string;
  readonly access: Access;
  /** The media type of a file that is accepted instead of JSON. */
  readonly fileBody?: string;
  /** The media types of texts that are accepted instead of JSON. */
  readonly textBody?: readonly string[];
  /**
   * True if the created resource is stored with the `Idempotency-Key`, so that an interrupted request resumes. Other requests are not run
   * again.
   */
  readonly resumes?: true;
  readonly answer: AnswerShape;
  /**
   * The ETag of a GET route that returns one resource. The other methods of its path then check `If-Match`. `apart` names the fields of the
   * answer that change without a request, which `If-Match` ignores.
   */
  readonly version?: { readonly apart: readonly string[] };
  /** The list that the handler returns as a whole. The route then has `limit`, `cursor`, `sort` and filters. */
  readonly list?: ListFacts;
  /** Error codes in addition to those that `errorsOf` derives. */
  readonly errors?: readonly ErrorCode[];
}

interface Spec<Q extends z.ZodType, B extends z.ZodType> extends RouteFacts {
  readonly query?: Q;
  readonly body?: B;
  handle(call: RouteCall<z.output<Q>, z.output<B>>): Promise<Response>;
}

export interface Route extends RouteFacts {
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Validates the parameters and the body, then calls the handler. The error response lists every problem. */
  answerTo(request: RouteRequest): Promise<Response>;
}

export function route<Q extends z.ZodType, B extends z.ZodType>(spec: Spec<Q, B>): Route {
  const { handle, ...facts } = spec;
  const { list } = spec;
  const schema = list ? withPage(list, spec.query) : spec.query;
  return {
    ...facts,
    ...(schema ? { query: schema } : {}),
    answerTo: async (request) => {
      const none = { data: undefined, errors: [] };
      const query = schema ? parseFields(schema, request.query) : none;
      const hasJson = spec.body !== undefined && !request.file && request.text === undefined;
      const body = hasJson ? parseFields(spec.body, request.json) : none;
      const errors = [...query.errors, ...body.errors];
      if (errors.length > 0) throw invalidFields(errors);
      // Without an error, both values match their schemas. A route without a schema reads neither.
      const answer = await handle({ ...request, query: query.data as z.output<Q>, body: body.data as z.output<B> });
      return list ? paged(list, query.data as z.output<ReturnType<typeof pageQuery>>, answer) : answer;
    },
  };
}

/** Adds the parameters of a list to those of its route. */
function withPage(list: ListFacts, query: z.ZodType | undefined): z.ZodType {
  const parameters = query instanceof z.ZodObject ? query.shape : {};
  return z.strictObject({ ...pageQuery(list).shape, ...parameters });
}

/** Returns the GET route that returns the resource which this route changes. */
export function readerOf({ method, path }: Route, routes: readonly Route[]): Route | undefined {
  if (!writeMethods.includes(method)) return undefined;
  return routes.find((route) => route.method === "GET" && route.path === path && route.version !== undefined);
}

/** Returns every error code that a route can answer, as one of all routes. */
export function errorsOf(route: Route, routes: readonly Route[]): ErrorCode[] {
  const { access, path, query, body, fileBody, textBody, errors = [], method } = route;
  const isKnown = needsCaller(route);
  const is = (kind: Access["kind"]) => access.kind === kind;
  const codes: readonly (readonly [boolean, readonly ErrorCode[]])[] = [
    [path.startsWith("/v1/"), ["unknown_version"]],
    [query !== undefined || body !== undefined, ["invalid_field"]],
    [body !== undefined, ["malformed_json", "incomplete_body", "body_too_large", "unsupported_media_type"]],
    [textBody !== undefined, ["body_too_slow", "too_large"]],
    [fileBody !== undefined, ["not_a_state", "newer", "cut", "altered", "damaged", "foreign_state", "too_large"]],
    [isKnown || is("own-page") || is("operator"), [...serviceFailures]],
    [isKnown || is("operator") || is("learner"), ["unauthorized", "too_many_failures"]],
    [is("learner"), [...serviceFailures, "not_found", "suspended"]],
    [is("scope"), ["missing_scope", "suspended"]],
    [method !== "GET", ["moving"]],
    [is("person"), ["person_needed"]],
    // A precondition without a resource that has a version is refused.
    [(isKnown || is("operator")) && writeMethods.includes(method), ["invalid_field"]],
    [readerOf(route, routes) !== undefined, ["precondition_failed", "busy"]],
    [is("own-page") || (isKnown && method !== "GET"), ["cross_origin"]],
    [path.includes("{"), ["not_found", "expired"]],
    [
      method === "POST" && isKnown,
      [
        "invalid_field",
        "request_in_progress",
        "outcome_unknown",
        "idempotency_key_reused",
        "too_many_idempotency_keys",
      ],
    ],
  ];
  return [...new Set([...codes.flatMap(([applies, some]) => (applies ? some : [])), ...errors])];
}

/** Reports whether the caller must have a key or a session. */
export function needsCaller({ access }: Pick<Route, "access">): boolean {
  return callerKinds.includes(access.kind);
}
