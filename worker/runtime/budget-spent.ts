// The error that stops a reconcile whose budget is spent: before its next write. It runs again at once. Its earlier writes stay, since every
// controller tolerates being stopped between two writes, as it tolerates a crash. A reconcile that reads too much fails instead
// (`TooMuchWork`), because it would read the same again.

export class BudgetSpent extends Error {}
