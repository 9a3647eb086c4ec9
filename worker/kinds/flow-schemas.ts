// The kind FlowSchema of flowcontrol.apiserver.k8s.io.
import type { FlowSchema } from "../../shared/k8s/api/flowcontrol-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import { type FieldError, invalid, notSupported, path, required } from "../../shared/k8s/field.ts";
import { dns1123Subdomain } from "../../shared/k8s/names.ts";
import { ageColumn, nameColumn } from "./columns.ts";
import { mandatoryFlowSchemas } from "./flow-control/mandatory.ts";
import { validateFlowRule } from "./flow-control/validate-rules.ts";
import { validateFlowStatus } from "./flow-control/validate-status.ts";
import { internalForm } from "./internal-form.ts";
import { defineKind } from "./kind.ts";
import { checked } from "./network/ports.ts";
import { keepMetadata } from "./status-metadata.ts";

const specType = "io.k8s.api.flowcontrol.v1.FlowSchemaSpec";
const methods = ["ByNamespace", "ByUser"];
const precedence = { default: 1000, max: 10_000 };

export const flowSchemas = defineKind<FlowSchema>("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", {
  updateChecks: ["metadata", "own", "change"],
  defaults({ spec }) {
    spec.matchingPrecedence ||= precedence.default;
  },
  raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
  validate: (schema) => [...validateSpec(schema), ...validateFlowStatus(schema)],
  resetFields: { status: ["metadata", "spec"] },
  subresourceStrategies: {
    status: {
      prepareForUpdate(draft, previous) {
        draft.spec = previous.spec;
        keepMetadata(draft, previous);
      },
      validateUpdate: validateFlowStatus,
    },
  },
  columns: [
    nameColumn,
    {
      name: "PriorityLevel",
      type: "string",
      description: "The priority level of the schema's requests.",
      cell: ({ spec }) => spec.priorityLevelConfiguration.name,
    },
    {
      name: "MatchingPrecedence",
      type: "string",
      description: "Which schema counts of those that match: the one with the least.",
      cell: ({ spec }) => spec.matchingPrecedence,
    },
    {
      name: "DistinguisherMethod",
      type: "string",
      description: "By what requests are told apart.",
      cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>",
    },
    ageColumn,
    {
      name: "MissingPL",
      type: "string",
      description: "Whether the priority level is not there.",
      cell: ({ status }) => status.conditions?.find(({ type }) => type === "Dangling")?.status ?? "?",
    },
  ],
});

function validateSpec({ metadata: { name = "" }, spec }: FlowSchema): FieldError[] {
  const at = path("spec");
  const { matchingPrecedence: value, distinguisherMethod: method, priorityLevelConfiguration: level } = spec;
  const errors: FieldError[] = [];
  const refuse = (why: string) => errors.push(invalid(at.child("matchingPrecedence"), value, why));
  if (value <= 0) refuse("must be a positive value");
  if (value > precedence.max) refuse(`must not be greater than ${precedence.max}`);
  if (value === 1 && name !== "exempt") refuse("only the schema named 'exempt' may have matchingPrecedence 1");
  if (method && !methods.includes(method.type)) {
    // Upstream prints its internal struct here, whose fields have no JSON names.
    errors.push(notSupported(at.child("distinguisherMethod", "type"), { Type: method.type }, methods));
  }
  const where = at.child("priorityLevelConfiguration", "name");
  errors.push(
    ...(level.name
      ? checked(dns1123Subdomain(level.name), level.name, where)
      : [required(where, "must reference a priority level")]),
  );
  (spec.rules ?? []).forEach((rule, index) => errors.push(...validateFlowRule(rule, at.child("rules").index(index))));
  const fixed = Object.hasOwn(mandatoryFlowSchemas, name) ? mandatoryFlowSchemas[name] : undefined;
  if (fixed && !semanticEqual(fixed, spec)) {
    errors.push(invalid(at, internalForm(specType, spec), `spec of '${name}' must equal the fixed value`));
  }
  return errors;
}
