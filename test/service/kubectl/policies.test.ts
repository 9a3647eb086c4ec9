// Admission policies with the real kubectl: refusals, warnings and mutations.
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";

const policy = (kind: string, spec: string) => `apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata:
  name: limits
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [CREATE, UPDATE]
      resources: [deployments]
${spec}`;

const binding = (kind: string, spec: string) => `---
apiVersion: admissionregistration.k8s.io/v1
kind: ${kind}
metadata:
  name: limits-everywhere
spec:
  policyName: limits
${spec}`;

const tooMany = "ValidatingAdmissionPolicy 'limits' with binding 'limits-everywhere' denied request: at most 2, not 3";

newestKubectlTest("a policy refuses, then only warns, in its own words", async ({ ok, fails, run, write }) => {
  const validations = `  validations:
  - expression: object.spec.replicas <= 2
    messageExpression: "'at most 2, not ' + string(object.spec.replicas)"
`;
  const actions = (action: string) => binding("ValidatingAdmissionPolicyBinding", `  validationActions: [${action}]\n`);
  write("policy.yaml", policy("ValidatingAdmissionPolicy", validations) + actions("Deny"));
  expect(await ok("apply -f policy.yaml")).toBe(
    "validatingadmissionpolicy.admissionregistration.k8s.io/limits created\nvalidatingadmissionpolicybinding.admissionregistration.k8s.io/limits-everywhere created\n",
  );
  expect(await fails("create deployment web --image=nginx --replicas=3")).toContain(tooMany);
  expect(await ok("create deployment web --image=nginx --replicas=2")).toBe("deployment.apps/web created\n");
  write("policy.yaml", policy("ValidatingAdmissionPolicy", validations) + actions("Warn"));
  expect(await ok("apply -f policy.yaml")).toContain("limits-everywhere configured");
  const warned = await run("create deployment other --image=nginx --replicas=3");
  expect(warned).toMatchObject({ code: 0, stdout: "deployment.apps/other created\n" });
  expect(warned.stderr).toContain(
    "Warning: Validation failed for ValidatingAdmissionPolicy 'limits' with binding 'limits-everywhere': at most 2, not 3",
  );
});

newestKubectlTest(
  "a policy that does not compile is refused, and one that does not fit its types is told",
  async ({ ok, fails, write }) => {
    write(
      "policy.yaml",
      policy("ValidatingAdmissionPolicy", "  validations:\n  - expression: object.spec.replicas <=\n"),
    );
    expect(await fails("apply -f policy.yaml")).toContain(
      "compilation failed: ERROR: <input>:1:24: Syntax error: mismatched input '<EOF>'",
    );
    write("policy.yaml", policy("ValidatingAdmissionPolicy", "  validations:\n  - expression: object.replicas <= 2\n"));
    await ok("apply -f policy.yaml");
    await ok("wait --for=jsonpath={.status.observedGeneration}=1 validatingadmissionpolicy/limits --timeout=30s");
    expect(await ok("describe validatingadmissionpolicy limits")).toContain("undefined field 'replicas'");
  },
);

newestKubectlTest("a policy changes what is written", async ({ ok, write }) => {
  const mutations = `  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: "Object{metadata: Object.metadata{labels: {'owner': request.userInfo.username}}}"
  - patchType: JSONPatch
    jsonPatch:
      expression: "[JSONPatch{op: 'replace', path: '/spec/replicas', value: object.spec.replicas + 1}]"
`;
  write("policy.yaml", policy("MutatingAdmissionPolicy", mutations) + binding("MutatingAdmissionPolicyBinding", ""));
  await ok("apply -f policy.yaml");
  await ok("create deployment web --image=nginx");
  expect(await ok("get deployment web -o jsonpath={.spec.replicas}")).toBe("2");
  expect(await ok("get deployment web -o jsonpath={.metadata.labels.owner}")).not.toBe("");
});
