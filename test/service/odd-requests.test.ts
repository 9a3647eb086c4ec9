// Requests that no client sends, as bytes over a socket: each has an answer that is no 500, and none leaves a stack trace in the log.
// SANDBAR_ODD_REQUESTS sets how many random ones, SANDBAR_ODD_SEED which.
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Dice, diceOf } from "../simulation/dice.ts";
import { type RunningService, startService } from "./service.ts";

const count = Number(process.env.SANDBAR_ODD_REQUESTS ?? "400");
const seed = Number(process.env.SANDBAR_ODD_SEED ?? "1");
/** Milliseconds for an answer. A request that is not whole has none. */
const answerMs = 10_000;
const atOnce = 8;

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const doors = {
  http: () => connect(service.address.httpPort, "127.0.0.1"),
  https: () => connectTls({ port: service.address.httpsPort, host: "127.0.0.1", rejectUnauthorized: false }),
};

describe.each(Object.entries(doors))("requests over %s", (_, open) => {
  test.each([
    ["two slashes", "GET // HTTP/1.1\r\nHost: x\r\n\r\n", 404, /"kind":"Status".*"reason":"NotFound"/],
    ["an absolute target", "GET http://example.org/healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200, /ok/],
    ["an absolute target of a path", "GET http://example.org/v1/x HTTP/1.1\r\nHost: x\r\n\r\n", 401, /unauthorized/],
    [
      "two lengths",
      "POST /v1/sandboxes HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
      400,
      /"code":"malformed_request"/,
    ],
    [
      "a duplicate length",
      "POST /v1/sandboxes HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
      401,
      /unauthorized/,
    ],
    [
      "a bad chunk",
      "POST /c/x/api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
      /"message":"invalid byte in chunk length","reason":"BadRequest"/,
    ],
    ["a huge header", `GET /c/x/api HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(2_000_000)}\r\n\r\n`, 431, /"code":431/],
    ["a long path", `GET /c/x/${"a".repeat(2_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, /"code":431/],
    ["a NUL", "GET /c/x/a\0 HTTP/1.1\r\nHost: x\r\n\r\n", 400, /invalid control character/],
    ["a bad escape", "GET /c/x/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, /invalid URL escape/],
    ["backslashes", "GET \\c\\x HTTP/1.1\r\nHost: x\r\n\r\n", 400, /invalid URI for request/],
    ["no host", "GET /healthz HTTP/1.1\r\n\r\n", 400, /missing required Host header/],
    ["HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n", 200, /ok/],
    ["CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 405, /"reason":"MethodNotAllowed"/],
    // Miniflare's router of static files, which must not stand before the Worker, answers this itself with 403.
    ["an image of another host", "GET /_image?href=//a.example/b HTTP/1.1\r\nHost: x\r\n\r\n", 404, /"not_found"/],
    ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 200, /^HTTP/],
  ])("%s", async (__, text, status, expected) => {
    const answer = await ask(open(), text);
    expect(statusOf(answer), answer.slice(0, 500)).toBe(status);
    expect(answer).toMatch(expected);
  });
});

test(`${count} random requests (seed ${seed}) are answered, none with a 500`, async () => {
  const dice = diceOf(seed);
  const requests = Array.from({ length: count }, () => randomRequest(dice));
  const work = async () => {
    for (let text = requests.pop(); text !== undefined; text = requests.pop()) {
      const status = statusOf(await ask(doors.http(), text));
      expect(status >= 200 && status !== 500 && status < 506, `${status} for ${JSON.stringify(text)}`).toBe(true);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
});

test("the log contains no stack trace", () => {
  expect(service.output()).not.toMatch(/stack:|Uncaught|^ {4}at /m);
});

const methods = ["GET", "POST", "PUT", "HEAD", "OPTIONS", "CONNECT", "TRACE", "PURGE", "get", "", "G@T"];
const targets = [
  "/",
  "//",
  "/healthz",
  "/v1/sandboxes",
  "/c/x/api",
  "*",
  "http://a/v1/x",
  "ftp://b//",
  "healthz",
  "\\v1",
];
const endings = [
  "",
  "/",
  "//",
  "/..",
  "/%2e%2e/",
  "%zz",
  "%00",
  "%ff",
  "?a=%zz",
  "#a",
  "\\",
  "\xe9",
  " b",
  "\0",
  ";a",
  "[",
  "@a",
];
const protocols = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "HTTP/0.9", "http/1.1", ""];
const headers = [
  "Host: x",
  "Host: localhost",
  "Host: [::1",
  "Host: a@b",
  "Host: x:0",
  "Host: 1.2.3",
  "Host: 0x7f.1",
  "Host: a..b",
  "Host: -",
  "Host: x_y",
  "Host:",
  "Content-Length: 2",
  "Content-Length: +2",
  "Content-Length: 02",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: Chunked",
  "Transfer-Encoding: gzip",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: a",
  "Expect: 100-continue",
  "Content-Type: \xff",
  "Authorization: Bearer \xff",
  "Cookie: a=%zz; =; ;",
  "Origin: null",
  "Accept: ;q=2",
  "Range: bytes=-",
  "If-None-Match: *",
  "traceparent: 00",
  "CF-Connecting-IP: a",
  "X-Forwarded-Proto: a b",
  " folded",
  "no colon",
  ": no name",
];

function randomRequest(dice: Dice): string {
  const of = (all: readonly string[]) => dice.pick(all) ?? "";
  const most = (first: string, all: readonly string[]) => (dice.below(4) > 0 ? first : of(all));
  const some = Array.from({ length: dice.below(4) }, () => of(headers));
  const lines = [...(dice.below(8) > 0 ? ["Host: x"] : []), ...some];
  const line = `${most("GET", methods)} ${of(targets)}${of(endings)} ${most("HTTP/1.1", protocols)}`;
  const head = [line, ...lines, "", ""].join("\r\n");
  // Whole, whatever its framing was taken for.
  const body = /encoding: chunked/i.test(head) ? "2\r\n{}\r\n0\r\n\r\n" : /length: \S*2/i.test(head) ? "{}" : "";
  return head + body;
}

/** Sends bytes and returns the first answer. Few servers close after it, so it ends when nothing follows for a moment. */
function ask(socket: Socket, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let answer = "";
  let quiet: NodeJS.Timeout | undefined;
  const finish = () => {
    clearTimeout(quiet);
    clearTimeout(late);
    socket.destroy();
    resolve(answer);
  };
  const late = setTimeout(finish, answerMs);
  socket.on("data", (bytes: Buffer) => {
    answer += bytes.toString("latin1");
    clearTimeout(quiet);
    quiet = setTimeout(finish, 50);
  });
  socket.on("error", finish);
  socket.on("close", finish);
  socket.write(Buffer.from(text, "latin1"));
  return promise;
}

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? "0");
}
