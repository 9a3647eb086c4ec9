// Every way to change an object, and the errors of refused changes.
import { expect } from "vitest";
import { kubectlTest } from "../each-kubectl.ts";
import { rows } from "../kubectl.ts";
import { listManifest, manifest } from "../manifests.ts";

const settings = (data: string) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  ${data}
`;

kubectlTest(
  "apply removes what the manifest no longer holds, and leaves others' fields alone",
  async ({ ok, write }) => {
    write("cm.yaml", settings("a: '1'\n  b: '2'"));
    await ok("apply -f cm.yaml");
    await ok(`patch configmap settings --type=merge -p '{"data":{"c":"3"}}'`);
    write("cm.yaml", settings("a: '9'"));
    expect(await ok("apply -f cm.yaml")).toBe("configmap/settings configured\n");
    expect(JSON.parse(await ok("get configmap settings -o jsonpath={.data}"))).toEqual({ a: "9", c: "3" });
    expect(await ok("apply view-last-applied configmap settings")).toMatch(/a: "9"/);
  },
);

kubectlTest("the three types of patch each do what they say", async ({ ok, write, fails }) => {
  write("site.yaml", manifest);
  await ok("create -f site.yaml");
  const add = '{"spec":{"template":{"spec":{"containers":[{"name":"extra","image":"redis"}]}}}}';
  expect(await ok(`patch deployment site --type=strategic -p '${add}'`)).toBe("deployment.apps/site patched\n");
  const names = "get deployment site -o jsonpath='{.spec.template.spec.containers[*].name}'";
  expect(await ok(names), "a strategic patch merges containers by their name").toBe("extra nginx");
  await ok(`patch deployment site --type=merge -p '${add}'`);
  expect(await ok(names), "a merge patch replaces the list").toBe("extra");
  const operations =
    '[{"op":"test","path":"/spec/replicas","value":2},{"op":"replace","path":"/spec/replicas","value":1}]';
  await ok(`patch deployment site --type=json -p '${operations}'`);
  expect(await ok("get deployment site -o jsonpath={.spec.replicas}")).toBe("1");
  expect(await fails(`patch deployment site --type=json -p '${operations}'`)).toMatch(
    /the server rejected our request due to an error in our request|[Tt]est failed|testing .*failed/,
  );
  expect(await ok(`patch deployment site -p '{"spec":{"replicas":1}}'`)).toBe(
    "deployment.apps/site patched (no change)\n",
  );
  expect(await ok(`patch deployment site --subresource=scale --type=merge -p '{"spec":{"replicas":3}}'`)).toBe(
    "scale.autoscaling/site patched\n",
  );
});

kubectlTest("replace minds the version that it was read at, and --force begins anew", async ({ ok, fails, write }) => {
  write("cm.yaml", settings("a: '1'"));
  expect(await ok("create -f cm.yaml")).toBe("configmap/settings created\n");
  const old = await ok("get configmap settings -o yaml");
  await ok(`patch configmap settings -p '{"data":{"a":"2"}}'`);
  write("old.yaml", old);
  expect(await fails("replace -f old.yaml")).toBe(
    'Error from server (Conflict): error when replacing "old.yaml": Operation cannot be fulfilled on configmaps "settings": ' +
      "the object has been modified; please apply your changes to the latest version and try again\n",
  );
  expect(await ok("replace -f cm.yaml")).toBe("configmap/settings replaced\n");
  const uid = await ok("get configmap settings -o jsonpath={.metadata.uid}");
  expect(await ok("replace --force -f cm.yaml")).toMatch(
    /^configmap "settings" deleted.*\nconfigmap\/settings replaced\n$/,
  );
  expect(await ok("get configmap settings -o jsonpath={.metadata.uid}")).not.toBe(uid);
});

kubectlTest(
  "edit saves what the editor leaves, and nothing when it leaves all as it was",
  async ({ ok, run, write }) => {
    write("cm.yaml", settings("a: old"));
    await ok("create -f cm.yaml");
    const edit = (script: string) => ({ environment: { KUBE_EDITOR: script } });
    expect(await ok("edit configmap settings", edit("sed -i s/old/new/"))).toBe("configmap/settings edited\n");
    expect(await ok("get configmap settings -o jsonpath={.data.a}")).toBe("new");
    expect(await run("edit configmap settings", edit("true"))).toMatchObject({
      code: 0,
      stderr: "Edit cancelled, no changes made.\n",
    });
  },
);

kubectlTest("labels and annotations are set, kept from overwriting, and removed", async ({ ok, fails, write }) => {
  write("cm.yaml", settings("a: '1'"));
  await ok("create -f cm.yaml");
  expect(await ok("label configmap settings tier=front")).toBe("configmap/settings labeled\n");
  expect(await ok("label configmap settings tier=front")).toBe("configmap/settings not labeled\n");
  expect(await fails("label configmap settings tier=back")).toBe(
    "error: 'tier' already has a value (front), and --overwrite is false\n",
  );
  expect(await ok("label configmap settings tier=back --overwrite")).toBe("configmap/settings labeled\n");
  expect(rows(await ok("get configmap settings --show-labels"))).toMatchObject([{ LABELS: "tier=back" }]);
  expect(rows(await ok("get configmap settings -L tier"))).toMatchObject([{ TIER: "back" }]);
  expect(await ok("label configmap settings tier-")).toBe("configmap/settings unlabeled\n");
  // 1.27 says "annotate".
  expect(await ok("annotate configmap settings who=me")).toMatch(/^configmap\/settings annotated?\n$/);
  expect(await ok("annotate configmap settings who-")).toMatch(/^configmap\/settings annotated?\n$/);
  expect(await fails("label configmap settings 'tier=not valid'")).toContain(
    "a valid label must be an empty string or consist of",
  );
});

kubectlTest("a dry run says what would be, and writes nothing", async ({ ok, fails, write }) => {
  expect(await ok("create deployment web --image=nginx --dry-run=client")).toBe(
    "deployment.apps/web created (dry run)\n",
  );
  expect(await ok("create deployment web --image=nginx --dry-run=server")).toBe(
    "deployment.apps/web created (server dry run)\n",
  );
  expect(
    await ok("create deployment web --image=nginx --dry-run=server -o jsonpath={.spec.revisionHistoryLimit}"),
    "the server's defaults are there",
  ).toBe("10");
  expect(await fails("get deployment web")).toContain("(NotFound)");
  write("cm.yaml", settings("a: '1'"));
  await ok("apply -f cm.yaml");
  write("cm.yaml", settings("a: '2'"));
  expect(await ok("apply -f cm.yaml --dry-run=server")).toBe("configmap/settings configured (server dry run)\n");
  expect(await ok("delete configmap settings --dry-run=server")).toMatch(
    /^configmap "settings" deleted.* \(server dry run\)\n$/,
  );
  expect(await ok("get configmap settings -o jsonpath={.data.a}")).toBe("1");
});

kubectlTest("a List, a folder and a kustomization are applied whole", async ({ ok, write, run }) => {
  write("list.yaml", listManifest);
  expect(await ok("create -f list.yaml")).toBe("configmap/first created\nconfigmap/second created\n");
  expect(await ok("apply -f -", { input: listManifest })).toBe(
    "configmap/first configured\nconfigmap/second configured\n",
  );
  expect(await ok("delete -f list.yaml")).toMatch(/^configmap "first" deleted.*\nconfigmap "second" deleted/);
  write("site.yaml", manifest);
  write(
    "kustomization.yaml",
    "namePrefix: my-\nresources: [site.yaml]\nconfigMapGenerator:\n- name: made\n  literals: [a=b]\n",
  );
  const applied = await ok("apply -k .");
  expect(applied.split("\n").sort().filter(Boolean)).toEqual([
    expect.stringMatching(/^configmap\/my-made-[0-9a-z]+ created$/),
    "deployment.apps/my-site created",
    "service/my-site created",
  ]);
  expect(await run("diff -k .")).toMatchObject({ code: 0 });
  expect(await ok("delete -k .")).toContain('service "my-site" deleted');
});

kubectlTest("create makes each of its kinds", async ({ ok, write }) => {
  write("file.txt", "text");
  expect(await ok("create configmap files --from-file=file.txt --from-literal=k=v")).toBe("configmap/files created\n");
  expect(await ok("get configmap files -o jsonpath='{.data.k} {.data.file\\.txt}'")).toBe("v text");
  expect(await ok("create secret generic hidden --from-literal=password=s3cret")).toBe("secret/hidden created\n");
  expect(await ok("get secret hidden -o jsonpath={.data.password}")).toBe(Buffer.from("s3cret").toString("base64"));
  expect(rows(await ok("get secret hidden"))).toMatchObject([{ TYPE: "Opaque", DATA: "1" }]);
  expect(await ok("describe secret hidden")).toContain("password:  6 bytes");
  expect(await ok("create secret docker-registry pull --docker-username=u --docker-password=p --docker-server=s")).toBe(
    "secret/pull created\n",
  );
  expect(await ok("create service clusterip one --tcp=80:8080")).toBe("service/one created\n");
  expect(await ok("create service nodeport two --tcp=80")).toBe("service/two created\n");
  expect(rows(await ok("get service two"))).toMatchObject([
    { TYPE: "NodePort", "PORT(S)": expect.stringMatching(/^80:3\d{4}\/TCP$/) },
  ]);
  expect(await ok("create service externalname three --external-name=example.org")).toBe("service/three created\n");
  expect(await ok("create service loadbalancer four --tcp=80")).toBe("service/four created\n");
  expect(await ok("create serviceaccount robot")).toBe("serviceaccount/robot created\n");
  write("generated.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  generateName: some-\n");
  expect(await ok("create -f generated.yaml")).toMatch(/^configmap\/some-[0-9a-z]{5} created\n$/);
});
