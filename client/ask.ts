// Requests to the control API: with the key, tried again where that can do no harm, and errors as the service words them.
import type { ErrorBody } from "./types.ts";

export interface SandbarOptions {
  /** Where the service is. Default: `SANDBAR_URL`, or http://localhost:8787. */
  readonly url?: string;
  /** The API key. Default: `SANDBAR_API_KEY`. */
  readonly key?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** How often a request is tried again that got no answer, or was answered that it is still being worked on. Default: 2. */
  readonly retries?: number;
}

/** Of a list that comes in pages. */
export interface Page {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface SandbarErrorOptions extends ErrorOptions {
  readonly errors?: ErrorBody["errors"];
  readonly requestId?: string | undefined;
}

/** What the service refused; or that it could not be reached (status 0, code `unreachable`). */
export class SandbarError extends Error {
  override name = "SandbarError";
  readonly status: number;
  /** For programs: see the errors of the OpenAPI document. */
  readonly code: string;
  /** What is wrong with the request: the field of the body, or the parameter. */
  readonly field: string | undefined;
  /** Of `invalid_manifests`: by document, line and field; else empty. */
  readonly problems: NonNullable<ErrorBody["error"]["problems"]>;
  /** Of `invalid_field`: everything that is wrong with the request, the first of which is the message; else empty. */
  readonly errors: NonNullable<ErrorBody["errors"]>;
  /** The `Request-Id`, for whoever runs the service. Undefined if the service gave none. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    { code, message, field, problems = [] }: ErrorBody["error"],
    { errors = [], requestId, ...options }: SandbarErrorOptions = {},
  ) {
    super(message, options);
    this.errors = errors;
    this.requestId = requestId;
    this.status = status;
    this.code = code;
    this.field = field;
    this.problems = problems;
  }
}

export interface ClientRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
  /** JSON, or a file. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Ask = (path: string, question?: ClientRequest) => Promise<Response>;

const retryMs = 500;
/** Something between the client and the service did not reach it. */
const between = [502, 503, 504];

export function asking({ url, key, fetch = globalThis.fetch, retries = 2 }: SandbarOptions): Ask {
  return async (path, question = {}) => {
    const { method = "GET", signal } = question;
    const address = `${url ?? ""}${path}${queryText(question.query)}`;
    // What makes something gets a key, so that it is made once, however often it is asked for.
    const idempotencyKey = question.idempotencyKey ?? (method === "POST" ? crypto.randomUUID() : undefined);
    const init = initOf(question, method, key, idempotencyKey);
    for (let attempt = 0; ; attempt++) {
      const answer = await fetch(address, { ...init, ...(signal ? { signal } : {}) }).catch((error: unknown) => error);
      if (answer instanceof Response && answer.ok) return answer;
      const error = answer instanceof Response ? await failureOf(answer) : unreachable(address, answer);
      const isPassing = error.status === 0 || between.includes(error.status) || error.code === "request_in_progress";
      if (signal?.aborted || !isPassing || attempt >= retries) throw error;
      await new Promise((done) => void setTimeout(done, retryMs * 2 ** attempt));
    }
  };
}

function initOf(
  { body, type, accept }: ClientRequest,
  method: string,
  key: string | undefined,
  idempotencyKey: string | undefined,
): RequestInit {
  const headers = {
    ...(key ? { authorization: `Bearer ${key}` } : {}),
    ...(body === undefined ? {} : { "content-type": type ?? "application/json" }),
    ...(accept ? { accept } : {}),
    ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
  };
  if (body === undefined) return { method, headers };
  return {
    method,
    headers,
    body: type === undefined ? JSON.stringify(body) : (body as NonNullable<RequestInit["body"]>),
  };
}

function queryText(query: ClientRequest["query"] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : "";
}

async function failureOf(answer: Response): Promise<SandbarError> {
  const text = await answer.text();
  try {
    // The service answers what its contract says; something between may not.
    const { error, errors } = JSON.parse(text) as ErrorBody;
    const requestId = answer.headers.get("request-id") ?? undefined;
    return new SandbarError(answer.status, error, { errors, requestId });
  } catch {
    const message = `the service answered ${answer.status}: ${text.slice(0, 200)}`;
    return new SandbarError(answer.status, { code: "unknown", message });
  }
}

function unreachable(address: string, cause: unknown): SandbarError {
  const why = cause instanceof Error ? wordsOf(cause) : String(cause);
  return new SandbarError(
    0,
    { code: "unreachable", message: `${new URL(address).origin} cannot be reached: ${why}` },
    { cause },
  );
}

/** Node says what happened in the cause. */
function wordsOf({ cause, message }: Error): string {
  return cause instanceof Error && cause.message ? cause.message : message;
}
