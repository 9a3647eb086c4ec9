// Events of one source about one object: counted, combined, and dropped where they are too many.
import { describe, expect, test } from "vitest";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { correlate } from "../../worker/runtime/event-correlation.ts";

const startMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

function event(message: string, fields: Partial<Event> = {}): Event {
  const time = rfc3339(startMs);
  const involvedObject = { kind: "ReplicaSet", name: "web", uid: "u" };
  const said = { type: "Normal", reason: "SuccessfulCreate", message, count: 1, source: {}, involvedObject };
  const times = { firstTimestamp: time, lastTimestamp: time, eventTime: null };
  return { ...said, ...times, ...fields, apiVersion: "v1", kind: "Event", metadata: {} } as Event;
}

function created(name: string) {
  return { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${name}`, fieldPath: undefined };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => event(`Created pod: web-${at}`));

describe("E1: one more event", () => {
  test("that says the same is counted, whatever was said between", () => {
    const known = many(3);
    expect(correlate(known, created("web-1"), startMs)).toEqual({ again: known[1], message: "Created pod: web-1" });
  });

  test("that says the same of another container is another event", () => {
    const known = [event("Created pod: web-1", { involvedObject: { fieldPath: "spec.containers{a}" } })];
    expect(correlate(known, created("web-1"), startMs)).toEqual({ message: "Created pod: web-1" });
  });

  test("is combined with others alike from the tenth on", () => {
    expect(correlate(many(8), created("new"), startMs)).toEqual({ message: "Created pod: new" });
    const text = "(combined from similar events): Created pod: new";
    expect(correlate(many(9), created("new"), startMs)).toEqual({ message: text });
    const combined = event("(combined from similar events): Created pod: old");
    expect(correlate([...many(9), combined], created("new"), startMs)).toEqual({ again: combined, message: text });
  });

  test("stands alone again when nothing alike was said for ten minutes", () => {
    const laterMs = startMs + 10 * minuteMs;
    expect(correlate(many(9), created("new"), laterMs)).not.toEqual({ message: "Created pod: new" });
    expect(correlate(many(9), created("new"), laterMs + 1000)).toEqual({ message: "Created pod: new" });
  });

  test("is dropped after twenty-five, but for one in five minutes", () => {
    const known = [event("Back-off", { count: 25, reason: "BackOff" })];
    expect(correlate(known, created("new"), startMs + 5 * minuteMs - 1)).toEqual({ dropped: true });
    expect(correlate(known, created("new"), startMs + 5 * minuteMs)).toEqual({ message: "Created pod: new" });
  });

  test("is not combined with those of another type or reason, nor with events of its own that are combined already", () => {
    const text = "Created pod: new";
    const others = many(8).concat(event("x", { type: "Warning" }), event("y", { reason: "Other" }));
    expect(correlate(others, created("new"), startMs)).toEqual({ message: text });
    const combined = event("(combined from similar events): Created pod: old");
    expect(correlate([...many(8), combined], created("new"), startMs)).toEqual({ message: text });
  });

  test("counts all that was told, from the first of it on, towards what is too many", () => {
    const laterMs = startMs + 5 * minuteMs;
    const later = event("b", { count: 12, firstTimestamp: rfc3339(laterMs), lastTimestamp: rfc3339(laterMs) });
    const known = (first: number) => [later, event("a", { count: first })];
    expect(correlate(known(13), created("new"), laterMs)).toEqual({ message: "Created pod: new" });
    expect(correlate(known(14), created("new"), laterMs)).toEqual({ dropped: true });
    // One that says no count was told once.
    const { count: _, ...uncounted } = event("c");
    expect(correlate([...known(12), uncounted as Event], created("new"), laterMs)).toEqual({
      message: "Created pod: new",
    });
    expect(correlate([...known(13), uncounted as Event], created("new"), laterMs)).toEqual({ dropped: true });
  });

  test("is combined as long as the last alike is not ten minutes old, however old the others are", () => {
    const recent = rfc3339(startMs + 10 * minuteMs);
    const known = [...many(8), event("Created pod: late", { lastTimestamp: recent })];
    const text = "(combined from similar events): Created pod: new";
    expect(correlate(known, created("new"), startMs + 15 * minuteMs)).toEqual({ message: text });
  });

  test("is told of those without times as of long ago", () => {
    const untimed = many(9).map((one) => ({ ...one, firstTimestamp: null, lastTimestamp: null }));
    expect(correlate(untimed, created("new"), startMs)).toEqual({ message: "Created pod: new" });
  });
});
