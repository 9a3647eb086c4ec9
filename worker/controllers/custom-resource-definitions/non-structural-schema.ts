// Sets the condition of definitions without structural schemas, from before these were required (upstream: nonstructuralschema).
import type { CustomResourceDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { invalid, path } from "../../../shared/k8s/field.ts";
import type { WorkMeter } from "../../../shared/k8s/bounds/work.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { validateStructural } from "../../../shared/schema/structural/structurality.ts";
import { unreadable } from "../../../shared/schema/structural/unsupported.ts";
import {
  conditionOf,
  isSameCondition,
  type NewCondition,
  setCondition,
} from "../../kinds/apiextensions/custom-resource-definition/conditions.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { defineController, self } from "../../runtime/controller.ts";

const type = "NonStructuralSchema";

export const crdNonStructuralSchemaController = defineController({
  name: "crd-non-structural-schema-controller",
  user: "system:apiserver",
  component: "crd-non-structural-schema-controller",
  watches: [
    self(customResourceDefinitions, (next, previous) => {
      return next !== undefined && next.metadata.generation !== previous?.metadata.generation;
    }),
  ],
  reconcile({ name }, { client, nowMs }) {
    const definition = client.get(customResourceDefinitions, "", name);
    if (!definition) return undefined;
    const [next, old] = [violations(definition, client.meter), conditionOf(definition, type)];
    if (next ? isSameCondition(next, old) : !old) return undefined;
    const conditions = next
      ? setCondition(definition.status.conditions, next, rfc3339(nowMs))
      : definition.status.conditions.filter((condition) => condition !== old);
    client.updateStatus(customResourceDefinitions, { ...definition, status: { ...definition.status, conditions } });
    return undefined;
  },
});

function violations({ spec }: CustomResourceDefinition, meter: WorkMeter): NewCondition | undefined {
  const at = path("spec", "preserveUnknownFields");
  const errors = spec.preserveUnknownFields ? [invalid(at, true, "must be false")] : [];
  for (const [index, { name, schema }] of spec.versions.entries()) {
    if (!schema?.openAPIV3Schema) continue;
    const problem = unreadable(schema.openAPIV3Schema);
    if (problem) {
      const message = `failed to check validation schema for version ${name}: ${problem}`;
      return { type, status: "Unknown", reason: "StructuralError", message };
    }
    const where = path("spec", "versions").index(index).child("schema", "openAPIV3Schema");
    errors.push(...validateStructural(schema.openAPIV3Schema, where, meter));
  }
  if (errors.length === 0) return undefined;
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const message = texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
  return { type, status: "True", reason: "Violations", message };
}
