// Deployments beyond the tour: pauses, rollbacks, failures, and cascading deletion.
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";
import { type Kubectl, eventually, rows } from "../kubectl.ts";

const imageOf = "-o jsonpath={.spec.template.spec.containers[0].image}";

async function deploy({ ok }: Kubectl, replicas = 2): Promise<void> {
  await ok(`create deployment web --image=nginx:1.25 --replicas=${replicas}`);
  await ok("rollout status deployment/web");
}

newestKubectlTest(
  "a paused rollout waits, a resumed one goes on, a restarted one replaces every pod",
  async (kubectl) => {
    const { ok, fails } = kubectl;
    await deploy(kubectl);
    expect(await ok("rollout pause deployment/web")).toBe("deployment.apps/web paused\n");
    expect(await fails("rollout pause deployment/web")).toBe('error: deployments.apps "web" is already paused\n');
    await ok("set image deployment/web nginx=nginx:1.26");
    expect(rows(await ok("get rs"))).toHaveLength(1);
    expect(await ok("rollout resume deployment/web")).toBe("deployment.apps/web resumed\n");
    await ok("rollout status deployment/web");
    expect(rows(await ok("get rs"))).toHaveLength(2);
    await ok("rollout pause deployment/web");
    expect(await fails("rollout undo deployment/web")).toContain("cannot rollback a paused deployment");
    await ok("rollout resume deployment/web");
    const before = await ok("get pods -o name");
    expect(await ok("rollout restart deployment/web")).toBe("deployment.apps/web restarted\n");
    await ok("rollout status deployment/web");
    const after = await eventually(
      () => "only new pods are left",
      async () => {
        const names = await ok("get pods -o name");
        return names.split("\n").length === 3 && names;
      },
    );
    for (const name of before.trimEnd().split("\n")) expect(after).not.toContain(name);
  },
);

newestKubectlTest("a rollout goes back to any revision, and its causes are kept", async (kubectl) => {
  const { ok, fails } = kubectl;
  await deploy(kubectl);
  await ok("annotate deployment web kubernetes.io/change-cause='the second'");
  for (const tag of ["1.26", "1.27"]) {
    await ok(`set image deployment/web nginx=nginx:${tag}`);
    await ok("rollout status deployment/web");
  }
  const history = await ok("rollout history deployment/web");
  expect(history).toMatch(/\n1 +the second\n2 +the second\n3 +the second\n/);
  expect(await ok("rollout history deployment/web --revision=2")).toContain("Image:\tnginx:1.26");
  expect(await ok("rollout undo deployment/web --to-revision=1")).toBe("deployment.apps/web rolled back\n");
  await ok("rollout status deployment/web");
  expect(await ok(`get deployment web ${imageOf}`)).toBe("nginx:1.25");
  expect(await ok("rollout undo deployment/web --to-revision=4")).toContain("skipped rollback");
  expect(await fails("rollout undo deployment/web --to-revision=9")).toContain(
    "unable to find specified revision 9 in history",
  );
});

newestKubectlTest("a rollout to an image that is not there waits for a person", async (kubectl) => {
  const { ok, fails, run } = kubectl;
  await deploy(kubectl);
  await ok("set image deployment/web nginx=nginx:does-not-exist");
  const status = await run("rollout status deployment/web --timeout=2s");
  expect(status).toMatchObject({ code: 1, stderr: "error: timed out waiting for the condition\n" });
  expect(status.stdout).toContain(
    'Waiting for deployment "web" rollout to finish: 1 out of 2 new replicas have been updated...',
  );
  const pods = await eventually(
    () => "the new pod says why it does not run",
    async () => {
      const podRows = rows(await ok("get pods"));
      return podRows.some(({ STATUS = "" }) => /ErrImagePull|ImagePullBackOff/.test(STATUS)) && podRows;
    },
  );
  expect(
    pods.filter(({ STATUS }) => STATUS === "Running"),
    "what ran goes on",
  ).toHaveLength(2);
  expect(await ok("describe pods -l app=web")).toMatch(/Failed to pull image "nginx:does-not-exist"/);
  expect(await fails("wait --for=condition=Available=False deployment/web --timeout=1s")).toContain(
    "timed out waiting for the condition on deployments/web",
  );
  await ok("rollout undo deployment/web");
  expect(await ok("rollout status deployment/web")).toContain("successfully rolled out");
});

newestKubectlTest("set changes what runs: environment, resources, service account", async (kubectl) => {
  const { ok, fails } = kubectl;
  await deploy(kubectl);
  expect(await ok("set env deployment/web COLOR=blue")).toBe("deployment.apps/web env updated\n");
  expect(await ok("set env deployment/web --list")).toContain("COLOR=blue");
  expect(await ok("set resources deployment/web --requests=cpu=10m,memory=8Mi")).toBe(
    "deployment.apps/web resource requirements updated\n",
  );
  await ok("create serviceaccount robot");
  expect(await ok("set serviceaccount deployment web robot")).toBe("deployment.apps/web serviceaccount updated\n");
  await ok("rollout status deployment/web");
  expect(await ok("get pods -o jsonpath='{.items[*].spec.serviceAccountName}'")).toMatch(/^robot robot/);
  expect(await fails("set image deployment/web other=nginx")).toContain('unable to find container named "other"');
});

newestKubectlTest("scaling minds what it was told to expect", async (kubectl) => {
  const { ok, fails } = kubectl;
  await deploy(kubectl);
  expect(await fails("scale deployment/web --current-replicas=9 --replicas=1")).toMatch(
    /[Ee]xpected replicas to be 9, was 2/,
  );
  expect(await ok("scale deployment/web --current-replicas=2 --replicas=0")).toBe("deployment.apps/web scaled\n");
  await eventually(
    () => "no pod is left",
    async () => (await ok("get pods -o name")) === "",
  );
  expect(rows(await ok("get deployment web"))).toMatchObject([{ READY: "0/0", "UP-TO-DATE": "0", AVAILABLE: "0" }]);
  const [set = ""] = (await ok("get rs -o name")).split("\n");
  expect(await ok(`scale ${set} --replicas=3`)).toMatch(/scaled\n$/);
  await eventually(
    () => "the Deployment takes its ReplicaSet back to none",
    async () => (await ok(`get ${set} -o jsonpath={.spec.replicas}`)) === "0",
  );
});

newestKubectlTest(
  "an orphan stays when its owner goes, and a new owner with the same selector adopts it",
  async (kubectl) => {
    const { ok } = kubectl;
    await deploy(kubectl);
    const set = (await ok("get rs -o name")).trim();
    const pods = await ok("get pods -o name");
    expect(await ok("delete deployment web --cascade=orphan")).toMatch(/^deployment\.apps "web" deleted/);
    expect(await ok("get rs -o name")).toBe(`${set}\n`);
    expect(await ok("get pods -o name")).toBe(pods);
    expect(await ok(`get ${set} -o jsonpath={.metadata.ownerReferences}`)).toBe("");
    await ok("create deployment web --image=nginx:1.25 --replicas=2");
    await ok("rollout status deployment/web");
    expect(await ok(`get ${set} -o jsonpath='{.metadata.ownerReferences[*].kind}'`)).toBe("Deployment");
    expect(await ok("get pods -o name"), "the adopted pods serve on").toBe(pods);
  },
);

newestKubectlTest("a foreground deletion ends after all that it owned is gone", async (kubectl) => {
  const { ok } = kubectl;
  await deploy(kubectl);
  expect(await ok("delete deployment web --cascade=foreground")).toMatch(/^deployment\.apps "web" deleted/);
  expect(await ok("get deploy,rs,pods -o name")).toBe("");
});

newestKubectlTest("run makes a pod, expose a Service with its endpoints", async (kubectl) => {
  const { ok } = kubectl;
  await deploy(kubectl);
  expect(await ok("expose deployment web --port=80")).toBe("service/web exposed\n");
  expect(rows(await ok("get service web"))).toMatchObject([
    { TYPE: "ClusterIP", "CLUSTER-IP": expect.stringMatching(/^10\./), "EXTERNAL-IP": "<none>", "PORT(S)": "80/TCP" },
  ]);
  const addresses = async () =>
    (await ok("get endpoints web -o jsonpath='{.subsets[*].addresses[*].ip}'")).split(" ").sort();
  const expected = (await ok("get pods -o jsonpath='{.items[*].status.podIP}'")).split(" ").sort();
  await eventually(
    () => "the endpoints are the pods' addresses",
    async () => (await addresses()).join() === expected.join(),
  );
  const slice = await ok(
    "get endpointslices -l kubernetes.io/service-name=web -o jsonpath='{.items[*].endpoints[*].addresses[0]}'",
  );
  expect(slice.split(" ").sort()).toEqual(expected);
  expect(await ok("run single --image=nginx --port=8080 --env=A=b --labels=x=y")).toBe("pod/single created\n");
  expect(await ok("wait --for=condition=Ready pod/single --timeout=60s")).toBe("pod/single condition met\n");
  expect(await ok("run once --image=busybox --restart=Never -- true")).toBe("pod/once created\n");
  expect(await ok("wait --for=jsonpath={.status.phase}=Succeeded pod/once --timeout=60s")).toBe(
    "pod/once condition met\n",
  );
  expect(rows(await ok("get pod once"))).toMatchObject([{ READY: "0/1", STATUS: "Completed" }]);
  expect(await ok("describe service web")).toMatch(/^Endpoints: +10\./m);
});
