// The local https address. TLS ends here, where a client's certificate can be heard of: most connections go on to the Worker's plain port
// byte for byte; those of certificates request by request, each with the certificate in a header.
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type Server, type TLSSocket } from "node:tls";
import type { Certificate } from "./certificate.ts";
import { host, type Settings } from "./settings.ts";

export interface FrontOptions extends Pick<Settings, "httpPort" | "httpsPort" | "listen"> {
  readonly certificate: Certificate;
  /** The header that tells of a client's certificate. */
  readonly header: string;
}

/** A name that no client knows: what comes through the plain port, or has no certificate, cannot pretend to one. */
export function certificateHeader(): string {
  return `sandbar-front-${randomBytes(16).toString("hex")}`;
}

/** Does not keep the process alive. */
export async function openFront({ certificate, header, httpPort, httpsPort, listen }: FrontOptions): Promise<Server> {
  const withCertificate = holdersServer(httpPort, header);
  const server = createTlsServer(
    {
      key: certificate.key,
      cert: certificate.certificate,
      // Whose it is, is for the sandbox to say; that the client has its key, TLS has proved.
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    },
    (socket) => {
      if (socket.getPeerCertificate().raw) withCertificate.emit("connection", socket);
      else join(socket, connect(httpPort, host));
    },
  );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(httpsPort, listen, resolve);
  await promise;
  server.unref();
  return server;
}

/** Serves connections of clients that have shown a certificate. */
function holdersServer(port: number, header: string) {
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (request, response) => {
    const outgoing = httpRequest(forwarded(request, port, header), (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      // A watch may have nothing to say for long.
      response.flushHeaders();
      answer.pipe(response);
      response.once("close", () => answer.destroy());
    });
    endTogether(outgoing, response);
    request.pipe(outgoing);
  });
  server.on("upgrade", (request, socket, head) => {
    const outgoing = httpRequest(forwarded(request, port, header));
    outgoing.on("upgrade", (answer, upstream, first) => {
      socket.write(headOf(answer));
      // What came with the headers has been read already.
      socket.write(first);
      upstream.write(head);
      join(socket, upstream);
    });
    outgoing.on("response", (answer) => {
      socket.write(headOf(answer));
      answer.pipe(socket);
    });
    outgoing.on("error", () => socket.destroy());
    outgoing.end();
  });
  return server;
}

function forwarded(request: IncomingMessage, port: number, header: string) {
  // Only connections of this server's TLS come here.
  const { raw } = (request.socket as TLSSocket).getPeerCertificate();
  const headers = [...request.rawHeaders, header, raw.toString("base64")];
  return { host, port, method: request.method, path: request.url, headers };
}

function headOf({ statusCode = 502, statusMessage = "", rawHeaders }: IncomingMessage): string {
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ""}`] : []));
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join("\r\n")}\r\n\r\n`;
}

function endTogether(outgoing: ReturnType<typeof httpRequest>, response: ServerResponse): void {
  outgoing.on("error", () => response.destroy());
  response.once("close", () => outgoing.destroy());
}

function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    if ("setNoDelay" in from) (from as Socket).setNoDelay(true);
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
  }
}
