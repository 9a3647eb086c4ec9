// Correlation of events of one source about one object: counted, combined, and dropped.
import { describe, expect, test } from "vitest";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { rfc3339 } from "../../shared/k8s/time.ts";
import { correlate } from "../../worker/runtime/event-correlation.ts";

const startMs = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;

function event(message: string, fields: Partial<Event> = {}): Event {
  const time = rfc3339(startMs);
  const involvedObject = { kind: "ReplicaSet", name: "web", uid: "u" };
  const template = { type: "Normal", reason: "SuccessfulCreate", message, count: 1, source: {}, involvedObject };
  const times = { firstTimestamp: time, lastTimestamp: time, eventTime: null };
  return { ...template, ...times, ...fields, apiVersion: "v1", kind: "Event", metadata: {} } as Event;
}

function created(name: string) {
  return { type: "Normal", reason: "SuccessfulCreate", message: `Created pod: ${name}`, fieldPath: undefined };
}

const many = (count: number) => Array.from({ length: count }, (_, at) => event(`Created pod: web-${at}`));

describe("E1: a further event", () => {
  test("with the same message is counted, whatever events came between", () => {
    const earlierEvents = many(3);
    expect(correlate(earlierEvents, created("web-1"), startMs)).toEqual({
      again: earlierEvents[1],
      message: "Created pod: web-1",
    });
  });

  test("with the same message about another container is a new event", () => {
    const earlierEvents = [event("Created pod: web-1", { involvedObject: { fieldPath: "spec.containers{a}" } })];
    expect(correlate(earlierEvents, created("web-1"), startMs)).toEqual({ message: "Created pod: web-1" });
  });

  test("is combined with similar ones from the tenth on", () => {
    expect(correlate(many(8), created("new"), startMs)).toEqual({ message: "Created pod: new" });
    const text = "(combined from similar events): Created pod: new";
    expect(correlate(many(9), created("new"), startMs)).toEqual({ message: text });
    const combined = event("(combined from similar events): Created pod: old");
    expect(correlate([...many(9), combined], created("new"), startMs)).toEqual({ again: combined, message: text });
  });

  test("is separate again ten minutes after the last similar one", () => {
    const laterMs = startMs + 10 * minuteMs;
    expect(correlate(many(9), created("new"), laterMs)).not.toEqual({ message: "Created pod: new" });
    expect(correlate(many(9), created("new"), laterMs + 1000)).toEqual({ message: "Created pod: new" });
  });

  test("is dropped after twenty-five, except one in five minutes", () => {
    const earlierEvents = [event("Back-off", { count: 25, reason: "BackOff" })];
    expect(correlate(earlierEvents, created("new"), startMs + 5 * minuteMs - 1)).toEqual({ dropped: true });
    expect(correlate(earlierEvents, created("new"), startMs + 5 * minuteMs)).toEqual({ message: "Created pod: new" });
  });

  test("is not combined with events of another type or reason, nor with combined ones", () => {
    const text = "Created pod: new";
    const otherEvents = many(8).concat(event("x", { type: "Warning" }), event("y", { reason: "Other" }));
    expect(correlate(otherEvents, created("new"), startMs)).toEqual({ message: text });
    const combined = event("(combined from similar events): Created pod: old");
    expect(correlate([...many(8), combined], created("new"), startMs)).toEqual({ message: text });
  });

  test("counts all occurrences since the first towards the limit", () => {
    const laterMs = startMs + 5 * minuteMs;
    const later = event("b", { count: 12, firstTimestamp: rfc3339(laterMs), lastTimestamp: rfc3339(laterMs) });
    const earlierEvents = (first: number) => [later, event("a", { count: first })];
    expect(correlate(earlierEvents(13), created("new"), laterMs)).toEqual({ message: "Created pod: new" });
    expect(correlate(earlierEvents(14), created("new"), laterMs)).toEqual({ dropped: true });
    // An event without a count occurred once.
    const { count: _, ...uncounted } = event("c");
    expect(correlate([...earlierEvents(12), uncounted as Event], created("new"), laterMs)).toEqual({
      message: "Created pod: new",
    });
    expect(correlate([...earlierEvents(13), uncounted as Event], created("new"), laterMs)).toEqual({ dropped: true });
  });

  test("is combined while the last similar one is less than ten minutes old, at any age of the others", () => {
    const recent = rfc3339(startMs + 10 * minuteMs);
    const earlierEvents = [...many(8), event("Created pod: late", { lastTimestamp: recent })];
    const text = "(combined from similar events): Created pod: new";
    expect(correlate(earlierEvents, created("new"), startMs + 15 * minuteMs)).toEqual({ message: text });
  });

  test("treats events without times as old", () => {
    const untimed = many(9).map((similarEvent) => ({ ...similarEvent, firstTimestamp: null, lastTimestamp: null }));
    expect(correlate(untimed, created("new"), startMs)).toEqual({ message: "Created pod: new" });
  });
});
