// An object in another version of its kind.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";

export function asVersion(kind: Kind, object: KubeObject, wanted: Kind): KubeObject {
  if (kind === wanted) return object;
  const stored = storedOf(kind, object);
  const shown = wanted.otherVersionOf?.fromStored(stored) ?? wanted.storedForm?.read(stored) ?? stored;
  return { ...shown, apiVersion: wanted.apiVersion, kind: wanted.kind };
}

function storedOf(kind: Kind, object: KubeObject): KubeObject {
  return kind.otherVersionOf?.toStored(object) ?? kind.storedForm?.write(object) ?? object;
}
