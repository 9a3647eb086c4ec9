// How often an alarm runs again, and how much one does.

/** Drains of one alarm run; between two of them waiting requests are answered. */
export const drainsPerAlarm = 500;
/** After a run that failed, or may be about to be killed. */
export const alarmRetryMs = 5_000;
/** After a run for which there was no room. */
export const fullRetryMs = 60_000;
