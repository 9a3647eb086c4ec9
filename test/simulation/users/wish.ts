// An action of a user: drawn once, and repeated until it is accepted.
import type { Draft, KubeObject } from "../../../shared/k8s/meta.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { Kind } from "../../../worker/kinds/kind.ts";
import type { Client } from "../../../worker/registry/client.ts";
import type { Dice } from "../dice.ts";

export interface Wish {
  readonly text: string;
  ask(client: Client): void;
}

/** How a wish is drawn. All chance is in the drawing: asking again asks for the same. */
export type Draw = (dice: Dice) => Wish;

/** Codes of refusals in a busy cluster: the object is absent, exists already, is in use or terminating, or a bound is reached. */
const usualCodes = [403, 404, 409, 429];

export function ask(wish: Wish, client: Client): void {
  try {
    wish.ask(client);
  } catch (error) {
    if (!(error instanceof ApiError) || !usualCodes.includes(error.code)) {
      throw new Error(`${wish.text}: ${String(error)}`, { cause: error });
    }
  }
}

export const namespaceNames = ["default", "alpha", "beta"] as const;

/** Draws a namespace. Most actions are in one, so that they meet. */
export function anyNamespace(dice: Dice): string {
  return dice.choose("default", "default", ...namespaceNames);
}

/** Changes an object that may be absent with a function of a mutable copy. */
export function edit<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  namespace: string,
  name: string,
  change: (draft: T) => void,
): void {
  const currentObject = client.get(kind, namespace, name);
  if (!currentObject) return;
  const draft = structuredClone(currentObject);
  change(draft);
  // A whole object is a draft of itself.
  client.update(kind, draft as Draft<T>);
}

/** Selects one object of a kind by a number that was drawn before. */
export function nth<T>(objects: readonly T[], number: number): T | undefined {
  return objects[number % Math.max(1, objects.length)];
}
