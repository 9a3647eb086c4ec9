// The server's self-description: resources, versions, health, explanations.
import { expect } from "vitest";
import { kubectlTest } from "../each-kubectl.ts";
import { rows } from "../kubectl.ts";

kubectlTest("api-resources and api-versions name all that is served", async ({ ok }) => {
  const resources = rows(await ok("api-resources"));
  const byName = new Map(resources.map((row) => [`${row.NAME}.${row.APIVERSION}`, row]));
  expect(byName.get("pods.v1")).toMatchObject({ SHORTNAMES: "po", NAMESPACED: "true", KIND: "Pod" });
  expect(byName.get("namespaces.v1")).toMatchObject({ SHORTNAMES: "ns", NAMESPACED: "false", KIND: "Namespace" });
  expect(byName.get("deployments.apps/v1")).toMatchObject({
    SHORTNAMES: "deploy",
    NAMESPACED: "true",
    KIND: "Deployment",
  });
  expect(byName.get("leases.coordination.k8s.io/v1")).toMatchObject({ NAMESPACED: "true", KIND: "Lease" });
  const versions = (await ok("api-versions")).trim().split("\n");
  for (const version of ["apps/v1", "coordination.k8s.io/v1", "discovery.k8s.io/v1", "events.k8s.io/v1", "v1"]) {
    expect(versions).toContain(version);
  }
  expect((await ok("api-resources --namespaced=false -o name")).split("\n")).toContain("nodes");
  expect((await ok("api-resources --verbs=watch --api-group=apps -o name")).trim().split("\n")).toEqual(
    expect.arrayContaining(["deployments.apps", "replicasets.apps"]),
  );
  expect(await ok("api-resources --categories=all -o name")).toContain("deployments.apps");
});

kubectlTest("the version, the address and the health are told", async ({ ok, fails, sandbox }) => {
  expect(JSON.parse(await ok("version -o json"))).toMatchObject({
    serverVersion: {
      major: "1",
      minor: "36",
      gitVersion: expect.stringMatching(/^v1\.36\.\d+/),
    },
  });
  expect(await ok("cluster-info")).toContain(sandbox.server);
  expect(await ok("get --raw /readyz?verbose")).toMatch(/^\[\+\]ping ok\n(\[\+\]\S+ ok\n)+readyz check passed\n$/);
  for (const path of ["/livez", "/healthz", "/readyz"]) expect(await ok(`get --raw ${path}`)).toBe("ok");
  expect(JSON.parse(await ok("get --raw /api/v1/namespaces/default"))).toMatchObject({ kind: "Namespace" });
  expect(await fails("get --raw /nothing/here")).toBe(
    "Error from server (NotFound): the server could not find the requested resource\n",
  );
});

kubectlTest("explain describes fields, also recursively and of other groups", async ({ ok, fails }) => {
  const pod = await ok("explain pod");
  expect(pod).toMatch(/^KIND: +Pod$/m);
  expect(pod).toMatch(/^VERSION: +v1$/m);
  expect(pod).toMatch(/^ {2}spec\t<PodSpec>$/m);
  expect(await ok("explain pods.spec.containers.image")).toMatch(/FIELD: image <string>/);
  expect(await ok("explain deploy.spec.replicas")).toMatch(/Defaults to 1/);
  expect(await ok("explain service --recursive")).toMatch(/^ {4}clusterIP\t<string>$/m);
  expect(await ok("explain endpointslices.endpoints.conditions")).toMatch(/^GROUP: +discovery\.k8s\.io$/m);
  expect(await ok("explain pod.spec.restartPolicy")).toMatch(
    /(ENUM:|Possible enum values:)\n.*Always.*\n.*Never.*\n.*OnFailure/,
  );
  expect(await ok("explain configmap --output plaintext-openapiv2")).toMatch(/ConfigMap holds configuration data/);
  expect(await fails("explain pod.spec.nope")).toBe('error: field "nope" does not exist\n');
});
