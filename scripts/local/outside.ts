// Makes the outbound calls of a local run in Node, which can trust the authority in a webhook's configuration. `nodeHeaders` describes the
// protocol.
import { randomBytes } from "node:crypto";
import { statfsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { deadlineExceeded } from "../../shared/base/fetch-failures.ts";
import {
  type DirectCall,
  directCall,
  nodeHeaders,
  objectFilePath,
  openedPath,
  signInLinkPath,
} from "../../shared/contract/tunnel.ts";
import { processPath } from "../../shared/contract/hosted/processes.ts";
import { begin, headersOf, perform, requestOf } from "../../client/tunnel/perform.ts";
import { wordsOf } from "../../client/tunnel/words.ts";
import { removeDamagedObject } from "./damaged-object.ts";
import type { SignInLink } from "./sign-in-link.ts";

export interface OutsideServer {
  /** Host and port. */
  readonly address: string;
  /** A header that every request must have, so that other programs on this machine are not served. */
  readonly key: { readonly name: string; readonly value: string };
}

/** The limit of headers. Calls may contain certificate authorities, and may be sent in a header. */
const headerBytes = 1_048_576;
/** Longer than the Worker keeps a connection, since a connection that is closed while it is used would be an error. */
const keepAliveMs = 600_000;
const keyName = "sandbar-node-key";

export interface OutsideOptions {
  /** The folder whose disk holds all data. */
  readonly data: string;
  /** Resolves when the service is ready. */
  readonly opened: Promise<void>;
  /** Signs in to the console. */
  readonly link: Pick<SignInLink, "exchange">;
  /** Starts a process, and resolves when it serves. */
  startProcess(process: number): Promise<void>;
}

/** Starts the server. It does not keep the process alive. */
export async function serveOutside({ data, opened, link, startProcess }: OutsideOptions): Promise<OutsideServer> {
  const key = { name: keyName, value: randomBytes(24).toString("hex") };
  const isOurs = ({ headers }: IncomingMessage) => headers[keyName] === key.value;
  const server = createServer(
    { maxHeaderSize: headerBytes, requestTimeout: 0, keepAliveTimeout: keepAliveMs },
    (request, response) => {
      if (!isOurs(request)) return void response.writeHead(403).end();
      if (request.url === openedPath) return void opened.then(() => response.end());
      if (request.url === "/room") return void response.end(String(freeIn(data)));
      if (request.method === "DELETE" && request.url?.startsWith(objectFilePath)) {
        return void response.writeHead(removeDamagedObject(data, request.url.slice(objectFilePath.length))).end();
      }
      if (request.url?.startsWith(processPath)) {
        const end = (status: number) => void response.writeHead(status).end();
        return void startProcess(Number(request.url.slice(processPath.length))).then(
          () => end(204),
          () => end(503),
        );
      }
      const answers = request.url === signInLinkPath ? exchange(request, response, link) : answer(request, response);
      void answers.catch(() => response.destroy());
    },
  );
  server.on("upgrade", (request, socket) => {
    if (isOurs(request)) upgrade(request, socket);
    else socket.destroy();
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  server.unref();
  // A server that listens on a port has an address.
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, key };
}

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  link: Pick<SignInLink, "exchange">,
): Promise<void> {
  const key = link.exchange(await textOf(request));
  response.writeHead(key === undefined ? 404 : 200).end(key);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { origin, ...question } = directCall.parse(JSON.parse(await textOf(request)));
  if (request.url !== "/stream") {
    response.end(JSON.stringify(await perform(question, origin)));
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const begun = await begin(question, origin, undefined, gone.signal);
  if ("error" in begun) {
    response.writeHead(200, { [nodeHeaders.error]: encodeURIComponent(begun.error) }).end();
    return;
  }
  const { status, headers, body } = begun;
  response.writeHead(200, { [nodeHeaders.answer]: encodeURIComponent(JSON.stringify({ status, headers })) });
  response.flushHeaders();
  await pipeline(body, response);
}

/** Forwards the Worker's handshake to the server. After the handshake the bytes of both pass unchanged. */
function upgrade(request: IncomingMessage, socket: Duplex): void {
  const refuse = (why: string) => {
    const lines = [
      "HTTP/1.1 200 OK",
      `${nodeHeaders.error}: ${encodeURIComponent(why)}`,
      "Content-Length: 0",
      "Connection: close",
    ];
    socket.end(`${lines.join("\r\n")}\r\n\r\n`);
  };
  const call = questionOf(request);
  if (!call) return void socket.destroy();
  const { origin, ...question } = call;
  const handshake = Object.entries(request.headers).filter(([name]) =>
    /^(upgrade|connection|sec-websocket-.*)$/.test(name),
  );
  const headers = { ...headersOf(question.headers, question.serverName, 0), ...Object.fromEntries(handshake) };
  const outgoing = httpsRequest({ ...requestOf(question, origin), headers });
  // The deadline for the complete answer, however slowly it is sent.
  const late = setTimeout(() => outgoing.destroy(new Error(deadlineExceeded)), question.timeoutMs);
  for (const event of ["response", "upgrade", "close"]) outgoing.once(event, () => clearTimeout(late));
  outgoing.on("error", (error) => refuse(wordsOf(error, new URL(origin).host)));
  outgoing.on("response", (response) => {
    void answerPlainly(response, socket).catch(() => socket.destroy());
  });
  outgoing.on("upgrade", (response, far, head) => {
    far.setTimeout(0);
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${linesOf(response)}\r\n`);
    if (head.length > 0) socket.write(head);
    for (const [from, to] of [
      [far, socket],
      [socket, far],
    ] as const)
      void pipeline(from, to).catch(() => to.destroy());
  });
  outgoing.end();
}

/** Forwards the answer of a server that refuses to upgrade. */
async function answerPlainly(response: IncomingMessage, socket: Duplex): Promise<void> {
  const pairs = response.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1] ?? ""]] : []));
  const begun = encodeURIComponent(JSON.stringify({ status: response.statusCode, headers: pairs }));
  socket.write(`HTTP/1.1 200 OK\r\n${nodeHeaders.answer}: ${begun}\r\nConnection: close\r\n\r\n`);
  await pipeline(response, socket);
}

function linesOf({ rawHeaders }: IncomingMessage): string {
  return rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join("");
}

function questionOf({ headers }: IncomingMessage): DirectCall | undefined {
  const text = headers[nodeHeaders.call];
  try {
    return directCall.parse(JSON.parse(decodeURIComponent(String(text))));
  } catch {
    return undefined;
  }
}
