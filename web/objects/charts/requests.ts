// The requests of a Service, counted from the access logs of its pods, by minute and status. Independent of the page.
import type { Series } from "../../charts/series.ts";
import { texts } from "../../messages/charts.ts";
import { spanMs } from "./moments.ts";

const minuteMs = 60_000;
/** A log line with its time as the kubelet adds it, and a request with its status as servers write it. */
const line = /^(\S+) .*"[A-Z]{3,7} [^"]{0,2000}" (\d)\d\d(?: |$)/;

export interface LoggedRequest {
  readonly atMs: number;
  /** The first digit of the status. */
  readonly digit: string;
}

export function requestsIn(log: string): readonly LoggedRequest[] {
  return log.split("\n").flatMap((text) => {
    const [, time = "", digit = ""] = line.exec(text) ?? [];
    const atMs = Date.parse(time);
    return digit === "" || Number.isNaN(atMs) ? [] : [{ atMs, digit }];
  });
}

/** Returns a series for each class of statuses with a point for each minute of the span. */
export function requestSeries(requests: readonly LoggedRequest[], nowMs: number): readonly Series[] {
  const last = Math.floor(nowMs / minuteMs);
  const first = last - spanMs / minuteMs + 1;
  const digits = [...new Set(requests.map(({ digit }) => digit))].sort();
  return digits.map((digit) => {
    const counts = new Map<number, number>();
    for (const { atMs } of requests.filter((request) => request.digit === digit)) {
      const minute = Math.floor(atMs / minuteMs);
      counts.set(minute, (counts.get(minute) ?? 0) + 1);
    }
    const points = Array.from({ length: last - first + 1 }, (_, at) => ({
      atMs: (first + at) * minuteMs,
      value: counts.get(first + at) ?? 0,
    }));
    return { name: texts.status(digit), points };
  });
}
