// Requests on their way to workerd: what Go's net/http accepts passes byte by byte, and the rest is refused with Go's messages.
import { expect, test } from "vitest";
import { RequestGate } from "../../scripts/local/request-gate.ts";
import { diceOf } from "../simulation/dice.ts";

interface Passage {
  /** Latin-1. */
  passed: string;
  refusal: string;
}

const end = "\r\n\r\n";
const host = "Host: x\r\n";

/** Sends bytes in pieces through a gate. */
function send(text: string, sizes: () => number = () => text.length, added: [string, string][] = []): Passage {
  const passage: Passage = { passed: "", refusal: "" };
  const gate = new RequestGate({
    added,
    pass: () => undefined,
    refuse: ({ code, message }, path) => {
      passage.refusal = `${code} ${path} ${message}`.replaceAll("  ", " ");
    },
  });
  gate.on("data", (bytes: Buffer) => (passage.passed += bytes.toString("latin1")));
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; ) {
    const size = Math.max(1, sizes());
    gate.write(bytes.subarray(at, at + size));
    at += size;
  }
  gate.read();
  return passage;
}

const get = (target: string, headers = host) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`;
const post = (headers: string, body: string) => `POST /v1/x HTTP/1.1\r\n${host}${headers}\r\n${body}`;

test("a head and its body that arrive together pass in one piece, in one call of the system", () => {
  const gate = new RequestGate({ pass: () => undefined, refuse: () => undefined });
  const pieces: string[] = [];
  gate.on("data", (bytes: Buffer) => pieces.push(bytes.toString("latin1")));
  const text = post("Content-Length: 2\r\n", "{}");
  gate.write(Buffer.from(text, "latin1"));
  gate.read();
  expect(pieces).toEqual([text]);
});

test.each([
  ["a path", get("/a?b=%zz#c")],
  ["an encoded path", get("/a%2F%2f%00")],
  ["bytes that are not ASCII", get("/h\xe9", `${host}X-A: \xff\xc3\xa0\t\r\n`)],
  ["a length", post("Content-Length: 2\r\n", "{}")],
  ["chunks", post("Transfer-Encoding: chunked\r\n", "2;a=b\r\n{}\r\n00A\r\n0123456789\r\n0\r\nX-T: a\r\n\r\n")],
  [
    "another protocol",
    `${get("/a", `${host}Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n`)}\0GET //${end}`,
  ],
  ["an IPv6 host", get("/", "Host: [::1]:80\r\n")],
])("%s passes unchanged in any pieces, and so do later requests", (_, text) => {
  const dice = diceOf(1);
  const isOther = text.includes("websocket");
  const all = isOther ? text : `${text}${get("/next")}${text}`;
  const expected = { passed: all.replaceAll("\xa0\t\r", "\xa0\r"), refusal: "" };
  expect(send(all)).toEqual(expected);
  for (let round = 0; round < 30; round++) expect(send(all, () => dice.below(9))).toEqual(expected);
});

test.each([
  ["an absolute target", get("http://user@example.org:81/a?b"), "GET /a?b HTTP/1.1\r\nHost: example.org:81"],
  ["an absolute target without a path", get("HTTPS://example.org?b"), "GET /?b HTTP/1.1\r\nHost: example.org"],
  ["an absolute target without a host", get("http:///a"), "GET /a HTTP/1.1\r\nHost: x"],
  ["HTTP/1.0 without a host", `GET /a HTTP/1.0${end}`, "GET /a HTTP/1.0\r\nHost: localhost"],
  ["lines that end with LF", "GET /a HTTP/1.1\nHost: x\n\n", "GET /a HTTP/1.1\r\nHost: x"],
  [
    "a duplicate length",
    post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}").slice(0, -2),
    "POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 2",
  ],
  [
    "a length beside chunks",
    post("Content-Length: 9\r\nTransfer-Encoding: chunked\r\n", ""),
    "POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked",
  ],
])("%s is rewritten for workerd", (_, text, expected) => {
  expect(send(text)).toEqual({ passed: expected + end, refusal: "" });
});

test.each([
  ["two slashes", get("//"), "404 // the server could not find the requested resource"],
  ["two slashes and a host", get("//a/b?c"), "404 //a/b the server could not find the requested resource"],
  ["a slash and a backslash", get("/\\a"), "404 /\\a the server could not find the requested resource"],
  ["backslashes", get("\\v1"), '400 \\v1 parse "\\\\v1": invalid URI for request'],
  ["an asterisk", get("*"), '400 * parse "*": invalid URI for request'],
  ["a bad escape", get("/v1/%zz"), '400 /v1/%zz parse "/v1/%zz": invalid URL escape "%zz"'],
  ["a NUL in the path", get("/a\0b"), "400 /a\0b net/url: invalid control character in URL"],
  ["a space in the path", get("/a b"), '400 malformed HTTP request "GET /a b HTTP/1.1"'],
  ["no protocol", `GET /a${end}`, '400 malformed HTTP request "GET /a"'],
  ["an empty line", `\r\n${get("/a")}`, '400 malformed HTTP request ""'],
  ["a bad protocol", `GET /a HTPP/1.1${end}`, '400 malformed HTTP version "HTPP/1.1"'],
  ["another version", `GET /a HTTP/2.0${end}`, "505 unsupported protocol version"],
  ["a bad method", `G@T /a HTTP/1.1${end}`, '400 invalid method "G@T"'],
  [
    "an unknown method",
    `get /a HTTP/1.1${end}`,
    "405 /a the server does not allow this method on the requested resource",
  ],
  [
    "CONNECT",
    `CONNECT a:443 HTTP/1.1\r\nHost: a:443${end}`,
    "405 a:443 the server does not allow this method on the requested resource",
  ],
  ["OPTIONS *", `OPTIONS * HTTP/1.1\r\n${host}\r\n`, "200 "],
  ["no host", get("/a", ""), "400 /a missing required Host header"],
  ["two hosts", get("/a", `${host}Host: x\r\n`), "400 /a too many Host headers"],
  ...["a b", "a@b", "a%zz", "[::1", "a:99999", "a/b", "h\xe9"].map((name): [string, string, string] => [
    `the host ${name}`,
    get("/a", `Host: ${name}\r\n`),
    "400 /a malformed Host header",
  ]),
  ["a bad absolute host", get("http://a b"), '400 malformed HTTP request "GET http://a b HTTP/1.1"'],
  ["a malformed absolute host", get("http://[::1/a"), "400 /a malformed Host header"],
  ["a header without a colon", get("/a", `${host}abc\r\n`), '400 /a malformed MIME header line: "abc"'],
  ["a space before the colon", get("/a", "Host : x\r\n"), '400 /a malformed MIME header line: "Host : x"'],
  ["a folded header", get("/a", `${host} b: c\r\n`), '400 /a malformed MIME header line: " b: c"'],
  ["a NUL in a header", get("/a", `${host}A: a\0b\r\n`), "400 /a invalid header value"],
  ["a CR in a header", get("/a", `${host}A: a\rb\r\n`), "400 /a invalid header value"],
  [
    "two lengths",
    post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"),
    "400 /v1/x http: message cannot contain multiple Content-Length headers",
  ],
  ["a list of lengths", post("Content-Length: 2, 2\r\n", "{}"), '400 /v1/x bad Content-Length "2, 2"'],
  ["a negative length", post("Content-Length: -1\r\n", "{}"), '400 /v1/x bad Content-Length "-1"'],
  [
    "a length past 63 bits",
    post(`Content-Length: ${2n ** 63n}\r\n`, "{}"),
    `400 /v1/x bad Content-Length "${2n ** 63n}"`,
  ],
  ["another encoding", post("Transfer-Encoding: gzip, chunked\r\n", ""), "501 /v1/x Unsupported transfer encoding"],
])("%s is refused", (_, text, expected) => {
  expect(send(text)).toEqual({ passed: "", refusal: expected });
  expect(send(text, () => 1)).toEqual({ passed: "", refusal: expected });
  // Behind another request it is refused as well.
  expect(send(get("/first") + text)).toEqual({ passed: get("/first"), refusal: expected });
});

test.each([
  ["a size", "zz\r\n", "invalid byte in chunk length"],
  ["an empty size", "\r\n", "invalid byte in chunk length"],
  ["a size past 60 bits", `${"f".repeat(16)}\r\n`, "invalid byte in chunk length"],
  ["an end", "2\r\n{}xx\r\n", "malformed chunked encoding"],
  ["an endless extension", `2;${"a".repeat(5_000)}`, "header line too long"],
  ["endless trailers", `0\r\n${`a: ${"b".repeat(1_000)}\r\n`.repeat(20)}`, "trailers too large"],
])("%s of a malformed chunk is refused", (_, body, expected) => {
  const text = post("Transfer-Encoding: chunked\r\n", body);
  expect(send(text).refusal).toBe(`400 /v1/x ${expected}`);
  expect(send(text, () => 3).refusal).toBe(`400 /v1/x ${expected}`);
});

test("a head is bounded, complete or not", () => {
  const refusal = "431 /a Request Header Fields Too Large";
  expect(send(get("/a", `${host}A: ${"a".repeat(100_000)}\r\n`)).refusal).toBe("");
  expect(send(get("/a", `${host}A: ${"a".repeat(130_000)}\r\n`))).toEqual({ passed: "", refusal });
  expect(send(`GET /a HTTP/1.1\r\nA: ${"a".repeat(2_000_000)}`, () => 50_000)).toEqual({ passed: "", refusal });
});

test("every request gets the added header, and a refused one is not forwarded", () => {
  const { passed } = send(get("/a") + get("/b"), undefined, [["certificate", "c"]]);
  expect(passed.match(/certificate: c/g)).toHaveLength(2);
});

test("random bytes pass or are refused without an exception (seed 1)", () => {
  const dice = diceOf(1);
  const pieces = [
    "GET ",
    "/",
    "//",
    "\r\n",
    "\n",
    "\0",
    " HTTP/1.1",
    "Host: x",
    ":",
    "%zz",
    "\x80",
    "Content-Length: ",
    "5",
    "chunked",
  ];
  for (let round = 0; round < 2_000; round++) {
    const text = Array.from({ length: dice.below(40) }, () => dice.pick(pieces) ?? "").join("");
    const wholePassage = send(text);
    expect(send(text, () => dice.below(5))).toEqual(wholePassage);
  }
});
