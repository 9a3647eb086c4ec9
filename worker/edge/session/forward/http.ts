// HTTP/1.x on a forwarded connection: parses requests and encodes responses.
import { bytesOfText, lettersOfBytes, textOfLetters } from "../../../../shared/base/byte-text.ts";
import { statusText } from "../../../../shared/base/status-text.ts";
import type { ForwardAnswer } from "../../../../shared/contract/cluster-object.ts";
import { type Conversation, type SessionBuffer, newShare, tooMuch } from "./conversation.ts";

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as text: see `textOfBytes`. */
  readonly body: string;
  /** True if the client can send another request on the connection. */
  readonly keepsOpen: boolean;
}

export interface HttpReader {
  /** Parses bytes. Returns the reason why nothing more is read, or undefined. */
  take(bytes: Uint8Array): string | undefined;
  /** Returns the next complete request. */
  next(): HttpRequest | undefined;
  /** Releases the buffered bytes. */
  end(): void;
}

/** The limits of a head, of a line within a chunked body, and of the number of waiting requests. */
const longestHead = 32_768;
const mostWaiting = 100;

const requestLine = /^([A-Z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])$/;
/** The beginning of a request line. */
const requestStart = /^[A-Z]{0,20}( [\x20-\x7e\x80-\xff]*)?\r?$/;

/** The number of bytes of a body that a simulated server reads. */
const longestBody = 262_144;

const noHttp = "a simulated container is asked over HTTP/1.x alone";

/** Creates a conversation. `send` sends interim responses before the request is complete. */
export function newHttpConversation(
  send: (bytes: Uint8Array) => void,
  nowMs: () => number,
  buffer: SessionBuffer,
): Conversation {
  const reader = newHttpReader(() => send(proceedAnswer), buffer);
  return {
    take: (bytes) => reader.take(bytes),
    end: () => reader.end(),
    next: () => {
      const request = reader.next();
      if (!request) return undefined;
      // Connection reuse is handled here, not by the pod.
      const { keepsOpen, ...step } = request;
      const answer = (reply: ForwardAnswer | undefined) =>
        reply ? httpAnswer(request, reply, nowMs()) : new Uint8Array();
      return { step, answer, isLast: !keepsOpen };
    },
  };
}

/** Creates a reader. `proceed` is called when a client expects `100 Continue`. */
export function newHttpReader(proceed: () => void, buffer: SessionBuffer): HttpReader {
  const requests = newRequests(proceed);
  const share = newShare(buffer);
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

/** Splits the bytes of a connection into requests. */
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
  /** Parses a line of a chunked body; returns false if it is invalid. */
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
    const boundary = mark.exec(pending);
    if (!boundary) return undefined;
    const text = pending.slice(0, boundary.index);
    pending = pending.slice(boundary.index + boundary[0].length);
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
  /** The bytes that are buffered. */
  const length = () => waiting.reduce((sum, request) => sum + request.body.length, pending.length + body.length());
  return { waiting, read, length };
}

/** Collects a body, one letter for each byte. */
function newBody() {
  let text = "";
  let left = 0;
  let mark = 0;
  return {
    /** Expects a number of bytes, and then `ending` bytes that terminate them. */
    expect: (bytes: number, ending = 0) => {
      mark = ending;
      left = bytes + ending;
    },
    isExpected: () => left > 0,
    length: () => text.length,
    /** Returns the number of consumed bytes. */
    take: (pending: string): number => {
      const taken = Math.min(left, pending.length);
      text += pending.slice(0, Math.max(0, Math.min(taken, left - mark, longestBody - text.length)));
      left -= taken;
      return taken;
    },
    end: (): string => {
      const decoded = textOfLetters(text);
      text = "";
      return decoded;
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

/** Extracts the path, because requests to proxies have an absolute URL. */
function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : "/";
}
