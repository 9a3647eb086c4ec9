// Sends requests to the control API: adds the key, repeats safe requests, and throws errors in the service's words.
import type { ErrorBody } from "./types.ts";

export interface SandbarOptions {
  /** The address of the service. Default: `SANDBAR_URL`, or http://localhost:8787. */
  readonly url?: string;
  /** The API key. Default: `SANDBAR_API_KEY`. */
  readonly key?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** How often a request is repeated that got no answer, or whose answer says that it is still in progress. Default: 2. */
  readonly retries?: number;
}

/** The page of a list. */
export interface Page {
  readonly limit?: number;
  readonly cursor?: string;
}

/** The page of a list that can be sorted, such as by `createdAt` or `-createdAt`, with values of the fields that filter it. */
export interface ListQuery extends Page {
  readonly sort?: string;
  readonly [field: string]: string | number | undefined;
}

export interface SandbarErrorOptions extends ErrorOptions {
  readonly errors?: ErrorBody["errors"];
  readonly requestId?: string | undefined;
}

/** An error answer of the service, or that the service cannot be reached (status 0, code `unreachable`). */
export class SandbarError extends Error {
  override name = "SandbarError";
  readonly status: number;
  /** The code for programs: see the errors of the OpenAPI document. */
  readonly code: string;
  /** The field of the body, or the parameter, that is not valid. */
  readonly field: string | undefined;
  /** The problems of `invalid_manifests` by document, line and field; else empty. */
  readonly problems: NonNullable<ErrorBody["error"]["problems"]>;
  /** All errors of `invalid_field`, the first of which is the message; else empty. */
  readonly errors: NonNullable<ErrorBody["errors"]>;
  /** The `Request-Id`, which an operator can look up. Undefined if the service returned none. */
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

/** Reports whether the service has refused a request. After other errors, and a conflict, it may have carried it out. */
export function isRefusal(error: unknown): boolean {
  return error instanceof SandbarError && error.status >= 400 && error.status < 500 && error.status !== 409;
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
/** Status codes of proxies that did not reach the service. */
const between = [502, 503, 504];

export function asking({ url, key, fetch = globalThis.fetch, retries = 2 }: SandbarOptions): Ask {
  return async (path, question = {}) => {
    const { method = "GET", signal } = question;
    const address = `${url ?? ""}${path}${queryText(question.query)}`;
    // Every creation gets a key, so that it is done once, however often the request is repeated.
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
    value === undefined ? [] : [value].flat().map((item): [string, string] => [name, String(item)]),
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs).toString()}` : "";
}

async function failureOf(answer: Response): Promise<SandbarError> {
  const text = await answer.text();
  try {
    // The service's answers follow its contract. A proxy's answer may not.
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

/** Returns the message of an error. Node has the details in its cause. */
function wordsOf({ cause, message }: Error): string {
  return cause instanceof Error && cause.message ? cause.message : message;
}
