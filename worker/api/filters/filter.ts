// The types of the handler chain, and the state of a request that its filters share.
import { must } from "../../../shared/base/assert.ts";
import { internalHeaders, sandboxInPath } from "../../../shared/contract/cluster-object.ts";
import type { Attributes } from "../../../shared/k8s/authorizer.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";
import type { ApiServer, Identity } from "../api-server.ts";
import { type AnswerHeaders, noHeaders } from "../negotiation/answer-headers.ts";
import { withMomentInQuery } from "../moment.ts";
import type { RequestInfo } from "../request-info.ts";

/** Handles a request. An error becomes the response. */
export type Handler = (context: FilterContext) => MaybePromise<Response>;

/** Wraps a handler: sees the request before it and the response after it. */
export type Filter = (next: Handler) => Handler;

export interface FilterContext extends AnswerHeaders {
  readonly server: ApiServer;
  readonly request: Request;
  readonly url: URL;
  /** Texts of the response's `Warning` headers. */
  readonly warnings: string[];
  /** Annotations of plugins for the audit log. */
  readonly annotations: Map<string, string>;
  /** The name of a POSTed object, which is not in the path. For the audit log. */
  readonly posted: { name: string };
  /** The headers of every response except those of sockets, whose headers the edge sets. */
  readonly headers: Record<string, string>;
  /** Headers that the response can override. */
  readonly defaultHeaders: Record<string, string>;
  /** Callbacks that receive the code of the response, the last added first. */
  readonly onAnswer: ((code: number) => void)[];
  /** Set by `withRequestInfo`. */
  info: RequestInfo | undefined;
  fields: Attributes["fields"];
  /** The sender, set by `withAuthentication`, and the effective user, set by `withImpersonation`. */
  sender: Identity | undefined;
  identity: Identity | undefined;
  /** The error, set by `withErrorStatus`. */
  error: ApiError | undefined;
}

export function newFilterContext(server: ApiServer, request: Request): FilterContext {
  const url = urlOf(request);
  const newId = () => server.newAuditId?.(`${request.method} ${url.pathname}${url.search}`) ?? crypto.randomUUID();
  return {
    server,
    request,
    url,
    auditId: request.headers.get("audit-id") || newId(),
    warnings: [],
    annotations: new Map(),
    posted: { name: "" },
    headers: {},
    defaultHeaders: {},
    onAnswer: [],
    flow: noHeaders,
    completed: undefined,
    info: undefined,
    fields: undefined,
    sender: undefined,
    identity: undefined,
    error: undefined,
  };
}

/** Parses the URL without the sandbox, in the same way as the edge, so that both see the same path. */
function urlOf({ url: text, headers }: Request): URL {
  const url = new URL(text);
  const inPath = headers.has(internalHeaders.server) ? undefined : sandboxInPath.exec(url.pathname);
  if (inPath) url.pathname = inPath[2] ?? "/";
  return withMomentInQuery(url);
}

/** Returns the info of a request that has passed `withRequestInfo`. */
export function infoOf({ info }: FilterContext): RequestInfo {
  return must(info, "the request info");
}
