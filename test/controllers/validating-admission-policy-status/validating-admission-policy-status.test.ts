// The status of policies: expressions that do not match the types of their resources.
import { describe, expect, test } from "vitest";
import type { ValidatingAdmissionPolicySpec } from "../../../shared/k8s/api/admissionregistration-v1.ts";
import type { Draft } from "../../../shared/k8s/meta.ts";
import { validatingAdmissionPolicyStatus } from "../../../worker/controllers/validating-admission-policy-status/controller.ts";
import { validatingAdmissionPolicies } from "../../../worker/kinds/admissionregistration/validating-admission-policy.ts";
import { newCluster } from "../../cluster.ts";

function checked(spec: Partial<Draft<ValidatingAdmissionPolicySpec>>) {
  const cluster = newCluster({ nodes: 0, controllers: [validatingAdmissionPolicyStatus] });
  cluster.apply(validatingAdmissionPolicies, {
    metadata: { name: "p" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments", "replicasets"] },
        ],
      },
      ...spec,
    },
  });
  cluster.runUntilQuiet();
  return { cluster, status: () => cluster.get(validatingAdmissionPolicies, "", "p").status };
}

describe("type checking", () => {
  test("a valid expression has no warnings", () => {
    const { status } = checked({
      validations: [{ expression: "object.spec.replicas > 1 && object.metadata.name.startsWith('x')" }],
    });
    expect(status()).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test("an invalid expression is reported for each type, with the compiler's error", () => {
    const { status } = checked({
      validations: [{ expression: "true" }, { expression: "object.replicas > 1" }],
    });
    const problem = (kind: string) =>
      `apps/v1, Kind=${kind}: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n`;
    expect(status()).toEqual({
      observedGeneration: 1,
      typeChecking: {
        expressionWarnings: [
          {
            fieldRef: "spec.validations[1].expression",
            warning: `${problem("Deployment")}\n${problem("ReplicaSet")}`,
          },
        ],
      },
    });
  });

  test("messages, variables and parameters are checked too", () => {
    const { status } = checked({
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [{ name: "count", expression: "object.spec.replicas" }],
      validations: [
        { expression: "variables.count > int(params.data['max'])", messageExpression: "'not ' + variables.count" },
        { expression: "params.data.max > 3" },
      ],
    });
    const warnings = status().typeChecking?.expressionWarnings ?? [];
    expect(warnings.map(({ fieldRef }) => fieldRef)).toEqual([
      "spec.validations[0].messageExpression",
      "spec.validations[1].expression",
    ]);
    expect(warnings[1]?.warning).toContain("found no matching overload for '_>_' applied to '(string, int)'");
  });

  test("rules with any group or version name no types", () => {
    const everything = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*" as const], resources: ["*"] }];
    const { status } = checked({
      matchConstraints: { resourceRules: everything },
      validations: [{ expression: "object.nope.at.all == 1" }],
    });
    expect(status()).toEqual({ observedGeneration: 1, typeChecking: {} });
  });

  test("a changed policy is checked again", () => {
    const { cluster, status } = checked({ validations: [{ expression: "object.nope == 1" }] });
    expect(status().typeChecking?.expressionWarnings).toHaveLength(1);
    cluster.edit(validatingAdmissionPolicies, "", "p", ({ spec }) => {
      spec.validations = [{ expression: "object.spec.replicas == 1" }];
    });
    cluster.runUntilQuiet();
    expect(status()).toEqual({ observedGeneration: 2, typeChecking: {} });
  });
});
