// What a route of the control API is: a value, from which the way to its handler, the allowed methods and the OpenAPI document follow.
import type { z } from "zod";
import { type ErrorCode, serviceFailures } from "../../../shared/contract/error.ts";
import type { Scope } from "../../../shared/contract/scope.ts";
import type { Caller } from "./access/caller.ts";
import { checked, invalidFields } from "./body.ts";
import type { ControlApiServer } from "./server.ts";

/** An answer of the kinds below; the client's `Accept` decides where there are several. */
export interface AnswerShape {
  /** 302: the browser is sent somewhere else. */
  readonly status: 200 | 201 | 204 | 302;
  readonly json?: z.ZodType;
  /** Media types of texts. */
  readonly texts?: readonly string[];
  /** The media type of a file. */
  readonly file?: string;
}

/** A request on its way to the handler. */
export interface RouteRequest {
  readonly controlApi: ControlApiServer;
  /** Who asks; nobody where that does not matter. */
  readonly caller: Caller;
  /** The caller's; empty where there is none. */
  readonly tenantId: string;
  readonly headers: Headers;
  readonly path: Readonly<Record<string, string>>;
  /** As it stands in the address: a list for what is given several times. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** JSON as it was sent. */
  readonly given: unknown;
  /** The body, where it is a file. */
  readonly file: Uint8Array<ArrayBuffer> | undefined;
  /** The body, where it is a text. */
  readonly text: string | undefined;
}

export interface RouteCall<Q, B> extends Omit<RouteRequest, "query"> {
  readonly query: Q;
  readonly body: B;
}

interface RouteFacts {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `/v1/sandboxes/{id}`. */
  readonly path: string;
  /** The operation's name in the OpenAPI document. */
  readonly id: string;
  /** A sentence. */
  readonly summary: string;
  /** What the caller must have. */
  readonly scope?: Scope;
  /** It needs the operator's key, and no other. */
  readonly isOperators?: true;
  /** Where no scope is needed: anybody who is known, a person who has signed in, a learner, or (absent) whoever comes. */
  readonly who?: "known" | "person" | "learner";
  /** Whoever comes must come from a page of the service's own: what is answered sets a cookie. */
  readonly fromOwnPage?: true;
  /** The media type of a file that the body may be in place of JSON. */
  readonly fileBody?: string;
  /** Media types of a text that it may be. */
  readonly textBody?: readonly string[];
  /** What it makes is noted with its `Idempotency-Key` at once: cut off, it goes on from there. What does not is not begun again. */
  readonly resumes?: true;
  readonly answer: AnswerShape;
  /** Beside those that follow from its shape: see `errorsOf`. */
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
  /** Checks parameters and body first; the answer to a request that is wrong has everything that is wrong. */
  answerTo(asked: RouteRequest): Promise<Response>;
}

export function route<Q extends z.ZodType, B extends z.ZodType>(spec: Spec<Q, B>): Route {
  const { handle, ...facts } = spec;
  return {
    ...facts,
    answerTo: async (asked) => {
      const none = { data: undefined, errors: [] };
      const query = spec.query ? checked(spec.query, asked.query) : none;
      const hasJson = spec.body !== undefined && !asked.file && asked.text === undefined;
      const body = hasJson ? checked(spec.body, asked.given) : none;
      const errors = [...query.errors, ...body.errors];
      if (errors.length > 0) throw invalidFields(errors);
      // Without an error each is as its schema says; a route without a schema looks at neither.
      return handle({ ...asked, query: query.data as z.output<Q>, body: body.data as z.output<B> });
    },
  };
}

/** Every code that a route may answer. */
export function errorsOf(one: Route): ErrorCode[] {
  const { scope, isOperators, who, fromOwnPage, path, query, body, fileBody, errors = [], method } = one;
  const isKnown = needsCaller(one);
  const codes: readonly (readonly [boolean, readonly ErrorCode[]])[] = [
    [path.startsWith("/v1/"), ["unknown_version"]],
    [query !== undefined || body !== undefined, ["invalid_field"]],
    [body !== undefined, ["malformed_json", "incomplete_body", "body_too_large", "unsupported_media_type"]],
    [fileBody !== undefined, ["not_a_state", "newer", "cut", "altered", "damaged", "foreign_state", "too_large"]],
    [isKnown || fromOwnPage === true || isOperators === true, [...serviceFailures]],
    [isKnown || isOperators === true || isLearners(one), ["unauthorized", "too_many_failures"]],
    [isLearners(one), [...serviceFailures, "not_found", "suspended"]],
    [scope !== undefined, ["missing_scope", "suspended"]],
    [method !== "GET", ["moving"]],
    [who === "person", ["person_needed"]],
    [fromOwnPage === true || (isKnown && method !== "GET"), ["cross_origin"]],
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

/** Whether who asks must be known by a key or a session. */
export function needsCaller({ scope, who }: Pick<Route, "scope" | "who">): boolean {
  return scope !== undefined || (who !== undefined && who !== "learner");
}

/** Whether it is for learners' tokens alone. */
export function isLearners({ who }: Pick<Route, "who">): boolean {
  return who === "learner";
}
