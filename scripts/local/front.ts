// The local addresses: plain http, and https, whose TLS ends here. Each connection is forwarded to workerd through a gate that checks its
// requests. A client's certificate, which only this end of TLS knows, is added to each request as a header.
import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { type Server, type Socket, connect, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type ErrorBody, type ErrorCode, problemOf, problemType } from "../../shared/contract/error.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { Certificate } from "./certificate.ts";
import { RequestGate } from "./request-gate.ts";
import type { HeadRefusal } from "./request-head.ts";
import { host, type Settings } from "./settings.ts";

export interface FrontOptions extends Pick<Settings, "httpPort" | "httpsPort" | "listen" | "httpListen"> {
  readonly certificate: Certificate;
  /** The header that carries a client's certificate. */
  readonly header: string;
  /** Returns the port of the workerd that serves a sandbox, or the service itself; undefined if it does not listen. */
  portFor(sandbox: string | undefined): number | undefined;
}

/** The two servers. */
export interface Front {
  readonly http: Server;
  readonly https: Server;
}

/** Milliseconds and bytes that a refused client may still send. If the connection closed at once, the client might not read the refusal. */
const lingerMs = 1_000;
/** Milliseconds after which an idle connection is closed. Go's client closes it after 90 seconds. */
const idleMs = 120_000;
/** Milliseconds for which an idle connection to workerd is used again. workerd closes it after 5,000, maybe while a request is on its way. */
const reuseMs = 3_000;
const restarting: HeadRefusal = { code: 503, message: "the service is being restarted, try again" };
const interrupted: HeadRefusal = {
  code: 504,
  message: "the service was restarted before it answered, so whether the request was carried out is not known",
};

/** Returns a random header name, so that no client can send a certificate as a header. */
export function certificateHeader(): string {
  return `sandbar-front-${randomBytes(16).toString("hex")}`;
}

/** Opens the servers. They do not keep the process alive. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { certificate, header, httpPort, httpsPort, listen, httpListen } = options;
  const http = createServer({ noDelay: true }, (socket) => pass(socket, options));
  const https = createTlsServer(
    {
      key: certificate.key,
      cert: certificate.certificate,
      // TLS proves that the client has the certificate's key. The sandbox checks who signed it.
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      noDelay: true,
    },
    (socket) => {
      const { raw } = socket.getPeerCertificate();
      pass(socket, options, raw ? [[header, raw.toString("base64")]] : []);
    },
  );
  await Promise.all([listening(http, httpPort, httpListen), listening(https, httpsPort, listen)]);
  return { http, https };
}

async function listening(server: Server, port: number, address: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, address, resolve);
  await promise;
  server.unref();
}

/** Forwards the requests of a client's connection, each to the workerd of its sandbox. */
function pass(client: Socket, { portFor }: FrontOptions, added: readonly (readonly [string, string])[] = []): void {
  const answers = new AnswerReader();
  /** The connections to workerd by port. One of them, `current`, has the requests that are not answered. */
  const connections = new Map<number, { readonly socket: Socket; usedAtMs: number }>();
  let current: Socket | undefined;
  const destroyAll = () => {
    for (const { socket } of connections.values()) socket.destroy();
  };
  /** Closes the connection of a client that sends no request. */
  const idle = setTimeout(() => {
    if (answers.next === undefined) client.destroy();
    else idle.refresh();
  }, idleMs).unref();
  const gate = new RequestGate({
    added,
    pass: (method, sandbox) => {
      // Every workerd can answer every request, so a request that follows an unfinished one goes the same way.
      const isIdle = answers.next === undefined && gate.readableLength === 0;
      if (isIdle || !current) use(portFor(sandbox) ?? 0);
      answers.expectAnswer(method);
    },
    refuse: (refusal, path) => {
      destroyAll();
      // Bytes of an answer were sent, so the client would read a refusal as part of it.
      if (answers.hasBegun) return void client.destroy();
      client.end(answerOf(refusal, path));
      setTimeout(() => client.destroy(), lingerMs).unref();
    },
  });
  const use = (port: number) => {
    const connection = reusable(port) ?? open(port);
    if (connection === current) return;
    if (current) gate.unpipe(current);
    current = connection;
    gate.pipe(connection);
  };
  const reusable = (port: number): Socket | undefined => {
    const entry = connections.get(port);
    if (!entry || performance.now() - entry.usedAtMs < reuseMs) return entry?.socket;
    entry.socket.destroy();
    return undefined;
  };
  const open = (port: number): Socket => {
    const connection = connect({ port, host, noDelay: true });
    const entry = { socket: connection, usedAtMs: performance.now() };
    const state = { isConnected: false, isLost: false };
    const lose = (isBroken: boolean) => {
      if (state.isLost) return;
      state.isLost = true;
      if (connections.get(port) === entry) connections.delete(port);
      connection.unpipe(client);
      if (current !== connection) return;
      gate.unpipe(connection);
      current = undefined;
      const method = answers.next;
      // workerd closes idle connections: the next request gets another.
      if (gate.isRefused || method === undefined) return;
      // A request that did not reach workerd can be repeated, and so can one that only reads.
      if (!state.isConnected) gate.close(restarting);
      else if (!answers.hasBegun) gate.close(isSafe(method) ? restarting : interrupted);
      else if (isBroken) client.destroy();
      else client.destroySoon();
    };
    connection.on("data", (bytes: Buffer) => {
      answers.read(bytes);
      entry.usedAtMs = performance.now();
      idle.refresh();
    });
    connection.on("connect", () => {
      state.isConnected = true;
    });
    connection.on("error", () => lose(true));
    connection.on("close", () => lose(false));
    connection.pipe(client, { end: false });
    connections.set(port, entry);
    return connection;
  };
  client.pipe(gate);
  client.on("error", destroyAll);
  client.on("close", () => {
    clearTimeout(idle);
    destroyAll();
  });
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/** Returns the control API's error for its own paths, otherwise a `Status`. */
function answerOf({ code, message }: HeadRefusal, path: string): string {
  const body =
    code === 200 ? "" : JSON.stringify(isControl(path) ? controlError(code, message) : status(code, message));
  const lines = [
    `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ""}`,
    ...(body ? [`Content-Type: ${isControl(path) ? problemType : "application/json"}`] : []),
    ...(code === 503 ? ["Retry-After: 1"] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function isControl(path: string): boolean {
  return path.startsWith("/v1/") || path === "/healthz" || path === "/metrics";
}

function controlError(code: number, message: string): ErrorBody {
  const codes: Readonly<Record<number, ErrorCode>> = {
    404: "not_found",
    405: "method_not_allowed",
    431: "header_too_large",
    503: "restarting",
    504: "interrupted",
  };
  return problemOf(code, { code: codes[code] ?? "malformed_request", message });
}

function status(code: number, message: string) {
  const reasons: Readonly<Record<number, string>> = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    503: "ServiceUnavailable",
    504: "Timeout",
  };
  const details = code === 503 ? { retryAfterSeconds: 1 } : undefined;
  return new ApiError(code, reasons[code] ?? "", message, details).toStatus();
}
