// Answers of workerd in any chunks: when each is complete.
import { expect, test } from "vitest";
import { AnswerReader } from "../../scripts/local/answer-reader.ts";
import { diceOf } from "../simulation/dice.ts";

const ok = (headers: string, body = "") => `HTTP/1.1 200 OK\r\n${headers}\r\n${body}`;
const length = (body: string) => ok(`Content-Length: ${body.length}\r\n`, body);

/** The answers to a GET, and then to another. */
const completeAnswers: readonly (readonly [string, string, string?])[] = [
  ["with a length", length("{}\r\n\r\n{}")],
  ["with an empty body", length("")],
  ["in chunks", ok("transfer-encoding: chunked\r\n", "2;a=b\r\n{}\r\n00A\r\n0123456\r\n\r\r\n0\r\n\r\n")],
  ["in chunks with a trailer", ok("Transfer-Encoding: chunked\r\n", "1\r\n\n\r\n0\r\nX-T: a\r\n\r\n")],
  ["to HEAD", ok("Content-Length: 100\r\n"), "HEAD"],
  ["without content", "HTTP/1.1 204 No Content\r\n\r\n"],
  ["with the status 304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"],
  ["after a notice", `HTTP/1.1 100 Continue\r\n\r\n${length("x")}`],
];

test.each(completeAnswers)("an answer %s is complete at its last byte", (_, answer = "", method = "GET") => {
  const dice = diceOf(1);
  for (let round = 0; round < 20; round++) {
    const reader = new AnswerReader();
    reader.expectAnswer(method);
    reader.expectAnswer("POST");
    for (let at = 0; at < answer.length - 1; ) {
      const size = Math.min(1 + dice.below(9), answer.length - 1 - at);
      reader.read(Buffer.from(answer.slice(at, at + size), "latin1"));
      at += size;
    }
    expect(reader.next).toBe(method);
    expect(reader.hasBegun).toBe(true);
    reader.read(Buffer.from(answer.slice(-1) + length("next"), "latin1"));
    expect([reader.next, reader.hasBegun]).toEqual([undefined, false]);
  }
});

test.each([
  ["with another protocol", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"],
  ["with Connection: close", ok("Connection: close\r\nContent-Length: 2\r\n", "{}")],
  ["without a length", ok("", "text")],
  ["with an invalid status line", "what is this?\r\n\r\n"],
])("an answer %s is never complete", (_, answer) => {
  const reader = new AnswerReader();
  reader.expectAnswer("GET");
  reader.read(Buffer.from(answer + length("{}"), "latin1"));
  expect([reader.next, reader.hasBegun]).toEqual(["GET", true]);
});

test("a notice is not the start of an answer", () => {
  const reader = new AnswerReader();
  reader.expectAnswer("POST");
  reader.read(Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"));
  expect([reader.next, reader.hasBegun]).toEqual(["POST", false]);
});
