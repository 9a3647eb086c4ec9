// Converts objects between versions of their kind.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** Returns the object of a write in the version that a rule names. Objects without a kind have one form. */
export function inVersion(targetKind: Kind, { kind, objectKind }: AdmissionRequest, object: KubeObject): KubeObject {
  return objectKind ? object : asVersion(kind, object, targetKind);
}

export function asVersion(kind: Kind, object: KubeObject, targetKind: Kind): KubeObject {
  if (kind === targetKind) return object;
  const stored = storedOf(kind, object);
  const converted = targetKind.conversion?.fromStorage(stored) ?? stored;
  // Decoding by the kind's schema returns the canonical form.
  const { object: canonical } = targetKind.schema.decode({
    ...converted,
    apiVersion: targetKind.apiVersion,
    kind: targetKind.kind,
  });
  return canonical as KubeObject;
}

function storedOf(kind: Kind, object: KubeObject): KubeObject {
  return kind.conversion?.toStorage(object) ?? object;
}
