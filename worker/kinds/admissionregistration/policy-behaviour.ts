// What the kinds of admission policies have in common: defaults, the order of checks, and their table.
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

/** Work of compiling a character of a policy. */
const compileWork = 0.6;

/** What policies of both kinds do; `validate` says what is wrong with a policy itself, `counted` what its table counts. */
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
    /** The parameters are only looked at once all else is well. */
    validate(given, context) {
      context.meter.charge(JSON.stringify(given.spec).length * compileWork);
      const errors = validate(given);
      return errors.length > 0 ? errors : paramKindErrors(given, kind(), context);
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
