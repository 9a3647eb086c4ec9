// The end of a reconcile that has done as much as one turn may: it is stopped before a write, and run again at once. What it has
// written stays: every controller bears to be stopped between two writes, as it bears that its process dies there. One that reads on
// and on is stopped with an error, as it would read the same again.

export class TurnOver extends Error {}
