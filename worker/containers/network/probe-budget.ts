// The budget for reading what users wrote about the network in one request. The client pays for it, and past it nothing more is read.
import { limits } from "../../../shared/base/limits.ts";
import { budgetOf, type Spend } from "../../../shared/base/pattern.ts";

/** Returns a budget of one probe's work. `pays` charges the client. */
export function probeBudget(pays: (units: number) => void): Spend {
  const budget = budgetOf(limits.probeWork);
  return (units) => {
    pays(units);
    return budget(units);
  };
}
