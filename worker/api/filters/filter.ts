// What the handler chain is made of, and what its filters know of a request so far.
import { must } from "../../../shared/base/assert.ts";
import { internalHeaders, sandboxInPath } from "../../../shared/contract/cluster-object.ts";
import type { Attributes } from "../../../shared/k8s/authorizer.ts";
import type { ApiError } from "../../../shared/k8s/status.ts";
import type { ApiServer, Identity } from "../api-server.ts";
import { withMomentInQuery } from "../moment.ts";
import type { RequestInfo } from "../request-info.ts";

/** What it throws becomes the answer. */
export type Handler = (context: FilterContext) => Response | Promise<Response>;

/** Looks at a request before and at its answer after the handler that it is given. */
export type Filter = (next: Handler) => Handler;

export interface FilterContext {
  readonly server: ApiServer;
  readonly request: Request;
  readonly url: URL;
  readonly auditId: string;
  /** Texts of `Warning` headers that the answer will carry. */
  readonly warnings: string[];
  /** What plugins note for the audit log. */
  readonly annotations: Map<string, string>;
  /** The name of what is posted, which no path tells; for the audit log. */
  readonly posted: { name: string };
  /** What every answer carries but a socket's, whose headers are the edge's. */
  readonly headers: Record<string, string>;
  /** What an answer carries if it does not say otherwise itself. */
  readonly defaultHeaders: Record<string, string>;
  /** Told the code of the answer; the last that was added first. */
  readonly onAnswer: ((code: number) => void)[];
  /** By `withRequestInfo`. */
  info: RequestInfo | undefined;
  fields: Attributes["fields"];
  /** Who sent it, by `withAuthentication`, and as whom it is served, by `withImpersonation`. */
  sender: Identity | undefined;
  identity: Identity | undefined;
  /** What was thrown, by `withErrorStatus`. */
  error: ApiError | undefined;
}

export function newFilterContext(server: ApiServer, request: Request): FilterContext {
  return {
    server,
    request,
    url: urlOf(request),
    auditId: request.headers.get("audit-id") || crypto.randomUUID(),
    warnings: [],
    annotations: new Map(),
    posted: { name: "" },
    headers: {},
    defaultHeaders: {},
    onAnswer: [],
    info: undefined,
    fields: undefined,
    sender: undefined,
    identity: undefined,
    error: undefined,
  };
}

/** Without the sandbox, which the edge has looked at: parsed as there, so that both read the same path. */
function urlOf({ url: text, headers }: Request): URL {
  const url = new URL(text);
  const inPath = headers.has(internalHeaders.server) ? undefined : sandboxInPath.exec(url.pathname);
  if (inPath) url.pathname = inPath[2] ?? "/";
  return withMomentInQuery(url);
}

/** Of a request that has passed `withRequestInfo`. */
export function infoOf({ info }: FilterContext): RequestInfo {
  return must(info, "the request info");
}
