// Fuzz targets of network input: targets and queries of the API, frames of sessions, and bytes on forwarded connections.
import { textOfBytes } from "../../../shared/base/byte-text.ts";
import { decodeFrame, encodeFrame, protocolOf } from "../../../worker/edge/session/channels.ts";
import type { Conversation } from "../../../worker/edge/session/forward/conversation.ts";
import { newHttpConversation, newHttpReader } from "../../../worker/edge/session/forward/http.ts";
import { newRespConversation } from "../../../worker/edge/session/forward/resp.ts";
import { dataFrame, newFrameReader, openFrame, pingFrame } from "../../../worker/edge/session/spdy/frames.ts";
import { newHeaderReader, newHeaderWriter } from "../../../worker/edge/session/spdy/headers.ts";
import { requestInfo } from "../../../worker/api/request-info.ts";
import { parseRequestUrl, portOf, queryOf, hostname } from "../../../shared/cel/request-url.ts";
import { newServer, type TestServer } from "../../api/server.ts";
import { apiResultOf, holds, resultOf, sameJson, type Target, binaryText, bytesIn } from "../target.ts";

let server: TestServer | undefined;
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "CONNECT"];

const requests: Target = {
  name: "API request",
  share: 150,
  corpus: [
    "GET /api/v1/namespaces/default/pods?limit=1&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx",
    "GET /apis/apps/v1/deployments?watch=1&resourceVersion=0&timeoutSeconds=1&allowWatchBookmarks=true",
    "PATCH /api/v1/namespaces/default/configmaps/kube-root-ca.crt?fieldManager=m&force=true&dryRun=All",
    "POST /api/v1/namespaces/default/pods/p/exec?command=sh&stdin=1&container=c",
    "DELETE /api/v1/nodes/node-1?gracePeriodSeconds=0&propagationPolicy=Orphan&dryRun=All",
    "GET /openapi/v3/apis/apps/v1?hash=x",
    "GET /apis?x",
    "PUT /api/v1/namespaces/default/services/kubernetes/proxy/a//b/../c?x=%zz",
  ],
  words: [
    "/",
    "//",
    "..",
    "%2f",
    "%00",
    "%",
    "%zz",
    "?",
    "&",
    "=",
    ";",
    "#",
    "api",
    "apis",
    "v1",
    "namespaces",
    "pods",
    "status",
    "watch",
    "proxy",
    "limit",
    "continue",
    "resourceVersion",
    "-1",
    "labelSelector",
    "((",
    "é",
    "*",
    "@",
    ":",
    "exec",
    "log",
    "finalize",
    "-",
    "scale",
  ],
  run: async (input) => {
    const [first = "", ...rest] = input.split(" ");
    const method = methods.includes(first) ? first : "GET";
    const target = rest.join(" ");
    let url: URL;
    try {
      url = new URL(target, "http://cluster");
    } catch {
      return;
    }
    apiResultOf(() => requestInfo(method, url.pathname, url.searchParams));
    if (method === "CONNECT") return;
    server ??= newServer();
    const body = method === "GET" || method === "HEAD" ? {} : { body: "{}" };
    const { code, text } = await server.ask(method, `${url.pathname}${url.search}`, body);
    holds(code >= 200 && code !== 500, `${code}: ${text.slice(0, 300)}`);
    if (server.bugs.length > 0) {
      const [bug] = server.bugs;
      server = undefined;
      throw bug;
    }
  },
};

const urls: Target = {
  name: "URL of an expression",
  corpus: [
    "https://user@example.com:80/a%20b?x=1&x=2&y=a+b#f",
    "/path?x",
    "http://[::1]:8080/",
    "mailto:a@b",
    "//host/p",
  ],
  words: ["://", "/", "?", "#", "@", ":", "[", "]", "%", "%41", "%zz", "..", "é", ";", "&", "="],
  run: (input) => {
    const url = resultOf(() => parseRequestUrl(input));
    if (!url || !("host" in url)) return;
    resultOf(() => [hostname(url), portOf(url), [...queryOf(url)]]);
  },
};

/** The bytes in pieces, so that boundaries fall anywhere. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 1013)
    yield bytes.subarray(at, at + size);
}

const frames: Target = {
  name: "WebSocket and SPDY frame",
  corpus: [
    binaryText(pingFrame(1)),
    binaryText(openFrame(1, newHeaderWriter()({ streamtype: "data", port: "80" }))) +
      binaryText(dataFrame(1, bytesIn("GET /"), true)),
    "\0stdin",
    '\x04{"Width":80,"Height":24}',
    "0aGVsbG8=",
  ],
  words: [
    "\x80\x03\0\x01",
    "\x80\x03\0\x03",
    "\0\0\0\x01",
    "\x01\0\0\x05",
    "\xff\xff\xff",
    "\x78\x9c",
    "\0\0\0\0",
    "=",
  ],
  run: (input) => {
    const bytes = bytesIn(input);
    for (const isText of [true, false]) {
      const frame = resultOf(() => decodeFrame({ isText }, isText ? input : bytes.slice().buffer));
      if (!frame || frame.channel < 0 || frame.channel > 200) continue;
      const again = encodeFrame({ isText }, frame.channel, frame.bytes);
      const read = decodeFrame({ isText }, typeof again === "string" ? again : again.slice().buffer);
      sameJson(read, frame, "a frame that is encoded and decoded");
    }
    resultOf(() => protocolOf(input));
    const wholeFrames = resultOf(() => newFrameReader()(bytes));
    const reader = newFrameReader();
    const readHeaders = newHeaderReader();
    const pieceFrames = [];
    for (const piece of pieces(bytes)) {
      const some = resultOf(() => reader(piece));
      if (!some) break;
      pieceFrames.push(...some);
    }
    if (wholeFrames) sameJson(pieceFrames.length, wholeFrames.length, "frames that come in pieces");
    for (const frame of pieceFrames) if (frame.type === "open") resultOf(() => readHeaders(frame.block));
    resultOf(() => newHeaderReader()(bytes));
  },
};

/** Counts the exchanges that a conversation reads from pieces of bytes. */
function exchanges(conversation: Conversation, all: Iterable<Uint8Array>): number {
  let count = 0;
  for (const piece of all) {
    const isOver = conversation.take(piece) !== undefined;
    for (let next = conversation.next(); next; next = conversation.next()) {
      next.answer(undefined);
      next.done?.();
      count++;
    }
    if (isOver) break;
  }
  conversation.end();
  return count;
}

/** Throws unless a body and an argument arrive unchanged. */
function bodyArrives(bytes: Uint8Array): void {
  const reader = newHttpReader(() => undefined, { bytes: 0 });
  reader.take(bytesIn(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes.length}\r\n\r\n`));
  for (const piece of pieces(bytes)) reader.take(piece);
  holds(reader.next()?.body === textOfBytes(bytes), "a body does not arrive as it was sent");
  const redis = newRespConversation({ bytes: 0 });
  redis.take(bytesIn(`*1\r\n$${bytes.length}\r\n${binaryText(bytes)}\r\n`));
  const step = redis.next()?.step;
  const [word] = step && "command" in step ? (step.command ?? []) : [];
  if (step !== undefined) holds(word === textOfBytes(bytes), "an argument does not arrive as it was sent");
}

const connections: Target = {
  name: "HTTP and RESP on a forwarded connection",
  corpus: [
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
    "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: x\r\n\r\n",
    "*2\r\n$3\r\nGET\r\n$1\r\na\r\n",
    'PING\r\nSET a "b c"\r\n*1\r\n$4\r\nQUIT\r\n',
  ],
  words: [
    "\r\n",
    "\r\n\r\n",
    "Content-Length: ",
    "Transfer-Encoding: chunked",
    "Connection: close",
    "*",
    "$",
    "-1",
    "ffffffff",
    "0\r\n",
    "HTTP/1.1",
    ":",
    " ",
    "\t",
    "Host: ",
    "Upgrade: x",
  ],
  run: (input) => {
    const bytes = bytesIn(input);
    const ways = [
      () =>
        newHttpConversation(
          () => undefined,
          () => 0,
          { bytes: 0 },
        ),
      () => newRespConversation({ bytes: 0 }),
    ];
    bodyArrives(bytes.subarray(0, 100_000));
    for (const open of ways) {
      const [atOnce, inPieces] = [exchanges(open(), [bytes]), exchanges(open(), pieces(bytes))];
      holds(atOnce === inPieces || atOnce > 90, `${atOnce} requests at once, ${inPieces} in pieces`);
    }
  },
};

export const trafficTargets: readonly Target[] = [requests, urls, frames, connections];
