// Sends a sandbox's call to an https server, and trusts only the authorities of the call.
import { request as httpsRequest, type RequestOptions } from "node:https";
import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import { bodyFailure, deadlineExceeded } from "../../shared/base/fetch-failures.ts";
import { limits } from "../../shared/base/limits.ts";
import type { TunnelAnswer, TunnelCall } from "../../shared/contract/tunnel.ts";
import { wordsOf } from "./words.ts";

/** An answer whose head has arrived. */
export interface Begun {
  readonly status: number;
  readonly headers: [string, string][];
  readonly body: IncomingMessage | Duplex;
}

/** Sends a call. `origin` is the server: scheme, host and port. `trusted` are the machine's own authorities, in PEM. Never rejects. */
export async function perform(
  question: TunnelCall,
  origin: string,
  trusted: readonly string[] | undefined = undefined,
): Promise<TunnelAnswer> {
  const { id } = question;
  const enough = AbortSignal.timeout(question.timeoutMs);
  let hasBegun = false;
  try {
    const { status, headers, body: rest } = await send(question, origin, trusted, enough);
    hasBegun = true;
    const body = await bodyOf(rest);
    if (!body) return { id, error: `the answer is longer than ${limits.outsideAnswerBytes} bytes` };
    return { id, status, headers, body: body.toString("base64") };
  } catch (error) {
    // The error of an aborted body does not name the cause.
    const why = enough.aborted ? deadlineExceeded : wordsOf(error, hostOf(origin));
    return { id, error: hasBegun ? bodyFailure(why) : why };
  }
}

/** Sends a call whose answer is streamed. `gone` ends it at any time. The body of a 101 response is the connection. Never rejects. */
export async function begin(
  question: TunnelCall,
  origin: string,
  trusted: readonly string[] | undefined,
  gone: AbortSignal,
): Promise<Begun | { readonly error: string }> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), question.timeoutMs);
  try {
    return await send(question, origin, trusted, AbortSignal.any([gone, late.signal]));
  } catch (error) {
    return { error: wordsOf(error, hostOf(origin)) };
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  question: TunnelCall,
  origin: string,
  trusted: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Begun> {
  const body = Buffer.from(question.body, "base64");
  const { promise, resolve, reject } = Promise.withResolvers<Begun>();
  const plain = headersOf(question.headers, question.serverName, body.length);
  const headers = question.upgrade ? { ...plain, connection: "Upgrade", upgrade: question.upgrade } : plain;
  // Only webhooks of a service on a user's machine may have http addresses.
  const request = new URL(origin).protocol === "http:" ? httpRequest : httpsRequest;
  const outgoing = request({ ...requestOf(question, origin, trusted), headers, signal });
  outgoing.once("response", (response) => resolve(begunOf(response, response)));
  outgoing.once("upgrade", (response, socket, head: Buffer) => {
    if (head.length > 0) socket.unshift(head);
    signal.addEventListener("abort", () => socket.destroy(), { once: true });
    resolve(begunOf(response, socket));
  });
  // Later errors are those of the body.
  outgoing.on("error", reject);
  outgoing.end(body);
  return promise;
}

function begunOf({ statusCode = 0, rawHeaders }: IncomingMessage, body: Begun["body"]): Begun {
  return { status: statusCode, headers: pairsOf(rawHeaders), body };
}

/** Returns the options of a request, with its server and trusted authorities. */
export function requestOf(question: TunnelCall, origin: string, trusted?: readonly string[]): RequestOptions {
  const { hostname } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, "");
  // Each call may trust other authorities, so no connection is reused.
  const { method, path } = question;
  return { host, port: portOf(origin), method, path, ...trustOf(question, trusted), agent: false };
}

function trustOf(
  { caBundle, insecure, serverName, client }: TunnelCall,
  trusted: readonly string[] | undefined,
): RequestOptions {
  const name = serverName.replace(/^\[|\]$/g, "");
  const ca = caBundle ? Buffer.from(caBundle, "base64").toString() : trusted && [...trusted];
  return {
    ...(isIP(name) === 0 ? { servername: name } : {}),
    rejectUnauthorized: insecure !== true,
    ...(client ? { cert: client.certificate, key: client.key } : {}),
    // As in Go, each of them is trusted, whether it is the server's own certificate or an intermediate one.
    ...(ca ? { ca, allowPartialTrustChain: true } : {}),
  };
}

/** Returns headers in which a name may have several values. */
export function headersOf(pairs: TunnelCall["headers"], serverName: string, length: number): OutgoingHttpHeaders {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const key = name.toLowerCase();
    if (!hopByHop.has(key)) values.set(key, [...(values.get(key) ?? []), value]);
  }
  return {
    ...Object.fromEntries(values),
    host: serverName,
    connection: "close",
    ...(length > 0 ? { "content-length": length } : {}),
  };
}

const hopByHop = new Set(["host", "connection", "content-length", "transfer-encoding", "upgrade", "keep-alive", "te"]);

async function bodyOf(response: Begun["body"]): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limits.outsideAnswerBytes) {
      response.destroy();
      return undefined;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? "";
    if (!hopByHop.has(name.toLowerCase())) pairs.push([name, raw[at + 1] ?? ""]);
  }
  return pairs;
}

function hostOf(origin: string): string {
  return `${new URL(origin).hostname}:${portOf(origin)}`;
}

function portOf(origin: string): string {
  const { protocol, port } = new URL(origin);
  return port || (protocol === "http:" ? "80" : "443");
}
