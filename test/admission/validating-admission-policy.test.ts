// ValidatingAdmissionPolicy in whole clusters: its rejections in upstream's words.
import { describe, expect, test } from "vitest";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { deployments } from "../../worker/kinds/apps/deployment.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { validatingAdmissionPolicies } from "../../worker/kinds/admissionregistration/validating-admission-policy.ts";
import { create } from "../../worker/registry/create.ts";
import { policies } from "./policies.ts";

const small = { expression: "object.spec.replicas <= 5" };

describe("rejections", () => {
  test("are Invalid with the failed expression", () => {
    const { validate, deploy, refusal } = policies();
    validate({ validations: [small] });
    const error = refusal(() => deploy("x", { replicas: 6 }));
    const message =
      "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.spec.replicas <= 5";
    expect(error.toStatus()).toMatchObject({
      code: 422,
      reason: "Invalid",
      message: `deployments.apps "x" is forbidden: ${message}`,
      details: { name: "x", group: "apps", kind: "deployments", causes: [{ message }] },
    });
    expect(deploy("y", { replicas: 5 }).spec.replicas).toBe(5);
  });

  test("have the message or its expression's value, and the reason", () => {
    const { validate, deploy, refusal } = policies();
    const messageExpression = "'at most 5, not ' + string(object.spec.replicas)";
    validate({ validations: [{ ...small, message: "too many", messageExpression, reason: "Forbidden" }] });
    const error = refusal(() => deploy("x", { replicas: 7 }));
    expect([error.code, error.reason, error.message]).toEqual([
      403,
      "Forbidden",
      "deployments.apps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: at most 5, not 7",
    ]);
  });

  test("have the message if its expression fails or is not one line", () => {
    for (const messageExpression of ["string(object.nope.name)", "'  '", "'a\\nb'"]) {
      const { validate, deploy, refusal } = policies();
      validate({ validations: [{ ...small, message: "too many", messageExpression }] });
      expect(refusal(() => deploy("x", { replicas: 7 })).message).toMatch(/denied request: too many$/);
    }
  });

  test("follow an error of an expression, unless failures are ignored", () => {
    for (const failurePolicy of ["Fail", "Ignore"] as const) {
      const { validate, deploy, refusal } = policies();
      validate({ failurePolicy, validations: [{ expression: "object.spec.nope == 1" }] });
      if (failurePolicy === "Ignore") expect(deploy("x").metadata.name).toBe("x");
      else
        expect(refusal(() => deploy("x")).message).toBe(
          "deployments.apps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: expression 'object.spec.nope == 1' resulted in error: no such key: nope",
        );
    }
  });

  test("may compare with oldObject, which is null for a new object", () => {
    const { validate, deploy, refusal, cluster } = policies();
    validate({ validations: [{ expression: "oldObject == null || object.spec.replicas >= oldObject.spec.replicas" }] });
    deploy("x", { replicas: 3 });
    const shrink = () => cluster.edit(deployments, "default", "x", ({ spec }) => (spec.replicas = 2));
    expect(refusal(shrink).message).toContain("denied request: failed expression: oldObject == null");
  });

  test("do not follow the actions Warn and Audit", () => {
    for (const action of ["Warn", "Audit"] as const) {
      const { validate, deploy, cluster } = policies();
      validate({ validations: [small] }, { validationActions: [action] });
      const warnings: string[] = [];
      const { registry } = cluster;
      const user = { name: "admin", groups: ["system:masters"] };
      const draft = structuredClone(deploy("x", { replicas: 1 }));
      draft.metadata = { name: "y", namespace: "default" };
      draft.spec.replicas = 9;
      const actor = { user, origin: "test", manager: "test" };
      create(registry, deployments, "default", draft, actor, { warn: (message) => warnings.push(message) });
      const warning =
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: object.spec.replicas <= 5";
      expect(warnings).toEqual(action === "Warn" ? [warning] : []);
    }
  });
});

describe("matching of a policy", () => {
  test("follows rules, selectors and exclusions", () => {
    const { validate, deploy, refusal, cluster } = policies();
    cluster.client.create(namespaces, { metadata: { name: "free", labels: { free: "yes" } } });
    validate({
      matchConstraints: {
        namespaceSelector: { matchExpressions: [{ key: "free", operator: "DoesNotExist" }] },
        objectSelector: { matchLabels: { tier: "web" } },
        resourceRules: [{ apiGroups: ["apps"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
        excludeResourceRules: [
          {
            apiGroups: ["apps"],
            apiVersions: ["v1"],
            operations: ["*"],
            resources: ["deployments"],
            resourceNames: ["spared"],
          },
        ],
      },
      validations: [{ expression: "false" }],
    });
    const web = { labels: { tier: "web" } };
    expect(refusal(() => deploy("x", web)).code).toBe(422);
    expect(deploy("y").metadata.name).toBe("y");
    expect(deploy("spared", web).metadata.name).toBe("spared");
    expect(deploy("x", { ...web, namespace: "free" }).metadata.namespace).toBe("free");
  });

  test("is restricted by a binding, and a policy without a binding has no effect", () => {
    const { validate, deploy, refusal, cluster } = policies();
    validate(
      { validations: [{ expression: "false" }] },
      { matchResources: { objectSelector: { matchLabels: { tier: "web" } } } },
    );
    cluster.client.create(validatingAdmissionPolicies, {
      metadata: { name: "unbound" },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
        },
        validations: [{ expression: "false" }],
      },
    });
    expect(deploy("x").metadata.name).toBe("x");
    expect(refusal(() => deploy("y", { labels: { tier: "web" } })).code).toBe(422);
  });

  test("excludes policies", () => {
    const { validate, cluster } = policies();
    const everything = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*" as const], resources: ["*/*"] }];
    validate({ matchConstraints: { resourceRules: everything }, validations: [{ expression: "false" }] });
    cluster.client.delete(validatingAdmissionPolicies, "", "p");
    expect(cluster.client.get(validatingAdmissionPolicies, "", "p")).toBeUndefined();
  });

  test("fails with a false condition, and an error of a condition is handled by the failure policy", () => {
    const cases = [
      ["request.userInfo.username != 'admin'", "Fail", "passes"],
      ["request.userInfo.username == 'admin'", "Fail", "denied request: failed expression: false"],
      [
        "object.nope == 1",
        "Fail",
        "denied request: expression 'object.nope == 1' resulted in error: no such key: nope",
      ],
      ["object.nope == 1", "Ignore", "passes"],
    ] as const;
    for (const [expression, failurePolicy, outcome] of cases) {
      const { validate, deploy, refusal } = policies();
      validate({ failurePolicy, matchConditions: [{ name: "c", expression }], validations: [{ expression: "false" }] });
      if (outcome === "passes") expect(deploy("x").metadata.name).toBe("x");
      else expect(refusal(() => deploy("x")).message).toContain(outcome);
    }
  });

  test("includes deletions, which have no object", () => {
    const { validate, deploy, refusal, cluster } = policies();
    deploy("x");
    validate({
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["DELETE"], resources: ["deployments"] },
        ],
      },
      validations: [{ expression: "object != null || oldObject.metadata.name != 'x'" }],
    });
    expect(refusal(() => cluster.client.delete(deployments, "default", "x")).code).toBe(422);
  });
});

describe("variables of expressions", () => {
  const evaluates = (expression: string) => {
    const { validate, deploy, refusal } = policies();
    validate({ validations: [{ expression: "false", messageExpression: expression }] });
    return refusal(() => deploy("x", { replicas: 2 })).message.replace(/^.*denied request: /, "");
  };

  test("contain the request, the namespace and the object", () => {
    expect(
      [
        "request.operation + ' ' + request.kind.kind + ' ' + request.resource.resource + ' ' + request.name",
        "request.namespace + ' ' + request.userInfo.groups[0] + ' ' + string(request.dryRun)",
        "namespaceObject.metadata.name + ' ' + namespaceObject.metadata.labels['kubernetes.io/metadata.name']",
        "object.apiVersion + ' ' + object.kind",
        "object.spec.template.spec.containers.map(c, c.image).join(',')",
      ].map(evaluates),
    ).toEqual([
      "CREATE Deployment deployments x",
      "default system:masters false",
      "default default",
      "apps/v1 Deployment",
      "nginx:1.25",
    ]);
  });

  test("are evaluated once and only if used", () => {
    const { validate, deploy, refusal } = policies();
    validate({
      variables: [
        { name: "containers", expression: "object.spec.template.spec.containers" },
        { name: "images", expression: "variables.containers.map(c, c.image)" },
        { name: "broken", expression: "object.spec.nope" },
      ],
      validations: [
        { expression: "variables.images.all(i, !i.endsWith(':latest'))" },
        { expression: "variables.broken == 1" },
      ],
    });
    expect(refusal(() => deploy("x")).message).toContain(
      "expression 'variables.broken == 1' resulted in error: composited variable \"broken\" fails to evaluate: no such key: nope",
    );
  });

  test("include the authorizer for the user of the write", () => {
    const { validate, deploy, refusal } = policies();
    const authorizerCall =
      "authorizer.group('apps').resource('deployments').namespace('default').check('delete').allowed()";
    validate({ validations: [{ expression: `!${authorizerCall}`, message: "may" }] });
    expect(refusal(() => deploy("x")).message).toContain("denied request: may");
  });
});

describe("parameters of a policy", () => {
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
  const limited = { paramKind, validations: [{ expression: "object.spec.replicas <= int(params.data.max)" }] };

  test("are named by a binding or selected, and each is checked", () => {
    const { validate, deploy, refusal, cluster } = policies();
    const map = (name: string, max: string) =>
      cluster.client.create(configMaps, {
        metadata: { name, namespace: "default", labels: { limit: "yes" } },
        data: { max },
      });
    map("high", "10");
    validate(limited, { paramRef: { name: "high", namespace: "default", parameterNotFoundAction: "Deny" } });
    expect(deploy("x", { replicas: 8 }).metadata.name).toBe("x");
    map("low", "3");
    validate(
      limited,
      { paramRef: { selector: { matchLabels: { limit: "yes" } }, parameterNotFoundAction: "Deny" } },
      "q",
    );
    expect(refusal(() => deploy("y", { replicas: 8 })).message).toContain(
      "ValidatingAdmissionPolicy 'q' with binding 'q-b'",
    );
  });

  test("reject or allow if they are missing, as the binding defines", () => {
    for (const parameterNotFoundAction of ["Deny", "Allow"] as const) {
      const { validate, deploy, refusal } = policies();
      validate(limited, { paramRef: { name: "gone", namespace: "default", parameterNotFoundAction } });
      if (parameterNotFoundAction === "Allow") expect(deploy("x").metadata.name).toBe("x");
      else
        expect(refusal(() => deploy("x")).message).toBe(
          "deployments.apps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
        );
    }
  });

  test("with an unknown kind are an error of the policy", () => {
    const { validate, deploy, refusal } = policies();
    validate({ ...limited, paramKind: { apiVersion: "rules.example.com/v1", kind: "ReplicaLimit" } });
    expect(refusal(() => deploy("x")).message).toBe(
      "deployments.apps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=ReplicaLimit'",
    );
  });
});

describe("costs of a policy", () => {
  test("stop an expression beyond its limit, and the write is rejected", () => {
    const { validate, deploy, refusal } = policies();
    const runaway = "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))";
    validate({ validations: [{ expression: runaway }] });
    expect(refusal(() => deploy("x")).message).toContain(
      "resulted in error: operation cancelled: actual cost limit exceeded",
    );
  });

  test("share a budget among all expressions of a policy", () => {
    const { validate, deploy, refusal } = policies();
    // Authorizer calls are the most expensive; each expression stays below its own limit.
    const authorizerCall = "authorizer.path('/healthz').check('get').allowed()";
    validate({
      validations: Array.from({ length: 15 }, () => ({ expression: `${authorizerCall} && ${authorizerCall}` })),
    });
    expect(refusal(() => deploy("x")).message).toContain(
      "denied request: validation failed due to running out of cost budget, no further validation rules will be run",
    );
  });
});

test("an invalid annotation rejects the write for any actions", () => {
  const { validate, deploy, refusal } = policies();
  validate(
    { auditAnnotations: [{ key: "k", valueExpression: "object.nope + 'x'" }] },
    { validationActions: ["Audit"] },
  );
  expect(refusal(() => deploy("x")).message).toContain("resulted in error: no such key: nope");
});

test("policies apply to writes of controllers too, and their changes apply at once", () => {
  const { validate, deploy, refusal, cluster } = policies();
  validate({ validations: [small] });
  expect(refusal(() => deploy("x", { replicas: 6 })).code).toBe(422);
  cluster.edit(validatingAdmissionPolicies, "", "p", ({ spec }) => {
    spec.validations = [{ expression: "object.spec.replicas <= 9" }];
  });
  expect(deploy("x", { replicas: 6 }).spec.replicas).toBe(6);
});
