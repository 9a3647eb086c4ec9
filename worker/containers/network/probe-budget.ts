// The budget of one look at what users wrote about the network: whoever asks pays for it, and past it nothing more is read.
import { limits } from "../../../shared/base/limits.ts";
import { budgetOf, type Spend } from "../../../shared/base/pattern.ts";

/** Returns a budget of one probe's work. `pays` charges whoever asks. */
export function probeBudget(pays: (units: number) => void): Spend {
  const budget = budgetOf(limits.probeWork);
  return (units) => {
    pays(units);
    return budget(units);
  };
}
