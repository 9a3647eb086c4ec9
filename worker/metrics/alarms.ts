// Measures how late alarms run.
import { observe } from "./record.ts";

/** The facts of an alarm that the platform gives its handler. */
interface AlarmFacts {
  /** The time that the alarm was set for, in milliseconds since 1970. */
  readonly scheduledTime?: number;
}

/** Called with the facts of an alarm when it begins. Older platforms give none. */
export function observeAlarm(objectClass: "cluster" | "tenant", alarm: AlarmFacts | undefined, nowMs: number): void {
  if (alarm?.scheduledTime === undefined) return;
  observe("sandbar_alarm_late_seconds", Math.max(0, nowMs - alarm.scheduledTime) / 1000, objectClass);
}
