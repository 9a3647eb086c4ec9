// The way from a fresh cluster to a rolled-out Deployment and back, as a newcomer types it.
import { expect } from "vitest";
import { type Kubectl, eventually, rows } from "./kubectl.ts";
import { manifest } from "./manifests.ts";

export async function tour(kubectl: Kubectl): Promise<void> {
  await nodesAreReady(kubectl);
  await deploys(kubectl);
  await showsWideColumns(kubectl);
  await watchesAReplacement(kubectl);
  await rollsAndUndoes(kubectl);
  await scalesAndDescribes(kubectl);
  await appliesAndEdits(kubectl);
  await deletes(kubectl);
}

async function nodesAreReady({ ok }: Kubectl): Promise<void> {
  const nodes = rows(await ok("get nodes"));
  expect(nodes).toHaveLength(3);
  for (const node of nodes) {
    expect(node).toMatchObject({ STATUS: "Ready", VERSION: expect.stringMatching(/^v1\.36\.\d+$/) });
  }
}

async function deploys({ ok }: Kubectl): Promise<void> {
  expect(await ok("create deployment web --image=nginx --replicas=3")).toBe("deployment.apps/web created\n");
  expect(await ok("rollout status deployment/web")).toMatch(/deployment "web" successfully rolled out\n$/);
}

async function showsWideColumns({ ok }: Kubectl): Promise<void> {
  const [deployments = "", sets = "", pods = ""] = (await ok("get deploy,rs,pods -o wide")).split("\n\n");
  expect(rows(deployments)).toEqual([
    {
      NAME: "deployment.apps/web",
      READY: "3/3",
      "UP-TO-DATE": "3",
      AVAILABLE: "3",
      AGE: expect.stringMatching(/^\d+s$/),
      CONTAINERS: "nginx",
      IMAGES: "nginx",
      SELECTOR: "app=web",
    },
  ]);
  expect(rows(sets)).toEqual([
    {
      NAME: expect.stringMatching(/^replicaset\.apps\/web-[0-9a-z]{5,10}$/),
      DESIRED: "3",
      CURRENT: "3",
      READY: "3",
      AGE: expect.stringMatching(/^\d+s$/),
      CONTAINERS: "nginx",
      IMAGES: "nginx",
      SELECTOR: expect.stringMatching(/^app=web,pod-template-hash=[0-9a-z]{5,10}$/),
    },
  ]);
  const podRows = rows(pods);
  expect(podRows).toHaveLength(3);
  for (const pod of podRows) {
    expect(pod).toEqual({
      NAME: expect.stringMatching(/^pod\/web-[0-9a-z]{5,10}-[0-9a-z]{5}$/),
      READY: "1/1",
      STATUS: "Running",
      RESTARTS: "0",
      AGE: expect.stringMatching(/^\d+s$/),
      IP: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
      NODE: expect.stringMatching(/^node-[123]$/),
      "NOMINATED NODE": "<none>",
      "READINESS GATES": "<none>",
    });
  }
  expect(new Set(podRows.map(({ IP }) => IP)).size, "every pod has its own address").toBe(3);
  expect(new Set(podRows.map(({ NODE }) => NODE)).size, "the pods are spread").toBe(3);
}

async function watchesAReplacement(kubectl: Kubectl): Promise<void> {
  const { ok, start } = kubectl;
  const watch = start("get pods -w");
  await watch.until(/(web-\S+ +1\/1 +Running[^\n]*\n){3}/);
  const before = await podNames(kubectl);
  const [victim = ""] = before;
  expect(await ok(`delete pod ${victim}`)).toMatch(`pod "${victim}" deleted`);
  await watch.until(new RegExp(`${victim} +[01]/1 +Terminating`));
  const replacement = await eventually(
    () => "a new pod replaces the deleted one",
    async () => (await podNames(kubectl)).find((name) => !before.includes(name)),
  );
  await watch.until(new RegExp(`${replacement} +1/1 +Running`));
  const { stdout } = await watch.interrupt();
  expect(stdout).not.toContain("Error");
}

async function rollsAndUndoes({ ok }: Kubectl): Promise<void> {
  expect(await ok("set image deployment/web nginx=nginx:1.27")).toBe("deployment.apps/web image updated\n");
  expect(await ok("rollout status deployment/web")).toContain("successfully rolled out");
  expect(await ok("rollout history deployment/web")).toBe(
    "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n",
  );
  expect(await ok("rollout undo deployment/web")).toBe("deployment.apps/web rolled back\n");
  expect(await ok("rollout status deployment/web")).toContain("successfully rolled out");
  const image = "-o jsonpath={.spec.template.spec.containers[0].image}";
  expect(await ok(`get deployment web ${image}`)).toBe("nginx");
  expect(await ok("rollout history deployment/web")).toMatch(/\n2 +<none>\n3 +<none>\n/);
}

async function scalesAndDescribes(kubectl: Kubectl): Promise<void> {
  const { ok } = kubectl;
  expect(await ok("scale deployment/web --replicas=7")).toBe("deployment.apps/web scaled\n");
  await ok("rollout status deployment/web");
  const [pod = "", ...otherPods] = await podNames(kubectl);
  expect(otherPods).toHaveLength(6);
  const described = await ok(`describe pod ${pod}`);
  expect(described).toMatch(/^Status: +Running$/m);
  expect(described).toMatch(/^Controlled By: +ReplicaSet\/web-/m);
  expect(described).toMatch(/^Node: +node-[123]\/\d+\.\d+\.\d+\.\d+$/m);
  expect(described).toMatch(
    /Normal +Scheduled +\S+( ago)? +default-scheduler +Successfully assigned default\/web-\S+ to node-/,
  );
  for (const reason of ["Pulled", "Created", "Started"]) {
    expect(described).toMatch(new RegExp(`Normal +${reason} +\\S+( ago)? +kubelet +`));
  }
  const events = rows(await ok("get events"));
  const reasons = new Set(events.map(({ REASON }) => REASON));
  for (const reason of ["ScalingReplicaSet", "SuccessfulCreate", "Scheduled", "Killing", "SuccessfulDelete"]) {
    expect(reasons).toContain(reason);
  }
  const explained = await ok("explain deployment.spec.strategy");
  expect(explained).toMatch(/^GROUP: +apps$/m);
  expect(explained).toMatch(/^KIND: +Deployment$/m);
  expect(explained).toMatch(/FIELD: strategy <DeploymentStrategy>/);
  expect(explained).toMatch(/ {2}rollingUpdate\t<RollingUpdateDeployment>/);
}

async function appliesAndEdits(kubectl: Kubectl): Promise<void> {
  const { ok, fails, write, run } = kubectl;
  write("manifest.yaml", manifest);
  expect(await ok("apply -f manifest.yaml")).toBe("deployment.apps/site created\nservice/site created\n");
  expect(await ok("apply -f manifest.yaml")).toBe("deployment.apps/site unchanged\nservice/site unchanged\n");
  expect(await ok("diff -f manifest.yaml")).toBe("");
  write("manifest.yaml", manifest.replace("replicas: 2", "replicas: 4"));
  const difference = await run("diff -f manifest.yaml");
  expect(difference).toMatchObject({ code: 1, stderr: "" });
  expect(difference.stdout).toMatch(/^-  replicas: 2\n\+  replicas: 4$/m);
  expect(await ok("apply -f manifest.yaml")).toBe("deployment.apps/site configured\nservice/site unchanged\n");
  const edit = { environment: { KUBE_EDITOR: "sed -i s/replicas:.4/replicas:\\ 5/" } };
  expect(await ok("edit deployment site", edit)).toBe("deployment.apps/site edited\n");
  expect(await ok("label deployment site tier=front")).toBe("deployment.apps/site labeled\n");
  expect(await ok("annotate deployment site note='a b'")).toMatch(/^deployment\.apps\/site annotated?\n$/);
  expect(await ok(`patch deployment site -p '{"spec":{"replicas":6}}'`)).toBe("deployment.apps/site patched\n");
  expect(await ok("wait --for=condition=Available deployment/site --timeout=60s")).toBe(
    "deployment.apps/site condition met\n",
  );
  const fields = "{.spec.replicas} {.metadata.labels.tier} {.metadata.annotations.note}";
  expect(await ok(`get deployment site -o jsonpath='${fields}'`)).toBe("6 front a b");
  expect(await ok("delete -f manifest.yaml")).toMatch(/^deployment\.apps "site" deleted.*\nservice "site" deleted/);
  expect(await fails("get deployment site")).toBe('Error from server (NotFound): deployments.apps "site" not found\n');
}

async function deletes(kubectl: Kubectl): Promise<void> {
  const { ok, fails } = kubectl;
  expect(await ok("delete deployment web")).toMatch(/^deployment\.apps "web" deleted/);
  await eventually(
    () => "the ReplicaSets and the pods go with their Deployment",
    async () => (await ok("get rs,pods -o name")) === "",
  );
  expect(await ok("create namespace a")).toBe("namespace/a created\n");
  await ok("-n a create deployment inner --image=nginx");
  await ok("-n a create configmap settings --from-literal=k=v");
  await ok("-n a rollout status deployment/inner");
  expect(await ok("delete namespace a")).toBe('namespace "a" deleted\n');
  expect(await fails("get namespace a")).toBe('Error from server (NotFound): namespaces "a" not found\n');
  expect(await ok("get all,configmaps -n a -o name")).toBe("");
}

async function podNames({ ok }: Kubectl): Promise<string[]> {
  const names = await ok("get pods -o name");
  return names.split("\n").flatMap((line) => (line ? [line.replace("pod/", "")] : []));
}
