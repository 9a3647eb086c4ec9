// The errors that stop a reconcile. A reconcile that has used up its turn is stopped before a write and runs again at once. Its earlier
// writes stay: every controller tolerates being stopped between two writes, as it tolerates a crash. A reconcile that reads too much is
// stopped with an error, since it would read the same again.

export class TurnOver extends Error {}
