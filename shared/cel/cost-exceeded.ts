// Ends an evaluation at once. An exception, not a value, so that nothing in the expression can absorb it.
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}
