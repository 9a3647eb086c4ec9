// Which controllers a sandbox runs: all, those of the API server alone, or some beside those.
import type { ChosenControllers } from "../../../shared/contract/sandbox.ts";
import type { Controller } from "../../runtime/controller.ts";

type Named = Pick<Controller, "name" | "user">;

/** Upstream's API server runs them itself: definitions, aggregated APIs, addresses and the like need no other program. */
const ofApiServer = "system:apiserver";

/** Those that run. What writes as the same user goes together: a controller and its helpers. */
export function chosenOf<C extends Named>(all: readonly C[], chosen: ChosenControllers = "on"): readonly C[] {
  if (chosen === "on") return all;
  const names = new Set(chosen === "off" ? [] : chosen);
  const families = new Set(
    all.filter((controller) => namesOf(controller).some((name) => names.has(name))).map(familyOf),
  );
  return all.filter((controller) => controller.user === ofApiServer || families.has(familyOf(controller)));
}

/** Returns the index of the first name that no controller has. */
export function unknownChoice(all: readonly Named[], chosen: ChosenControllers = "on"): number | undefined {
  if (!Array.isArray(chosen)) return undefined;
  const knownNames = new Set(all.flatMap(namesOf));
  const at = chosen.findIndex((name) => !knownNames.has(name));
  return at < 0 ? undefined : at;
}

function namesOf(controller: Named): string[] {
  return controller.user === ofApiServer ? [] : [controller.name, familyOf(controller)];
}

/** The name of the user that it writes as; the kubelets of all nodes are one. */
function familyOf({ name, user }: Named): string {
  if (user?.startsWith("system:node:")) return "kubelet";
  return user?.split(":").at(-1) ?? name;
}
