// The shared behaviour of admission policies: defaults, the order of checks, and the table.
import type { FailurePolicyType, MatchResources, ParamKind } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import type { FieldError } from "../../../shared/k8s/field.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { ageColumn, nameColumn } from "../common/printers.ts";
import type { Behaviour, Column, Kind } from "../kind.ts";
import { paramKindErrors } from "./param-access.ts";
import { defaultMatch, paramKindText } from "./policies.ts";
import { warningsForStaticSuffix } from "./webhooks.ts";

interface Policy extends KubeObject {
  readonly spec: {
    failurePolicy?: FailurePolicyType;
    readonly matchConstraints?: MatchResources;
    readonly paramKind?: ParamKind;
  };
}

/** The work of compiling a character of a policy. */
const compileWork = 0.6;

/** Returns the behaviour. `validate` validates a policy itself; `counted` returns the list that its table counts. */
export function policyBehaviour<T extends Policy>(
  kind: () => Kind<T>,
  validate: (policy: T) => FieldError[],
  counted: Omit<Column<T>, "type">,
): Behaviour<T> {
  return {
    validateUpdate: (_next, _previous, check) => [...check.objectMeta(), ...check.validate()],
    allowUnconditionalUpdate: false,
    defaults({ spec }) {
      spec.failurePolicy ??= "Fail";
      defaultMatch(spec.matchConstraints);
    },
    raisesGeneration: (next, previous) => !semanticEqual(next.spec, previous.spec),
    /** Access to the parameters is only checked if everything else is valid. */
    validate(policy, context) {
      context.meter.charge(JSON.stringify(policy.spec).length * compileWork);
      const errors = validate(policy);
      return errors.length > 0 ? errors : paramKindErrors(policy, kind(), context);
    },
    warnings: warningsForStaticSuffix,
    columns: [
      nameColumn,
      { type: "integer", ...counted },
      {
        name: "ParamKind",
        type: "string",
        description: "The kind of the policy's parameters.",
        cell: ({ spec }) => paramKindText(spec.paramKind),
      },
      ageColumn,
    ],
  };
}
