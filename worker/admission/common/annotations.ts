// Adds audit annotations to a request (upstream: admission.attributesRecord).
import { qualifiedName } from "../../../shared/k8s/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** Adds an annotation. Ignores an invalid key, and a key that is set already. */
export function annotate({ annotations }: AdmissionRequest, key: string, value: string): void {
  if (!annotations || annotations.has(key)) return;
  if (key.split("/").length === 2 && qualifiedName(key).length === 0) annotations.set(key, value);
}
