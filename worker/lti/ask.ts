// Calls a platform by HTTPS at a public address, without following redirects, and with a limit on the response's size.
import { base64Of } from "../../shared/base/base64.ts";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import { isPublicHost } from "../../shared/base/public-host.ts";
import { fetchTransport, hostTransport } from "../cluster/outside/transports.ts";

export interface PlatformRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  /** The headers with names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The response; `error` if there is none, or an unreadable one. */
export type PlatformAnswer =
  | { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly text: string }
  | { readonly error: string };

/** Never rejects. */
export type AskPlatform = (request: PlatformRequest) => Promise<PlatformAnswer>;

/** The Node.js process beside a Worker on a user's machine. With it, platforms can have private addresses and no TLS. */
export type LocalNode = Parameters<typeof hostTransport>[0];

export function askingPlatforms(node: LocalNode | undefined): AskPlatform {
  return async ({ url: text, method = "GET", headers = {}, body = "" }) => {
    const problem = urlProblem(text, node !== undefined);
    if (problem !== undefined) return { error: `the address ${problem}` };
    const url = new URL(text);
    // The Node.js process supports only TLS.
    const send = node && url.protocol === "https:" ? hostTransport(node) : fetchTransport;
    const answer = await send({
      id: "",
      origin: url.origin,
      path: url.pathname + url.search,
      serverName: url.hostname,
      method,
      headers: Object.entries({ "user-agent": "sandbar-lti", ...headers }),
      body: base64Of(new TextEncoder().encode(body)),
      timeoutMs: ltiLimits.answerMs,
    });
    if ("error" in answer) return { error: answer.error };
    if (answer.body.length > ltiLimits.answerBytes) {
      return { error: `the answer is longer than ${ltiLimits.answerBytes} bytes` };
    }
    const pairs = answer.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    return { status: answer.status, headers: new Map(pairs), text: new TextDecoder().decode(answer.body) };
  };
}

/** Returns the JSON of a successful response, or the reason why there is none. */
export function jsonOf(
  answer: PlatformAnswer,
): { readonly json: unknown } | { readonly error: string; readonly status?: number } {
  if ("error" in answer) return answer;
  const { status, text } = answer;
  if (status < 200 || status > 299) return { error: `it answered ${status}`, status };
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return { error: "it did not answer JSON" };
  }
}

/** Returns the problem of a URL as the rest of a sentence about it, or undefined if it can be called. */
export function urlProblem(text: string, mayBePrivate: boolean): string | undefined {
  if (text.length > ltiLimits.urlCharacters) return `must not exceed ${ltiLimits.urlCharacters} characters`;
  if (!URL.canParse(text)) return "is not a URL";
  const { protocol, username, password, hostname } = new URL(text);
  if (username !== "" || password !== "") return "must not have a user name";
  if (mayBePrivate && protocol === "http:") return undefined;
  if (protocol !== "https:") return "must begin with https://";
  return mayBePrivate || isPublicHost(hostname) ? undefined : "is not public";
}
