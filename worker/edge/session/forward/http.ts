// HTTP/1.x on a forwarded connection: what the client's bytes ask, and the bytes of an answer.
import { bytesOfText, lettersOfBytes, textOfLetters } from "../../../../shared/base/byte-text.ts";
import { statusText } from "../../../../shared/base/status-text.ts";
import type { ForwardAnswer } from "../../../../shared/contract/cluster-object.ts";
import { type Conversation, type Held, newShare, tooMuch } from "./conversation.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** As text: see `textOfBytes`. */
  readonly body: string;
  /** The client may ask again on the same connection. */
  readonly keepsOpen: boolean;
}

export interface HttpReader {
  /** Why nothing more is read; undefined while all is well. */
  take(bytes: Uint8Array): string | undefined;
  /** Requests that have come whole, in their order. */
  next(): HttpRequest | undefined;
  /** Nothing more is asked of it: what it holds is let go. */
  end(): void;
}

/** A head, or a line within a chunked body, may be as long as this; and so many requests may wait. */
const longestHead = 32_768;
const mostWaiting = 100;

const requestLine = /^([A-Z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])$/;
/** The beginning of one. */
const requestStart = /^[A-Z]{0,20}( [\x20-\x7e\x80-\xff]*)?\r?$/;

/** Of a longer body a simulated server reads the beginning. */
const longestBody = 262_144;

const noHttp = "a simulated container is asked over HTTP/1.x alone";

/** `send` takes what the client is told before its request has come whole. */
export function newHttpConversation(send: (bytes: Uint8Array) => void, nowMs: () => number, held: Held): Conversation {
  const reader = newHttpReader(() => send(proceedAnswer), held);
  return {
    take: (bytes) => reader.take(bytes),
    end: () => reader.end(),
    next: () => {
      const request = reader.next();
      if (!request) return undefined;
      // Whether the connection is kept is nobody's business but ours.
      const { keepsOpen, ...step } = request;
      const answer = (said: ForwardAnswer | undefined) =>
        said ? httpAnswer(request, said, nowMs()) : new Uint8Array();
      return { step, answer, isLast: !keepsOpen };
    },
  };
}

/** `proceed` is called when a client waits for leave to send a body. */
export function newHttpReader(proceed: () => void, held: Held): HttpReader {
  const requests = newRequests(proceed);
  const share = newShare(held);
  return {
    next: () => {
      const next = requests.waiting.shift();
      share.set(requests.length());
      return next;
    },
    take: (bytes) => {
      const isGood = requests.read(bytes) === "good";
      share.set(requests.length());
      if (!isGood) return noHttp;
      return share.isTooMuch() ? tooMuch : undefined;
    },
    end: () => share.set(0),
  };
}

/** Tells requests apart in the bytes of a connection. */
function newRequests(proceed: () => void) {
  const waiting: HttpRequest[] = [];
  let pending = "";
  let request: HttpRequest | undefined;
  const body = newBody();
  let chunks: "none" | "sizes" | "trailers" = "none";
  const end = () => {
    if (request) waiting.push({ ...request, body: body.end() });
    request = undefined;
    chunks = "none";
  };
  const begin = (head: string) => {
    const [first = "", ...lines] = head.split(/\r?\n/);
    const [, method = "", target = "", minor] = requestLine.exec(first) ?? [];
    const header = headersOf(lines);
    const connection = (header.get("connection") ?? "").toLowerCase();
    const keepsOpen = minor === "1" ? !connection.includes("close") : connection.includes("keep-alive");
    request = { method, path: pathOf(textOfLetters(target)), keepsOpen, headers: [...header], body: "" };
    const length = Number(header.get("content-length") ?? 0);
    if (!Number.isSafeInteger(length) || length < 0) return false;
    if (/chunked/i.test(header.get("transfer-encoding") ?? "")) chunks = "sizes";
    else body.expect(length);
    const hasBody = chunks !== "none" || length > 0;
    if (hasBody && /100-continue/i.test(header.get("expect") ?? "")) proceed();
    return true;
  };
  /** One line of a chunked body; false for what is none. */
  const chunk = (line: string) => {
    if (chunks === "trailers") {
      if (line === "") end();
      return true;
    }
    const size = /^[0-9a-f]{1,12}(?=;|\s*$)/i.exec(line)?.[0];
    if (size === undefined) return false;
    if (/^0+$/.test(size)) chunks = "trailers";
    else body.expect(Number.parseInt(size, 16), 2);
    return true;
  };
  const takeUntil = (mark: RegExp) => {
    const found = mark.exec(pending);
    if (!found) return undefined;
    const text = pending.slice(0, found.index);
    pending = pending.slice(found.index + found[0].length);
    return text;
  };
  const read = (bytes: Uint8Array): "good" | "no HTTP" => {
    pending += lettersOfBytes(bytes);
    for (;;) {
      pending = pending.slice(body.take(pending));
      if (body.isExpected()) return "good";
      if (request && chunks === "none") end();
      if (waiting.length > mostWaiting) return "no HTTP";
      if (!request) pending = pending.replace(/^[\r\n]+/, "");
      if (!request && !mayBeRequest(pending)) return "no HTTP";
      const text = takeUntil(request ? /\r?\n/ : /\r?\n\r?\n/);
      if (text === undefined) return pending.length <= longestHead ? "good" : "no HTTP";
      if (!(request ? chunk(text) : begin(text))) return "no HTTP";
    }
  };
  /** Bytes of all that is held. */
  const length = () => waiting.reduce((sum, one) => sum + one.body.length, pending.length + body.length());
  return { waiting, read, length };
}

/** A body as it comes, a letter for each byte. */
function newBody() {
  let text = "";
  let left = 0;
  let mark = 0;
  return {
    /** So many bytes come next, and behind them others that only end them. */
    expect: (bytes: number, ending = 0) => {
      mark = ending;
      left = bytes + ending;
    },
    isExpected: () => left > 0,
    length: () => text.length,
    /** Returns how many were taken. */
    take: (pending: string): number => {
      const taken = Math.min(left, pending.length);
      text += pending.slice(0, Math.max(0, Math.min(taken, left - mark, longestBody - text.length)));
      left -= taken;
      return taken;
    },
    end: (): string => {
      const whole = textOfLetters(text);
      text = "";
      return whole;
    },
  };
}

export function httpAnswer({ method, keepsOpen }: HttpRequest, answer: ForwardAnswer, nowMs: number): Uint8Array {
  const { status, contentType, body, headers = [] } = answer;
  const hasBody = status !== 204 && status !== 304;
  const encoder = new TextEncoder();
  const content = bytesOfText(hasBody ? body : "");
  const lines = [
    `HTTP/1.1 ${status} ${statusText(status)}`,
    `Date: ${new Date(nowMs).toUTCString()}`,
    ...(hasBody ? [`Content-Type: ${contentType}`, `Content-Length: ${content.length}`] : []),
    ...headers.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, " ")}`),
    `Connection: ${keepsOpen ? "keep-alive" : "close"}`,
  ];
  const head = encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
  if (method === "HEAD") return head;
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

const proceedAnswer = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

function mayBeRequest(text: string): boolean {
  const end = text.indexOf("\n");
  return end < 0 ? requestStart.test(text) : requestLine.test(text.slice(0, end).replace(/\r$/, ""));
}

function headersOf(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(":");
      return [name.trim().toLowerCase(), value.join(":").trim()];
    }),
  );
}

/** Proxies are asked with a whole address. */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : "/";
}
