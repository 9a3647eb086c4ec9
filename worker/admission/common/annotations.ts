// What plugins note of a write for the audit log (upstream: admission.attributesRecord).
import { qualifiedName } from "../../../shared/k8s/names.ts";
import type { AdmissionRequest } from "../../registry/admission.ts";

/** A key of another form is left out, and what is noted once stays. */
export function annotate({ annotations }: AdmissionRequest, key: string, value: string): void {
  if (!annotations || annotations.has(key)) return;
  if (key.split("/").length === 2 && qualifiedName(key).length === 0) annotations.set(key, value);
}
