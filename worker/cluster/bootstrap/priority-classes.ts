// The priority classes that an API server makes by itself.
import { priorityClasses, systemPriorityClasses as classes } from "../../kinds/scheduling/priority-class.ts";
import { type Seed, seed } from "./seed.ts";

export function systemPriorityClasses(): Seed[] {
  return classes.map(({ name, value, description }) =>
    seed(priorityClasses, { metadata: { name }, value, description }),
  );
}
