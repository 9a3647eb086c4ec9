// Golden timelines of validating admission policy status: every event and every step, in order.
import { expect, test } from "vitest";
import { validatingAdmissionPolicies } from "../../../worker/kinds/admissionregistration/validating-admission-policy.ts";
import { quietCluster } from "../../cluster.ts";
import { story } from "../story.ts";

test("a validating policy's expressions are checked, and again when they change", () => {
  const cluster = quietCluster({ nodes: 0 });
  const happen = (step: () => void) => {
    const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*" as const], resources: ["deployments"] };
    cluster.apply(validatingAdmissionPolicies, {
      metadata: { name: "p" },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "object.replicas > 1" }] },
    });
    step();
    cluster.edit(validatingAdmissionPolicies, "", "p", ({ spec }) => {
      spec.validations = [{ expression: "object.spec.replicas > 1" }];
    });
  };
  expect(story(cluster, happen)).toMatchInlineSnapshot(`
    [
      "ValidatingAdmissionPolicy p made",
      "ValidatingAdmissionPolicy p: observedGeneration 1, typeChecking {expressionWarnings 1}",
      "ValidatingAdmissionPolicy p: observedGeneration 2, typeChecking {}",
    ]
  `);
});
