// Less common commands.
import "reflect-metadata";
import { PemConverter, Pkcs10CertificateRequestGenerator } from "@peculiar/x509";
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";
import { eventually, rows } from "../kubectl.ts";
import { lonePod, manifest } from "../manifests.ts";

const settings = (name: string, value: string) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels:
    set: one
data:
  key: ${value}
`;

newestKubectlTest("expose makes a Service of whatever has pods", async ({ ok, write }) => {
  expect(await ok("run lone --image=nginx --port=8080 --labels=app=lone --expose")).toBe(
    "service/lone created\npod/lone created\n",
  );
  expect(await ok("expose pod lone --name=pod --port=80 --target-port=8080")).toBe("service/pod exposed\n");
  expect(await ok("expose service pod --name=again --port=81 --type=NodePort")).toBe("service/again exposed\n");
  expect(rows(await ok("get service again -o wide"))).toMatchObject([{ TYPE: "NodePort", SELECTOR: "app=lone" }]);
  write("site.yaml", manifest);
  await ok("create -f site.yaml");
  await ok("rollout status deployment/site");
  const set = (await ok("get rs -o name")).trim();
  expect(await ok(`expose ${set} --name=set --port=80`)).toBe("service/set exposed\n");
  expect(await ok("expose deployment site --name=all --port=80 --protocol=UDP --session-affinity=ClientIP")).toBe(
    "service/all exposed\n",
  );
  expect(await ok("get service all -o jsonpath='{.spec.ports[0].protocol} {.spec.sessionAffinity}'")).toBe(
    "UDP ClientIP",
  );
});

newestKubectlTest("apply prunes what a set of manifests no longer holds", async ({ ok, write }) => {
  write("first.yaml", `${settings("first", "old")}---\n${settings("second", "old")}`);
  await ok("apply -f first.yaml");
  write("second.yaml", settings("second", "new"));
  const pruned = await ok("apply -f second.yaml --prune -l set=one --prune-allowlist=core/v1/ConfigMap");
  expect(pruned).toBe("configmap/second configured\nconfigmap/first pruned\n");
  expect(await ok("get configmaps -l set=one -o name")).toBe("configmap/second\n");
});

newestKubectlTest("what was applied last is shown, set and edited", async ({ ok, write }) => {
  write("cm.yaml", settings("a", "old"));
  await ok("create -f cm.yaml");
  expect(await ok("apply set-last-applied -f cm.yaml --create-annotation=true")).toBe("configmap/a configured\n");
  expect(await ok("apply view-last-applied cm/a -o json")).toContain('"key": "old"');
  const environment = { KUBE_EDITOR: "sed -i s/old/other/" };
  expect(await ok("apply edit-last-applied cm/a", { environment })).toMatch(/^configmap\/a (edited|configured)\n$/);
  expect(await ok("apply view-last-applied cm/a")).toContain("key: other");
  expect(await ok("get cm a -o jsonpath={.data.key}")).toBe("old");
});

newestKubectlTest("a status is read, patched and edited as such", async ({ ok, write }) => {
  write("pvc.yaml", claim);
  await ok("create -f pvc.yaml");
  const patch = `'{"status":{"capacity":{"storage":"5Gi"}}}'`;
  expect(await ok(`patch pvc data --subresource=status --type=merge -p ${patch}`)).toBe(
    "persistentvolumeclaim/data patched\n",
  );
  expect(await ok("get pvc data --subresource=status -o jsonpath={.status.capacity.storage}")).toBe("5Gi");
  const environment = { KUBE_EDITOR: "sed -i 's/storage: 5Gi/storage: 6Gi/'" };
  expect(await ok("edit pvc data --subresource=status", { environment })).toBe("persistentvolumeclaim/data edited\n");
  expect(await ok("get pvc data -o jsonpath='{.status.capacity.storage} {.spec.resources.requests.storage}'")).toBe(
    "6Gi 1Gi",
  );
});

const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
spec:
  storageClassName: none-such
  accessModes: [ReadWriteOnce]
  resources:
    requests:
      storage: 1Gi
`;

newestKubectlTest("requests for certificates are approved and denied", async ({ ok, write }) => {
  for (const name of ["good", "bad"]) write(`${name}.yaml`, await certificateRequest(name));
  await ok("create -f good.yaml -f bad.yaml");
  expect(await ok("certificate approve good")).toBe("certificatesigningrequest.certificates.k8s.io/good approved\n");
  expect(await ok("certificate deny bad")).toBe("certificatesigningrequest.certificates.k8s.io/bad denied\n");
  const conditions = rows(await ok("get csr")).map(({ NAME, CONDITION }) => [NAME, CONDITION]);
  expect(conditions).toEqual([
    ["bad", "Denied"],
    ["good", expect.stringMatching(/^Approved/)],
  ]);
});

async function certificateRequest(name: string): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
  });
  const pem = PemConverter.encode(request.rawData, "CERTIFICATE REQUEST");
  return `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata:
  name: ${name}
spec:
  request: ${btoa(pem)}
  signerName: example.com/signer
  usages: [client auth]
`;
}

newestKubectlTest("a kustomization is built, whole sets are labelled and deleted", async ({ ok, write }) => {
  write("site.yaml", manifest);
  write("kustomization.yaml", "nameSuffix: -x\nresources: [site.yaml]\nimages:\n- name: nginx\n  newTag: '1'\n");
  const built = await ok("kustomize .");
  expect(built).toContain("name: site-x");
  await ok("apply -f -", { input: built });
  expect(await ok("get deployment site-x -o jsonpath={.spec.template.spec.containers[0].image}")).toBe("nginx:1");
  await ok("rollout status deployment/site-x");
  expect(await ok("label pods --all seen=yes")).toMatch(/^(pod\/site-x-\S+ labeled\n){2}$/);
  expect(await ok("annotate deployments --all seen=yes")).toMatch(/^deployment\.apps\/site-x annotated?\n$/);
  expect(await ok("delete deployments,services --all")).toMatch(/^deployment\.apps "site-x" deleted/);
  expect(await ok("get deployments -o name")).toBe("");
});

newestKubectlTest("get shows kinds, and prints by itself where it is asked to", async ({ ok, write }) => {
  write("cm.yaml", settings("a", "b"));
  await ok("create -f cm.yaml");
  expect(rows(await ok("get cm a --show-kind"))).toMatchObject([{ NAME: "configmap/a", DATA: "1" }]);
  expect(rows(await ok("get cm a --server-print=false"))).toEqual([{ NAME: "a", AGE: expect.any(String) }]);
  expect(await ok("get cm a --show-managed-fields -o jsonpath={.metadata.managedFields[0].operation}")).toBe("Update");
  expect(await ok("config view --minify -o jsonpath={.clusters[0].cluster.server}")).toContain("/c/");
});

newestKubectlTest("top tells what nodes and pods use, and events tell of one object", async ({ ok, run, write }) => {
  write("pod.yaml", lonePod);
  await ok("create -f pod.yaml");
  await ok("wait --for=condition=Ready pod/alone --timeout=60s");
  expect(rows(await ok("top nodes")).map(({ NAME }) => NAME)).toEqual(["node-1", "node-2", "node-3"]);
  const usageText = await eventually(
    () => "the pod's usage is told",
    async () => {
      const { code, stdout } = await run("top pods");
      return code === 0 && stdout.includes("alone") && stdout;
    },
    90_000,
  );
  expect(rows(usageText)).toMatchObject([{ NAME: "alone", "CPU(cores)": expect.stringMatching(/^\d+m$/) }]);
  expect(await ok("events --for pod/alone")).toMatch(/Scheduled +Pod\/alone +Successfully assigned default\/alone/);
});
