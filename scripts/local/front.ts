// The local addresses: plain http, and https, whose TLS ends here. Each connection goes on to workerd through a gate that checks its requests.
// A client's certificate, which only TLS's end knows, goes with each request in a header.
import { randomBytes } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { type Server, type Socket, connect, createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { type ErrorBody, type ErrorCode, problemOf, problemType } from "../../shared/contract/error.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { Certificate } from "./certificate.ts";
import { RequestGate } from "./request-gate.ts";
import type { HeadRefusal } from "./request-head.ts";
import { host, type Settings } from "./settings.ts";

export interface FrontOptions extends Pick<Settings, "httpPort" | "httpsPort" | "listen" | "httpListen"> {
  readonly certificate: Certificate;
  /** The header that carries a client's certificate. */
  readonly header: string;
  /** The port of the workerd that serves; undefined while none does. */
  workerPort(): number | undefined;
}

/** Both servers. */
export interface Front {
  readonly http: Server;
  readonly https: Server;
}

/** Milliseconds and bytes for which a refused client may go on sending: closed at once, it might not read the refusal. */
const lingerMs = 1_000;
const restarting: HeadRefusal = { code: 503, message: "the service is being restarted, try again" };

/** Returns a name that no client knows, so that nobody can send a certificate as a header. */
export function certificateHeader(): string {
  return `sandbar-front-${randomBytes(16).toString("hex")}`;
}

/** Does not keep the process alive. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const { certificate, header, httpPort, httpsPort, listen, httpListen } = options;
  const http = createServer({ noDelay: true }, (socket) => pass(socket, options));
  const https = createTlsServer(
    {
      key: certificate.key,
      cert: certificate.certificate,
      // The sandbox judges whose it is. TLS has proved that the client has its key.
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

function pass(client: Socket, { workerPort }: FrontOptions, added: readonly (readonly [string, string])[] = []): void {
  const worker = connect({ port: workerPort() ?? 0, host, noDelay: true });
  const state = { bytesBefore: 0, isConnected: false };
  const gate = new RequestGate({
    added,
    pass: () => {
      state.bytesBefore = worker.bytesRead;
    },
    refuse: (refusal, path, isInBody) => {
      worker.unpipe(client);
      worker.destroy();
      // Bytes of an answer are on their way: a refusal would be taken for a part of it.
      if (isInBody && worker.bytesRead > state.bytesBefore) return void client.destroy();
      client.end(answerOf(refusal, path));
      setTimeout(() => client.destroy(), lingerMs).unref();
    },
  });
  client.pipe(gate).pipe(worker);
  worker.pipe(client);
  client.on("error", () => worker.destroy());
  client.on("close", () => worker.destroy());
  worker.on("connect", () => {
    state.isConnected = true;
  });
  worker.on("error", () => {
    // A request that has not reached workerd can be repeated; whether others were carried out is unknown.
    if (state.isConnected) client.destroy();
    else gate.close(restarting);
  });
  worker.on("close", () => {
    if (state.isConnected && !gate.isRefused) client.destroySoon();
  });
}

/** The control API's error for its own paths, else a `Status`. */
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
  };
  return problemOf(code, { code: codes[code] ?? "malformed_request", message });
}

function status(code: number, message: string) {
  const reasons: Readonly<Record<number, string>> = {
    400: "BadRequest",
    404: "NotFound",
    405: "MethodNotAllowed",
    503: "ServiceUnavailable",
  };
  const details = code === 503 ? { retryAfterSeconds: 1 } : undefined;
  return new ApiError(code, reasons[code] ?? "", message, details).toStatus();
}
