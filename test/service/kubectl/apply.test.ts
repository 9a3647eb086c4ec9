// Server-side apply with the real kubectl: owners, conflicts, and the way from client-side apply and back.
import { expect } from "vitest";
import { kubectlTest } from "../each-kubectl.ts";

const settings = (data: string, more = "") =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings${more}\ndata:\n  ${data}\n`;

const web = (replicas: string, image = "nginx") => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:${replicas}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: nginx
        image: ${image}
`;

kubectlTest("apply --server-side makes, changes, and leaves alone", async ({ ok, fails, run, write }) => {
  write("cm.yaml", settings("a: '1'"));
  expect(await ok("apply --server-side -f cm.yaml")).toBe("configmap/settings serverside-applied\n");
  const version = await ok("get configmap settings -o jsonpath={.metadata.resourceVersion}");
  expect(await ok("apply --server-side -f cm.yaml")).toBe("configmap/settings serverside-applied\n");
  expect(await ok("get configmap settings -o jsonpath={.metadata.resourceVersion}")).toBe(version);
  expect(await ok("get configmap settings -o yaml")).not.toContain("managedFields");
  expect(await ok("get configmap settings -o yaml --show-managed-fields")).toMatch(
    / {4}fieldsType: FieldsV1\n {4}fieldsV1:\n {6}f:data:\n {8}f:a: \{\}\n {4}manager: kubectl\n {4}operation: Apply\n/,
  );
  write("cm.yaml", settings("a: '2'"));
  expect(await run("diff --server-side -f cm.yaml")).toMatchObject({ code: 1 });
  expect(await ok("apply --server-side --dry-run=server -f cm.yaml")).toBe(
    "configmap/settings serverside-applied (server dry run)\n",
  );
  expect(await fails("apply --server-side --field-manager=other -f cm.yaml")).toContain(
    'error: Apply failed with 1 conflict: conflict with "kubectl": .data.a\n',
  );
  expect(await ok("apply --server-side --field-manager=other --force-conflicts -f cm.yaml")).toBe(
    "configmap/settings serverside-applied\n",
  );
  expect(await ok("get configmap settings -o jsonpath={.data.a}")).toBe("2");
  write("cm.yaml", settings("a: '2'").replace("\ndata:", "\ndatas:"));
  expect(await fails("apply --server-side --validate=false -f cm.yaml")).toContain(
    "failed to create typed patch object (default/settings; /v1, Kind=ConfigMap): .datas: field not declared in schema",
  );
});

kubectlTest("what was applied by the client goes over to the server, and back", async ({ ok, write }) => {
  write("web.yaml", web("\n  replicas: 2"));
  expect(await ok("apply -f web.yaml")).toBe("deployment.apps/web created\n");
  const managers = "get deployment web -o jsonpath='{.metadata.managedFields[*].manager}' --show-managed-fields";
  expect(await ok(managers)).toContain("kubectl-client-side-apply");
  write("web.yaml", web("\n  replicas: 3", "nginx:1"));
  expect(await ok("apply --server-side -f web.yaml")).toBe("deployment.apps/web serverside-applied\n");
  expect(await ok("get deployment web -o jsonpath={.spec.replicas}")).toBe("3");
  expect(await ok(managers)).not.toContain("kubectl-client-side-apply");
  // A field that is given up goes, although the client-side apply had set it.
  write("web.yaml", web("", "nginx:1"));
  expect(await ok("apply --server-side -f web.yaml")).toBe("deployment.apps/web serverside-applied\n");
  expect(await ok("get deployment web -o jsonpath={.spec.replicas}")).toBe("1");
  write("web.yaml", web("\n  replicas: 2", "nginx:2"));
  expect(await ok("apply -f web.yaml")).toMatch(/^deployment\.apps\/web configured\n$/);
  const spec = "{.spec.replicas} {.spec.template.spec.containers[0].image}";
  expect(await ok(`get deployment web -o jsonpath='${spec}'`)).toBe("2 nginx:2");
  expect(await ok("apply view-last-applied deployment web -o yaml")).toContain("image: nginx:2");
});

kubectlTest("a scaled workload keeps its replicas where they are not applied", async ({ ok, fails, write }) => {
  write("web.yaml", web("\n  replicas: 1"));
  await ok("apply --server-side -f web.yaml");
  expect(await ok("scale deployment web --replicas=3")).toBe("deployment.apps/web scaled\n");
  // The manager of a scaling is the name of the program's file.
  expect(await fails("apply --server-side -f web.yaml")).toMatch(
    /conflict with "kubectl[^"]*" with subresource "scale" using apps\/v1: \.spec\.replicas/,
  );
  write("web.yaml", web(""));
  await ok("apply --server-side -f web.yaml");
  expect(await ok("get deployment web -o jsonpath={.spec.replicas}")).toBe("3");
});
