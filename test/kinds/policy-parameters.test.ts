// The author of a policy or binding must be allowed to read its parameters.
import { expect, test } from "vitest";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { newServer } from "../api/server.ts";

const root = "/apis/admissionregistration.k8s.io/v1";
const headers = { "impersonate-user": "jane" };
const resourceRules = [{ operations: ["CREATE"], apiGroups: ["x"], apiVersions: ["v1"], resources: ["y"] }];

function fixture() {
  const server = newServer({ nodes: 0 });
  const { client } = server.cluster;
  const name = "jane";
  client.create(clusterRoles, {
    metadata: { name },
    rules: [
      { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["*"] },
      { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
    ],
  });
  client.create(clusterRoleBindings, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "User", name, apiGroup: "rbac.authorization.k8s.io" }],
  });
  const policy = (name: string, kind: string, as: Record<string, string>) =>
    server.ask("POST", `${root}/validatingadmissionpolicies`, {
      headers: as,
      body: {
        metadata: { name },
        spec: {
          paramKind: { apiVersion: "v1", kind },
          matchConstraints: { resourceRules },
          validations: [{ expression: "true" }],
        },
      },
    });
  const bind = (name: string, paramRef: object) =>
    server.ask("POST", `${root}/validatingadmissionpolicybindings`, {
      headers,
      body: {
        metadata: { name },
        spec: {
          policyName: "of-configs",
          validationActions: ["Deny"],
          paramRef: { parameterNotFoundAction: "Deny", ...paramRef },
        },
      },
    });
  return { ...server, policy, bind };
}

test("a policy requires get on all objects of the parameters' kind", async () => {
  const { policy } = fixture();
  expect((await policy("of-secrets", "Secret", headers)).code).toBe(201);
  const { code, body } = await policy("of-configs", "ConfigMap", headers);
  const user = "&{jane  [system:authenticated] map[]}";
  const why = `user ${user} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`;
  expect([code, body.message]).toEqual([
    422,
    `ValidatingAdmissionPolicy.admissionregistration.k8s.io "of-configs" is invalid: spec.paramKind: Forbidden: ${why}`,
  ]);
});

test("a policy with unchanged parameters is not checked again", async () => {
  const { policy, ask } = fixture();
  await policy("of-configs", "ConfigMap", {});
  const patch = { ...headers, "content-type": "application/merge-patch+json" };
  const body = '{"spec":{"failurePolicy":"Ignore"}}';
  expect((await ask("PATCH", `${root}/validatingadmissionpolicies/of-configs`, { headers: patch, body })).code).toBe(
    200,
  );
});

test("a binding requires get on the named object, or list for a selector", async () => {
  const { policy, bind } = fixture();
  await policy("of-configs", "ConfigMap", {});
  for (const [paramRef, verb] of [
    [{ name: "a" }, "get"],
    [{ selector: {} }, "list"],
  ] as const) {
    const { code, body } = await bind("b", paramRef);
    expect(code).toBe(422);
    expect(body.message).toContain(`does not have "${verb}" permission on the object referenced by paramRef`);
  }
});
