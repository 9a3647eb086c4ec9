// The kind DeviceClass of resource.k8s.io.
import type { DeviceClass } from "../../../shared/k8s/api/resource-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, invalid, path } from "../../../shared/k8s/field.ts";
import { qualifiedName } from "../../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import { validateSlice } from "./names.ts";
import { validateConfiguration, validateSelectors } from "./selectors.ts";
import { defineKind } from "../kind.ts";
import { isNativeResource } from "../core/pod/resources.ts";

const maxConfig = 32;
const at = path("spec");

export const deviceClasses = defineKind<DeviceClass>("resource.k8s.io", "v1", "deviceclasses", {
  validateUpdate: (_next, _previous, check) => [
    ...check.objectMeta(),
    ...check.objectMetaUpdate(),
    ...check.validate(),
  ],
  deletion: { returnsObject: true },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  validate: ({ spec }) => [
    ...validateSelectors(spec.selectors ?? [], at.child("selectors")),
    ...validateSlice(spec.config ?? [], maxConfig, at.child("config"), (config, where) =>
      validateConfiguration(config.opaque, where),
    ),
    ...validateExtendedResource(spec.extendedResourceName),
  ],
  columns: [nameColumn, ageColumn],
});

/** Validates a name as upstream's `IsExtendedResourceName`. */
function validateExtendedResource(name: string | undefined): FieldError[] {
  if (name === undefined) return [];
  const isExtended = !isNativeResource(name) && !name.startsWith("requests.");
  if (isExtended && qualifiedName(`requests.${name}`).length === 0) return [];
  return [invalid(at.child("extendedResourceName"), name, "must be a valid extended resource name")];
}
