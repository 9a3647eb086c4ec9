// Every `kubectl create ...` that other tests omit, and commands that change one field of an object.
import "reflect-metadata";
import { PemConverter, X509CertificateGenerator } from "@peculiar/x509";
import { expect } from "vitest";
import { newestKubectlTest } from "../each-kubectl.ts";
import { rows } from "../kubectl.ts";

newestKubectlTest("create makes workloads, and what guards them", async ({ ok }) => {
  expect(await ok("create job once --image=busybox -- true")).toBe("job.batch/once created\n");
  expect(await ok("create cronjob often --image=busybox --schedule='*/5 * * * *' -- true")).toBe(
    "cronjob.batch/often created\n",
  );
  expect(await ok("create job now --from=cronjob/often")).toBe("job.batch/now created\n");
  expect(rows(await ok("get cronjob often"))).toMatchObject([{ SCHEDULE: "*/5 * * * *", SUSPEND: "False" }]);
  expect(await ok("get job now -o jsonpath={.metadata.ownerReferences[0].name}")).toBe("often");
  expect(await ok("create deployment web --image=nginx --port=80 --replicas=2")).toBe("deployment.apps/web created\n");
  expect(await ok("create poddisruptionbudget web --selector=app=web --min-available=1")).toBe(
    "poddisruptionbudget.policy/web created\n",
  );
  expect(rows(await ok("get pdb web"))).toMatchObject([{ "MIN AVAILABLE": "1", "MAX UNAVAILABLE": "N/A" }]);
  expect(await ok("create priorityclass high --value=1000 --description=first")).toBe(
    "priorityclass.scheduling.k8s.io/high created\n",
  );
  expect(await ok("create quota small --hard=pods=10,services=2")).toBe("resourcequota/small created\n");
  expect(await ok("describe quota small")).toMatch(/^pods +\d+ +10$/m);
  expect(await ok("create namespace side")).toBe("namespace/side created\n");
  expect(await ok("autoscale deployment web --min=2 --max=5 --cpu-percent=50")).toBe(
    "horizontalpodautoscaler.autoscaling/web autoscaled\n",
  );
  expect(rows(await ok("get hpa web"))).toMatchObject([
    { REFERENCE: "Deployment/web", MINPODS: "2", MAXPODS: "5", TARGETS: expect.stringContaining("<unknown>/50%") },
  ]);
  expect(await ok("expose deployment web --port=80 --target-port=8080 --name=front")).toBe("service/front exposed\n");
  expect(await ok("create ingress front --rule='a.example/path*=front:80,tls=cert' --class=nginx")).toBe(
    "ingress.networking.k8s.io/front created\n",
  );
  expect(rows(await ok("get ingress front"))).toMatchObject([{ CLASS: "nginx", HOSTS: "a.example", PORTS: "80, 443" }]);
});

newestKubectlTest("create makes roles, bindings and certificates", async ({ ok, write }) => {
  expect(await ok("create role reader --verb=get,list --resource=pods,deployments.apps")).toBe(
    "role.rbac.authorization.k8s.io/reader created\n",
  );
  expect(await ok("create rolebinding readers --role=reader --user=jane --serviceaccount=default:default")).toBe(
    "rolebinding.rbac.authorization.k8s.io/readers created\n",
  );
  expect(await ok("create clusterrole nodes-reader --verb=get --resource=nodes")).toBe(
    "clusterrole.rbac.authorization.k8s.io/nodes-reader created\n",
  );
  expect(await ok("create clusterrole all-readers --aggregation-rule='rbac.example/to=all'")).toBe(
    "clusterrole.rbac.authorization.k8s.io/all-readers created\n",
  );
  expect(await ok("create clusterrole paths --verb=get --non-resource-url=/logs/*")).toBe(
    "clusterrole.rbac.authorization.k8s.io/paths created\n",
  );
  expect(await ok("create clusterrolebinding nodes --clusterrole=nodes-reader --group=ops")).toBe(
    "clusterrolebinding.rbac.authorization.k8s.io/nodes created\n",
  );
  expect(rows(await ok("get rolebinding readers -o wide"))).toMatchObject([
    { ROLE: "Role/reader", USERS: "jane", SERVICEACCOUNTS: "default/default" },
  ]);
  expect(await ok("set subject rolebinding readers --group=ops")).toBe(
    "rolebinding.rbac.authorization.k8s.io/readers subjects updated\n",
  );
  expect(await ok("auth reconcile -f -", { input: role })).toContain(
    "role.rbac.authorization.k8s.io/reader reconciled",
  );
  const { certificate, key } = await selfSigned();
  write("cert.pem", certificate);
  write("key.pem", key);
  expect(await ok("create secret tls cert --cert=cert.pem --key=key.pem")).toBe("secret/cert created\n");
  expect(rows(await ok("get secret cert"))).toMatchObject([{ TYPE: "kubernetes.io/tls", DATA: "2" }]);
});

async function selfSigned(): Promise<{ certificate: string; key: string }> {
  const { subtle } = crypto;
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({ name: "CN=a.example", keys });
  const key = PemConverter.encode(await subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { certificate: certificate.toString("pem"), key };
}

const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: default
rules:
- apiGroups: [""]
  resources: [services]
  verbs: [watch]
`;

newestKubectlTest("set changes one thing: image, environment, resources, selector, account", async ({ ok }) => {
  await ok("create deployment web --image=nginx");
  await ok("create service clusterip web --tcp=80");
  await ok("create serviceaccount robot");
  expect(await ok("set image deployment/web '*=nginx:1'")).toBe("deployment.apps/web image updated\n");
  expect(await ok("set env deployment/web A=b")).toBe("deployment.apps/web env updated\n");
  expect(await ok("set env deployment/web --list")).toContain("A=b");
  expect(await ok("set env deployment/web A-")).toBe("deployment.apps/web env updated\n");
  expect(await ok("set resources deployment web --limits=cpu=1,memory=1Gi --requests=cpu=100m")).toBe(
    "deployment.apps/web resource requirements updated\n",
  );
  expect(await ok("set selector service web tier=front")).toBe("service/web selector updated\n");
  expect(await ok("get service web -o jsonpath={.spec.selector}")).toBe('{"tier":"front"}');
  expect(await ok("set serviceaccount deployment web robot")).toBe("deployment.apps/web serviceaccount updated\n");
  const template = "{.spec.template.spec.serviceAccountName} {.spec.template.spec.containers[0].resources.limits}";
  expect(await ok(`get deployment web -o jsonpath='${template}'`)).toBe('robot {"cpu":"1","memory":"1Gi"}');
});

newestKubectlTest("delete minds what depends: orphan, background, foreground", async ({ ok }) => {
  for (const name of ["left", "soon", "last"]) await ok(`create deployment ${name} --image=nginx`);
  for (const name of ["left", "soon", "last"]) await ok(`rollout status deployment/${name}`);
  await ok("delete deployment left --cascade=orphan");
  expect(await ok("get rs -l app=left -o jsonpath='{.items[*].metadata.ownerReferences}'")).toBe("");
  expect(await ok("get rs -l app=left -o name")).toMatch(/^replicaset\.apps\/left-/);
  await ok("delete deployment last --cascade=foreground");
  expect(await ok("get rs,pods -l app=last -o name")).toBe("");
  await ok("delete deployment soon --cascade=background");
  await ok("wait rs -l app=soon --for=delete --timeout=60s");
});
