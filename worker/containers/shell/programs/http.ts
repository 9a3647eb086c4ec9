// Functions that HTTP clients share: parsing of URLs, and the head of an answer.
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { statusText } from "../../../../shared/base/status-text.ts";
import type { ServerAnswer } from "../../../../shared/k8s/port-request.ts";

export interface Url {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** The path with its query. */
  readonly path: string;
  /** The user as `name:password`. */
  readonly user?: string;
}

export function urlOf(text: string): Url | undefined {
  const match = /^(?:(https?|ftp):\/\/)?(?:([^@/]*)@)?(\[[0-9a-f:.]+\]|[^:/?#]+)(?::(\d+))?([/?][^#]*)?(?:#.*)?$/i.exec(
    text,
  );
  if (!match) return undefined;
  const [, scheme = "http", user, host = "", port, path = "/"] = match;
  return {
    scheme: scheme.toLowerCase(),
    host: host.replace(/^\[|\]$/g, ""),
    port: Number(port ?? (scheme.toLowerCase() === "https" ? 443 : 80)),
    path: path.startsWith("/") ? path : `/${path}`,
    ...(user === undefined ? {} : { user }),
  };
}

/** Returns the value of the `Host` header. */
export function hostOf({ scheme, host, port }: Url): string {
  const defaultPort = scheme === "https" ? 443 : 80;
  return `${host.includes(":") ? `[${host}]` : host}${port === defaultPort ? "" : `:${port}`}`;
}

/** Returns the target of a redirect. */
export function redirected(url: Url, answer: ServerAnswer): Url | undefined {
  const to = answer.headers?.find(([name]) => name.toLowerCase() === "location")?.[1];
  if (answer.status < 300 || answer.status > 399 || !to) return undefined;
  return /^https?:/.test(to) ? urlOf(to) : { ...url, path: to.startsWith("/") ? to : `/${to}` };
}

/** Returns `HTTP/1.1 200 OK` and the headers that follow. */
export function headOf(
  { status, contentType, headers = [], body, product, keepsAlive }: ServerAnswer,
  nowMs: number,
): string[] {
  const hasBody = status !== 204 && status !== 304;
  return [
    `HTTP/1.1 ${status} ${statusText(status)}`,
    ...(product === undefined ? [] : [`Server: ${product}`]),
    `Date: ${new Date(nowMs).toUTCString()}`,
    ...(hasBody ? [`Content-Type: ${contentType}`, `Content-Length: ${byteLength(body)}`] : []),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(keepsAlive ? ["Connection: keep-alive"] : []),
  ];
}

/** Returns the answer of every host outside the sandbox. */
export function pageOfOutside({ host }: Url): ServerAnswer {
  const body = `There is nothing outside of this sandbox: ${host} was not asked, and this text stands for what it would have said.\n`;
  return { status: 200, contentType: "text/plain; charset=utf-8", body };
}

/** The answer of an HTTP server to a request that is not HTTP. */
export const badRequest =
  "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request";
