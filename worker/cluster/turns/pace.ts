// How much one run of an alarm does.

/** Drains of one alarm run; between two of them waiting requests are answered. */
export const drainsPerAlarm = 500;
