// The total requests or limits of a pod as the scheduler computes them: the sum of containers, the maximum of init containers.
import { type Quantity, addQuantities, compareQuantities, parseQuantity } from "../../../shared/k8s/quantity.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { listAt, objectAt, stringsAt } from "../object.ts";

export function podAmounts(pod: JsonObject, form: "requests" | "limits"): Map<string, Quantity> {
  const spec = objectAt(pod, "spec");
  const total = new Map<string, Quantity>();
  for (const container of listAt(spec, "containers")) add(total, amountsOf(container, form));
  const beside = new Map<string, Quantity>();
  const highest = new Map<string, Quantity>();
  for (const container of listAt(spec, "initContainers")) {
    const amounts = amountsOf(container, form);
    if (container.restartPolicy === "Always") {
      add(total, amounts);
      add(beside, amounts);
      raise(highest, beside);
      continue;
    }
    const now = new Map(beside);
    add(now, amounts);
    raise(highest, now);
  }
  raise(total, highest);
  for (const [name, quantity] of amountsOf(spec, form)) total.set(name, quantity);
  if (total.size > 0 || form === "requests") {
    for (const [name, quantity] of quantities(stringsAt(spec, "overhead"))) {
      const before = total.get(name);
      if (form === "requests" || before) total.set(name, before ? addQuantities(before, quantity) : quantity);
    }
  }
  return total;
}

function amountsOf(holder: JsonObject, form: string): Map<string, Quantity> {
  return quantities(stringsAt(holder, "resources", form));
}

function quantities(texts: Readonly<Record<string, string>>): Map<string, Quantity> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]) => {
      const quantity = parseQuantity(text);
      return quantity ? [[name, quantity] as const] : [];
    }),
  );
}

function add(total: Map<string, Quantity>, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of more) {
    const before = total.get(name);
    total.set(name, before ? addQuantities(before, quantity) : quantity);
  }
}

function raise(total: Map<string, Quantity>, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of amounts) {
    const before = total.get(name);
    if (!before || compareQuantities(before, quantity) < 0) total.set(name, quantity);
  }
}
