// Every way to read: output formats, selectors, sorting, chunks, watches and waiting.
import { expect } from "vitest";
import { kubectlTest } from "../each-kubectl.ts";
import { type Kubectl, rows } from "../kubectl.ts";

const colors = ["red", "green", "blue"];

async function threeConfigMaps({ ok, write }: Kubectl): Promise<void> {
  const items = colors.map((color, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `c-${color}`, labels: { color, rank: String(9 - index) } },
    data: { color },
  }));
  write("colors.json", JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  await ok("create -f colors.json");
}

kubectlTest("one object in every output format", async (kubectl) => {
  const { ok, write } = kubectl;
  await threeConfigMaps(kubectl);
  const json: unknown = JSON.parse(await ok("get configmap c-red -o json"));
  expect(json).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    data: { color: "red" },
    metadata: {
      name: "c-red",
      namespace: "default",
      labels: { color: "red", rank: "9" },
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.stringMatching(/^\d+$/),
      creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    },
  });
  expect(await ok("get configmap c-red -o yaml")).toMatch(
    /^apiVersion: v1\ndata:\n {2}color: red\nkind: ConfigMap\nmetadata:\n/,
  );
  expect(await ok("get configmap c-red -o name")).toBe("configmap/c-red\n");
  expect(await ok("get cm c-red -o jsonpath='{.metadata.labels.rank}{\"!\"}'")).toBe("9!");
  expect(await ok("get cm c-red -o go-template='{{.data.color}}'")).toBe("red");
  write("template", "{{.metadata.name}}");
  expect(await ok("get cm c-red -o go-template-file=template")).toBe("c-red");
  expect(await ok("get cm c-red -o custom-columns=NAME:.metadata.name,COLOR:.data.color")).toBe(
    "NAME    COLOR\nc-red   red\n",
  );
  write("columns", "COLOR\n.data.color\n");
  expect(await ok("get cm c-red -o custom-columns-file=columns")).toBe("COLOR\nred\n");
  write("path", "{.data}");
  expect(await ok("get cm c-red -o jsonpath-file=path")).toBe('{"color":"red"}');
  expect(JSON.parse(await ok("get cm c-red -o jsonpath-as-json={.data.color}"))).toEqual(["red"]);
  expect(await ok("get cm c-red -o template --template='{{.kind}}'")).toBe("ConfigMap");
  expect(await ok("get cm c-red -o templatefile=template")).toBe("c-red");
  expect(rows(await ok("get cm c-red -o wide"))).toMatchObject([{ NAME: "c-red", DATA: "1" }]);
  expect(rows(await ok("get cm c-red"))).toEqual([{ NAME: "c-red", DATA: "1", AGE: expect.stringMatching(/^\d+s$/) }]);
  expect(await ok("get cm c-red --no-headers")).toMatch(/^c-red +1 +\d+s\n$/);
  expect(JSON.parse(await ok("get cm c-red c-blue -o json"))).toMatchObject({ kind: "List", items: [{}, {}] });
});

kubectlTest("lists are selected, sorted and read in chunks", async (kubectl) => {
  const { ok, fails } = kubectl;
  await threeConfigMaps(kubectl);
  const names = async (flags: string) =>
    (await ok(`get cm -o name ${flags}`)).replaceAll("configmap/", "").trim().split("\n");
  expect(await names("-l color=red")).toEqual(["c-red"]);
  expect(await names("-l 'color in (red, blue)'")).toEqual(["c-blue", "c-red"]);
  expect(await names("-l color,color!=red")).toEqual(["c-blue", "c-green"]);
  expect(await names("-l '!color'")).toEqual(["kube-root-ca.crt"]);
  expect(await names("--field-selector metadata.name=c-green")).toEqual(["c-green"]);
  expect(await names("--field-selector metadata.name!=c-green,metadata.namespace=default -l color")).toEqual([
    "c-blue",
    "c-red",
  ]);
  expect(await names("-l color --sort-by=.metadata.labels.rank")).toEqual(["c-blue", "c-green", "c-red"]);
  expect(await names("-l color --chunk-size=1")).toEqual(["c-blue", "c-green", "c-red"]);
  expect(await fails("get cm --field-selector data.color=red")).toBe(
    'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector ' +
      '"data.color=red": "data.color" is not a known field selector: only "metadata.name", "metadata.namespace"\n',
  );
  expect(await fails("get pods --field-selector spec.nope=x")).toContain(": field label not supported: spec.nope");
  expect(await fails("get cm -l 'color in'")).toMatch(/unable to parse requirement|couldn't parse the selector/);
  await ok("-n kube-system rollout status deployment/coredns");
  expect(await ok("get pods -A -l tier=control-plane --field-selector spec.nodeName=node-2 -o name")).toBe("");
  const running = await ok("get pods --field-selector status.phase=Running -n kube-system -o name");
  expect(running).toMatch(
    /^(pod\/coredns-\S+\n){2}pod\/etcd-node-1\n(pod\/kindnet-\w+\n)+(pod\/kube-(apiserver|controller-manager|proxy|scheduler)-\S+\n)+pod\/metrics-server-\S+\n$/,
  );
  const listed = rows(await ok("get cm -A"));
  expect(new Set(listed.map(({ NAMESPACE }) => NAMESPACE))).toEqual(
    new Set(["default", "ingress-nginx", "kube-node-lease", "kube-public", "kube-system"]),
  );
});

kubectlTest("nothing found is said so, and is no error where that is asked", async ({ run, fails }) => {
  expect(await run("get pods")).toEqual({ code: 0, stdout: "", stderr: "No resources found in default namespace.\n" });
  expect(await run("get pods nope --ignore-not-found")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await fails("get pods nope")).toBe('Error from server (NotFound): pods "nope" not found\n');
  expect(await fails("get nopes")).toBe('error: the server doesn\'t have a resource type "nopes"\n');
});

kubectlTest("W1: a watch shows each event once, with its type", async (kubectl) => {
  const { ok, start } = kubectl;
  await ok("create configmap a");
  const watch = start("get cm --watch-only --output-watch-events");
  const watching = start("get cm a -w -o jsonpath='{.data.k};'");
  await watching.until(/;/);
  // The first to be seen by a watch that only shows what comes is one made while it is open.
  await ok("create configmap b --from-literal=k=1");
  await watch.until(/ADDED +b +1/);
  await ok(`patch configmap a -p '{"data":{"k":"2"}}'`);
  await ok("delete configmap b");
  await watch.until(/DELETED +b +1/);
  await watching.until(/2;/);
  const { stdout } = await watch.interrupt();
  const events = stdout
    .split("\n")
    .slice(1)
    .filter(Boolean)
    .map((line) => line.split(/ +/).slice(0, 2).join(" "));
  expect(events).toEqual(["ADDED b", "MODIFIED a", "DELETED b"]);
  expect((await watching.interrupt()).stdout).toBe(";2;");
});

kubectlTest("wait ends when what it waits for is there, and fails when its time is up", async (kubectl) => {
  const { ok, fails, start } = kubectl;
  await ok("run pod --image=nginx");
  expect(await ok("wait --for=condition=Ready pod --all --timeout=60s")).toBe("pod/pod condition met\n");
  expect(await ok("wait --for=jsonpath={.status.phase}=Running pod/pod")).toBe("pod/pod condition met\n");
  expect(await fails("wait --for=jsonpath={.status.phase}=Failed pod/pod --timeout=1s")).toBe(
    "error: timed out waiting for the condition on pods/pod\n",
  );
  const gone = start("wait --for=delete pod/pod --timeout=60s");
  await ok("delete pod pod");
  expect(await gone.ended).toMatchObject({ code: 0 });
});

kubectlTest("describe tells of every kind of the cluster", async ({ ok }) => {
  await ok("create deployment web --image=nginx --replicas=2");
  await ok("rollout status deployment/web");
  await ok("expose deployment web --port=80");
  const deployment = await ok("describe deployment web");
  expect(deployment).toMatch(/^Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable$/m);
  expect(deployment).toMatch(/^NewReplicaSet: +web-\S+ \(2\/2 replicas created\)$/m);
  expect(deployment).toMatch(
    /ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-\S+ (to|from 0 to) 2/,
  );
  expect(await ok("describe rs")).toMatch(/^Pods Status: +2 Running \/ 0 Waiting \/ 0 Succeeded \/ 0 Failed$/m);
  expect(await ok("describe node node-1")).toMatch(/^ {2}Ready +True .* KubeletReady/m);
  expect(await ok("describe namespace default")).toMatch(/^Status: +Active$/m);
  expect(await ok("describe configmap kube-root-ca.crt")).toContain("-----BEGIN CERTIFICATE-----");
  expect(await ok("describe serviceaccount default")).toMatch(/^Name: +default$/m);
  expect(await ok("describe endpoints web")).toMatch(/^Subsets:\n {2}Addresses: +10\./m);
  expect(await ok("describe endpointslices")).toMatch(/^AddressType: +IPv4$/m);
  expect(await ok("describe leases -n kube-node-lease")).toMatch(/^Kind: +Lease$/m);
  expect(await ok("events --for deployment/web")).toMatch(/ScalingReplicaSet/);
  expect(await ok("get all -o name")).toMatch(
    /^pod\/web.*\npod\/web.*\nservice\/kubernetes\nservice\/web\ndeployment.apps\/web\nreplicaset.apps\/web-/,
  );
  expect(await ok("get events.v1.events.k8s.io -o name")).toMatch(/^event\.events\.k8s\.io\//);
  expect(await ok("get leases -n kube-node-lease -o name")).toBe(
    "lease.coordination.k8s.io/node-1\nlease.coordination.k8s.io/node-2\nlease.coordination.k8s.io/node-3\n",
  );
});
