// An object in another version of its kind.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** What a write is about, as the version that a rule names has it; what is of no kind has one form. */
export function inVersion(wanted: Kind, { kind, objectKind }: AdmissionRequest, object: KubeObject): KubeObject {
  return objectKind ? object : asVersion(kind, object, wanted);
}

export function asVersion(kind: Kind, object: KubeObject, wanted: Kind): KubeObject {
  if (kind === wanted) return object;
  const stored = storedOf(kind, object);
  const converted = wanted.conversion?.fromStorage(stored) ?? stored;
  // Decoding by the kind's own schema gives the canonical form.
  const { object: canonical } = wanted.schema.decode({
    ...converted,
    apiVersion: wanted.apiVersion,
    kind: wanted.kind,
  });
  return canonical as KubeObject;
}

function storedOf(kind: Kind, object: KubeObject): KubeObject {
  return kind.conversion?.toStorage(object) ?? object;
}
