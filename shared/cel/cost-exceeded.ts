// Ends an evaluation at once, wherever it is: not a value, so that nothing in the expression can absorb it.
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}
