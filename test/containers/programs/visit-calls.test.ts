// Connections that are recorded with a visit.
import { expect, test } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import type { Contact, Reached } from "../../../worker/containers/shell/contact.ts";
import { VisitCalls } from "../../../worker/containers/wasm/visit-calls.ts";

const contact = (port: number): Contact => ({ address: "10.0.0.1", port, atMs: 0 });
const answered = (body: string): Reached => ({
  kind: "answered",
  answer: { status: 200, contentType: "text/plain", body },
});

test("N3: a replay takes results from the record, and opens a connection that is not in it", () => {
  const first = new VisitCalls();
  first.connect(contact(1), () => answered("one"));
  const replay = new VisitCalls(JSON.parse(JSON.stringify(first.stored)) as typeof first.stored);
  const opened: number[] = [];
  const open = ({ port }: Contact) => {
    opened.push(port);
    return answered("new");
  };
  expect(replay.connect(contact(1), open)?.answer?.body).toBe("one");
  expect(replay.connect(contact(2), open)?.answer?.body).toBe("new");
  expect(opened).toEqual([2]);
});

test("N3: results beyond the bound of a visit are not stored", () => {
  const calls = new VisitCalls();
  const body = "x".repeat(limits.visitCallCharacters / 4);
  for (let port = 0; port < 10; port++) calls.connect(contact(port), () => answered(body));
  expect(calls.calls).toHaveLength(10);
  expect(calls.stored).toHaveLength(3);
});

test("N3: an answer that never arrives is stored as a finite number in JSON", () => {
  const calls = new VisitCalls();
  calls.connect(contact(1), () => ({ kind: "answered", tookMs: Number.POSITIVE_INFINITY }));
  const [stored] = JSON.parse(JSON.stringify(calls.stored)) as typeof calls.stored;
  expect(stored?.reached.tookMs).toBeGreaterThan(1e15);
});
