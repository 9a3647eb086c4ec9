// Checks of lessons: their expressions, and records that a learner with all rights cannot fake.
import { beforeAll, describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { apps, core, deployment } from "../api/server.ts";
import { type LessonBed, lessonBed } from "./bed.ts";

const web = 'object("apps/v1", "Deployment", "default", "web")';
const scales = 'changes("apps/v1", "Deployment", "default", "web")';
const merge = { "content-type": "application/merge-patch+json" };

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1.29", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: talks}
spec: {containers: [{name: a, image: busybox, command: [sh, -c, "echo hello; sleep 1000"]}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: jane}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
`;

describe("expressions of checks", () => {
  let bed: LessonBed;
  beforeAll(() => {
    bed = lessonBed(manifests);
  });

  test.each([
    [`${web}.spec.replicas == 3 && ${web}.status.readyReplicas == 3`, true],
    ['objects("v1", "Pod", "default").filter(p, p.status.phase == "Running").size() == 4', true],
    ['objects("v1", "Node").size() == 3', true],
    ['found("v1", "Service", "default", "web") && !found("v1", "Service", "default", "other")', true],
    ['found("v1", "Namespace", "default")', true],
    ['http("web.default/").status == 200 && http("web.default").body.contains("nginx")', true],
    ['http("http://web.default.svc.cluster.local:80/none").status == 404', true],
    ['http("web.default:81").error == "timeout"', true],
    ['http("nobody.default").error == "unknown host"', true],
    ['httpFrom("default/talks", "http://web").status == 200', true],
    ['logs("default/talks") == "hello\\n"', true],
    ['logs("default/talks", "b") == ""', "container b is not valid for pod talks"],
    ['logs("default/nobody") == ""', "there is no pod default/nobody"],
    ['user("jane", []).group("").resource("pods").namespace("default").check("list").allowed()', true],
    ['user("jane", []).group("").resource("pods").namespace("default").check("delete").allowed()', false],
    ['answer == "42"', true],
    ['object("v1", "Pod", "default", "none").status.phase == "Running"', "there is no Pod default/none"],
    ['objects("shop/v1", "Oven").size() == 0', "the cluster knows no kind Oven of shop/v1"],
    [`${web}.spec.nothing == 1`, "no such key: nothing"],
    [`${web}.spec`, "the check came to neither true nor false"],
  ])("M1: %s is %s", async (expression, expected) => {
    expect(await bed.check(expression, "42")).toBe(expected);
  });

  test("M1: an expression that costs too much fails its check, and the others are graded", async () => {
    const many = "[0,1,2,3,4,5,6,7,8,9]";
    const deep = Array.from({ length: 7 }, (_, at) => `${many}.all(x${at}, `).join("");
    const [first, second] = await bed.grade([`${deep}true${")".repeat(7)}`, "true"]);
    expect([first?.passed, first?.message]).toEqual([false, "operation cancelled: actual cost limit exceeded"]);
    expect(second).toEqual({ passed: true, message: "" });
  });

  test("M1: a check with too many requests to containers fails with that reason", async () => {
    const requests = Array.from(
      { length: limits.checkQuestions + 1 },
      (_, at) => `http("web.default/${at}").status > 0`,
    );
    expect(await bed.check(requests.join(" && "))).toBe(
      `the check asks containers more than ${limits.checkQuestions} questions`,
    );
  });

  test("M1: a check that reads too many objects fails with that reason", async () => {
    const crowd = lessonBed();
    for (let at = 0; at <= limits.checkObjects; at++) {
      crowd.server.cluster.client.create(configMaps, { metadata: { name: `c${at}`, namespace: "default" } });
    }
    expect(await crowd.check('objects("v1", "ConfigMap", "default").size() > 0')).toBe(
      `the check would look at more than ${limits.checkObjects} objects`,
    );
  });
});

describe("recorded changes of a step", () => {
  test("M2: have their user, object, and the object before and after", async () => {
    const bed = lessonBed(manifests);
    const { server } = bed;
    const scaled = `${scales}.exists(c, c.byRequest && c.subresource == "scale" && c.before.spec.replicas == 3 && c.after.spec.replicas == 1)`;
    const never = `${scales}.all(c, c.after != null && c.after.spec.replicas >= 2)`;
    expect([await bed.check(scaled), await bed.check(never)]).toEqual([false, true]);
    await server.ask("PATCH", `${apps}/deployments/web/scale`, { headers: merge, body: '{"spec":{"replicas":1}}' });
    await server.ask("PATCH", `${apps}/deployments/web`, { headers: merge, body: '{"spec":{"replicas":3}}' });
    bed.pass(30);
    expect([await bed.check(scaled), await bed.check(never)]).toEqual([true, false]);
    expect(await bed.check(`${scales}.exists(c, c.user == "kubernetes-admin" && c.verb == "patch")`)).toBe(true);
    expect(
      await bed.check(
        `${scales}.exists(c, !c.byRequest && c.subresource == "" && c.user.contains("deployment-controller"))`,
      ),
    ).toBe(true);
  });

  test("M2: exclude changes before the start of the step", async () => {
    const bed = lessonBed(manifests);
    await bed.server.ask("DELETE", `${apps}/deployments/web`);
    const gone = `${scales}.exists(c, c.type == "DELETED")`;
    bed.pass(60);
    expect(await bed.check(gone)).toBe(true);
    bed.begin();
    expect(await bed.check(gone)).toBe(false);
  });

  test("M2: distinguish a forced pod deletion from a graceful one", async () => {
    const bed = lessonBed(manifests);
    const forced = 'changes("v1", "Pod", "default").exists(c, c.forced)';
    const { items } = (await bed.server.ask("GET", `${core}/pods?labelSelector=app=web`)).body;
    const [first, second, third = ""] = items.map(({ metadata }) => metadata.name ?? "");
    await bed.server.ask("DELETE", `${core}/pods/${first}`);
    bed.pass(60);
    // As the cluster itself does with the pods of a lost node.
    bed.server.cluster.client.delete(pods, "default", third, { gracePeriodSeconds: 0 });
    expect(await bed.check(forced)).toBe(false);
    await bed.server.ask("DELETE", `${core}/pods/${second}?gracePeriodSeconds=0`);
    expect(await bed.check(forced)).toBe(true);
  });

  test("M3: include requests as a controller or another user, and name the real user", async () => {
    const bed = lessonBed(manifests);
    const controller = "system:serviceaccount:kube-system:deployment-controller";
    const headers = { ...merge, "impersonate-user": controller, "impersonate-group": "system:masters" };
    await bed.server.ask("PATCH", `${apps}/deployments/web`, { headers, body: '{"metadata":{"labels":{"a":"b"}}}' });
    const faked = `${scales}.filter(c, c.user == "${controller}" && has(c.after.metadata.labels) && "a" in c.after.metadata.labels)`;
    expect(await bed.check(`${faked}.size() == 1 && ${faked}[0].byRequest`)).toBe(true);
    expect(await bed.check(`${faked}[0].impersonator == "kubernetes-admin"`)).toBe(true);
  });

  test("M3: pass no check after a request wrote a status, unless the lesson allows it", async () => {
    const bed = lessonBed(manifests);
    const faked = `${scales}.exists(c, c.byRequest && c.subresource == "status")`;
    await bed.server.ask("PATCH", `${apps}/deployments/web`, { headers: merge, body: '{"spec":{"replicas":2}}' });
    bed.pass(30);
    expect(await bed.check(faked)).toBe(false);
    const body = '{"status":{"readyReplicas":7,"replicas":7}}';
    const { code } = await bed.server.ask("PATCH", `${apps}/deployments/web/status`, { headers: merge, body });
    const why =
      "the status of deployments.apps default/web was written by a request, so that it says nothing any more: start the step again";
    expect([code, await bed.check(faked), await bed.check("true")]).toEqual([200, why, why]);
    expect(await bed.grade([faked], "", true)).toEqual([{ passed: true, message: "" }]);
  });

  test.each(["deployments/status", "*/*", "deployments"])(
    "M3: pass no check during or after a policy for %s that can change statuses",
    async (resource) => {
      const bed = lessonBed(manifests);
      const path = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies";
      const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["UPDATE"], resources: [resource] };
      const expression = "Object{metadata: Object.metadata{labels: {'a': 'b'}}}";
      const spec = {
        matchConstraints: { resourceRules: [rule] },
        reinvocationPolicy: "Never",
        mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
      };
      const { code } = await bed.server.ask("POST", path, { body: { metadata: { name: "fake" }, spec } });
      const why =
        "mutatingadmissionpolicies.admissionregistration.k8s.io fake may change statuses, so that they say nothing any more: start the step again";
      const expected = resource === "deployments" ? true : why;
      expect([code, await bed.check("true")]).toEqual([201, expected]);
      await bed.server.ask("DELETE", `${path}/fake`);
      expect(await bed.check("true")).toBe(expected);
    },
  );

  test("M3: pass no check if the history does not reach the start of the step", async () => {
    const bed = lessonBed(manifests, { base: "layered" });
    bed.begin(bed.server.cluster.registry.store.forgotten - 1);
    expect(await bed.check(`${scales}.all(c, true)`)).toBe(
      "the history does not go back to the beginning of this step: start the step again",
    );
  });

  test("M3: are graded from the first stored revision on if the lesson allows status writes", async () => {
    const bed = lessonBed(manifests, { base: "layered" });
    const body = '{"status":{"readyReplicas":7,"replicas":7}}';
    await bed.server.ask("PATCH", `${apps}/deployments/web/status`, { headers: merge, body });
    const { forgotten } = bed.server.cluster.registry.store;
    bed.begin(forgotten);
    expect(await bed.grade(["true"], "", true)).toEqual([{ passed: true, message: "" }]);
    bed.begin(forgotten - 1);
    const message = "the history does not go back to the beginning of this step: start the step again";
    expect(await bed.grade(["true"], "", true)).toEqual([{ passed: false, message }]);
  });

  test("M3: pass no check past their bound", async () => {
    const bed = lessonBed();
    const { client } = bed.server.cluster;
    client.create(configMaps, { metadata: { name: "a", namespace: "default" }, data: { a: "0" } });
    for (let at = 1; at <= limits.checkChanges; at++) {
      client.update(configMaps, { metadata: { name: "a", namespace: "default" }, data: { a: String(at) } });
    }
    expect(await bed.check('changes("v1", "ConfigMap", "default").all(c, true)')).toBe(
      `the check would look at more than ${limits.checkChanges} changes`,
    );
  });
});

describe("solutions of a step", () => {
  test("M4: apply, patch and delete objects", async () => {
    const bed = lessonBed(manifests);
    await bed.perform([
      { apply: JSON.stringify(deployment("other", 1)) },
      {
        patch: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          namespace: "default",
          name: "web",
          patch: { spec: { replicas: 1 } },
        },
      },
      { delete: { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" } },
      { answer: "x" },
    ]);
    bed.pass(60);
    expect(
      await bed.check(`${web}.status.readyReplicas == 1 && found("apps/v1", "Deployment", "default", "other")`),
    ).toBe(true);
    expect(await bed.check('found("v1", "Service", "default", "web")')).toBe(false);
    expect(await bed.check(`${scales}.exists(c, c.verb == "solution" && !c.byRequest)`)).toBe(true);
  });

  test("M4: name an action that the cluster refuses", async () => {
    const bed = lessonBed();
    const gone = { apiVersion: "v1", kind: "Pod", namespace: "default", name: "none" };
    await expect(bed.perform([{ answer: "" }, { delete: gone }])).rejects.toThrow(
      'solution_refused: action 2: pods "none" not found',
    );
  });
});
