// Devices that are in use may be asked for only where a namespace is marked for it.
import type { DeviceClaim } from "../../../shared/k8s/api/resource-v1.ts";
import { type FieldError, forbidden, path } from "../../../shared/k8s/field.ts";
import type { WriteContext } from "../kind.ts";
import { namespaces } from "../namespaces.ts";

const label = "resource.kubernetes.io/admin-access";

export function validateAdminAccess({ requests }: DeviceClaim, namespace: string, context: WriteContext): FieldError[] {
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (index < 0) return [];
  const found = context.get(namespaces, "", namespace);
  if (found?.metadata.labels?.[label] === "true") return [];
  const at = path("spec", "devices", "requests").index(index).child("adminAccess");
  return [forbidden(at, `admin access to devices requires the \`${label}: true\` label on the containing namespace`)];
}
