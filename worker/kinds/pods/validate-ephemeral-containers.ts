// What the subresource `ephemeralcontainers` may change.
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { jsonDiff } from "../../../shared/k8s/diff.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, forbidden, path, rootPath } from "../../../shared/k8s/field.ts";
import { internalForm } from "../internal-form.ts";
import { isMirror } from "./validate-annotations.ts";
import { validatePod } from "./validate-pod.ts";

/** Ephemeral containers are added, never changed or removed. */
const ephemeralType = "io.k8s.api.core.v1.EphemeralContainer";

export function validateEphemeralContainersUpdate(next: Pod, previous: Pod): FieldError[] {
  if (isMirror(previous.metadata.annotations)) {
    return [forbidden(rootPath, "static pods do not support ephemeral containers")];
  }
  const at = path("spec", "ephemeralContainers");
  const errors = validatePod(next);
  for (const old of previous.spec.ephemeralContainers ?? []) {
    const name = JSON.stringify(old.name);
    const given = next.spec.ephemeralContainers?.find((one) => one.name === old.name);
    if (!given) errors.push(forbidden(at, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!semanticEqual(old, given)) {
      const detail = `existing ephemeral containers ${name} may not be changed\n${jsonDiff(internalForm(ephemeralType, old), internalForm(ephemeralType, given))}`;
      errors.push(forbidden(at, detail));
    }
  }
  return errors;
}
