// The shared behaviour of both kinds of admission policy bindings: the policy, its parameters, and the matched resources.
import type { MatchResources, ParamRef } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { type FieldError, path } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import type { Behaviour } from "../kind.ts";
import { defaultMatch, paramRefText, validateMatch, validateParamRef, validatePolicyName } from "./policies.ts";
import { warningsForStaticSuffix } from "./webhooks.ts";

interface PolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
  };
}

export function policyBinding<T extends PolicyBinding>(): Behaviour<T> {
  return {
    allowUnconditionalUpdate: false,
    defaults: ({ spec }) => defaultMatch(spec.matchResources),
    raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
    warnings: warningsForStaticSuffix,
    columns: [
      nameColumn,
      {
        name: "PolicyName",
        type: "string",
        description: "The policy that is bound.",
        cell: ({ spec }) => spec.policyName ?? "",
      },
      {
        name: "ParamRef",
        type: "string",
        description: "The policy's parameters.",
        cell: ({ spec }) => paramRefText(spec.paramRef),
      },
      ageColumn,
    ],
  };
}

export function validateBinding({ spec }: PolicyBinding): FieldError[] {
  const at = path("spec");
  return [
    ...validatePolicyName(spec.policyName, at.child("policyName")),
    ...validateParamRef(spec.paramRef, at.child("paramRef")),
    ...(spec.matchResources ? validateMatch(spec.matchResources, at.child("matchResources")) : []),
  ];
}
