// The budget for interpreting users' network objects, such as Ingresses, in one request. The client is charged.
import { limits } from "../../../shared/base/limits.ts";
import { budgetOf, type Spend } from "../../../shared/base/pattern.ts";

/** Returns a budget as large as that of a probe. It also passes each charge to `pays`. */
export function probeBudget(pays: (units: number) => void): Spend {
  const budget = budgetOf(limits.probeWork);
  return (units) => {
    pays(units);
    return budget(units);
  };
}
