// helm in the page's shell: charts rendered, and releases from install to uninstall in a whole cluster.
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { shellWithCluster } from "./cluster.ts";

const chart: Readonly<Record<string, string>> = {
  "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\nappVersion: 1.27\n",
  "web/values.yaml": "replicas: 1\ncolor: red\nnested: {a: 1, b: 2}\nkeep: true\n",
  "web/templates/NOTES.txt": "{{ .Release.Name }} is {{ .Values.color }}\n",
  "web/templates/app.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-settings
data:
  color: {{ .Values.color }}
`,
  "web/templates/kept.yaml": `{{- if .Values.keep }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: kept
  annotations: {helm.sh/resource-policy: keep}
{{- end }}
`,
};

const hooks: Readonly<Record<string, string>> = {
  "web/templates/hooks.yaml": ["pre-install", "post-install", "post-upgrade"]
    .map(
      (event, at) => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${event}
  annotations:
    helm.sh/hook: ${event}
    helm.sh/hook-weight: "${at}"
    helm.sh/hook-delete-policy: ${event === "post-install" ? "hook-succeeded" : "before-hook-creation"}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: j, image: busybox, command: [sh, -c, "{{ .Values.command | default "true" }}"]}]
  backoffLimit: 0
`,
    )
    .join("---\n"),
};

test("a release is installed, upgraded, rolled back and uninstalled", async () => {
  const { run } = shellWithCluster(chart);
  const installed = await run("helm install web ./web --set replicas=2 --wait");
  expect(installed).toMatchObject({ code: 0, err: "" });
  expect(installed.out).toMatch(
    /^NAME: web\nLAST DEPLOYED: .*\nNAMESPACE: default\nSTATUS: deployed\nREVISION: 1\nTEST SUITE: None\nNOTES:\nweb is red\n$/,
  );
  expect((await run("helm install web ./web")).err).toBe(
    "Error: INSTALLATION FAILED: cannot re-use a name that is still in use\n",
  );
  await run("kubectl annotate deployment web by=hand");
  expect((await run("helm upgrade web web --set color=blue --reuse-values")).out).toMatch(
    /^Release "web" has been upgraded. Happy Helming!\n[^]*REVISION: 2\n/,
  );
  const fields = "-o jsonpath='{.spec.replicas} {.metadata.annotations.by}'";
  expect((await run(`kubectl get deployment web ${fields}`)).out).toBe("2 hand");
  expect((await run("kubectl get configmap web-settings -o jsonpath='{.data.color}'")).out).toBe("blue");
  expect((await run("helm get values web")).out).toBe("USER-SUPPLIED VALUES:\ncolor: blue\nreplicas: 2\n");
  expect((await run("helm rollback web 1")).out).toBe("Rollback was a success! Happy Helming!\n");
  expect((await run("kubectl get configmap web-settings -o jsonpath='{.data.color}'")).out).toBe("red");
  expect((await run("helm history web | tail -n 3 | tr -s ' \\t' ' ' | cut -d ' ' -f 7- | sed 's, *$,,'")).out).toBe(
    "superseded web-0.1.0 1.27 Install complete\nsuperseded web-0.1.0 1.27 Upgrade complete\ndeployed web-0.1.0 1.27 Rollback to 1\n",
  );
  expect(await run("helm uninstall web")).toEqual({
    code: 0,
    out: 'These resources were kept due to the resource policy:\n[ConfigMap] kept\n\nrelease "web" uninstalled\n',
    err: "",
  });
  expect((await run("kubectl get deployment web")).code).toBe(1);
  expect((await run("kubectl get configmap kept -o name")).out).toBe("configmap/kept\n");
  expect((await run("helm list -q; kubectl get secrets -l owner=helm -o name")).out).toBe("");
});

test("a release is stored as Helm 3 stores it", async () => {
  const { run, server } = shellWithCluster(chart);
  await run("helm install web web --set replicas=3");
  const { body } = await server.ask("GET", "/api/v1/namespaces/default/secrets/sh.helm.release.v1.web.v1");
  expect(body).toMatchObject({ type: "helm.sh/release.v1" });
  expect(body.metadata.labels).toMatchObject({ name: "web", owner: "helm", status: "deployed", version: "1" });
  const encoded = Buffer.from(body.data.release ?? "", "base64").toString();
  expect(JSON.parse(gunzipSync(Buffer.from(encoded, "base64")).toString())).toMatchObject({
    name: "web",
    namespace: "default",
    version: 1,
    config: { replicas: 3 },
    info: { status: "deployed", description: "Install complete", deleted: "" },
    chart: { metadata: { name: "web" }, values: { color: "red" } },
  });
});

test("hooks run by weight, their policies delete them, and a failed one fails the release", async () => {
  const { run } = shellWithCluster({ ...chart, ...hooks });
  expect((await run("helm install web web")).code).toBe(0);
  expect((await run("kubectl get jobs -o name")).out).toBe("job.batch/pre-install\n");
  const failed = await run("helm upgrade web web --set command='exit 1' --atomic");
  expect(failed.err).toContain(
    "Error: UPGRADE FAILED: release web failed, and has been rolled back due to atomic being set",
  );
  expect(failed.err).toContain(
    "post-upgrade hooks failed: 1 error occurred:\n\t* job post-upgrade failed: BackoffLimitExceeded",
  );
  expect((await run("helm list -o json")).out).toContain('"revision":"3"');
});

test("hooks of lower weight run first, and then those of lower names", async () => {
  const job = (name: string, weight: number) => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations: {helm.sh/hook: pre-install, helm.sh/hook-weight: "${weight}"}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: j, image: busybox, command: ["true"]}]}}}
`;
  const { run } = shellWithCluster({
    ...chart,
    "web/templates/jobs.yaml": [job("a", 5), job("c", -1), job("b", -1)].join("---\n"),
  });
  expect(await run("helm install web web")).toMatchObject({ code: 0, err: "" });
  expect((await run("kubectl get jobs --sort-by=.metadata.resourceVersion -o name")).out).toBe(
    "job.batch/b\njob.batch/c\njob.batch/a\n",
  );
});

test("the history keeps the deployed revision and as many others as its limit allows", async () => {
  const { run } = shellWithCluster(chart);
  await run("helm install web web");
  for (const color of ["blue", "green"]) await run(`helm upgrade web web --set color=${color} --history-max 2`);
  expect((await run("kubectl get secrets -l owner=helm -o name")).out).toBe(
    "secret/sh.helm.release.v1.web.v2\nsecret/sh.helm.release.v1.web.v3\n",
  );
});

test("objects of others are not taken over, and missing releases are named", async () => {
  const { run } = shellWithCluster(chart);
  await run("kubectl create configmap web-settings");
  const { err } = await run("helm install web web");
  expect(err).toContain(
    'ConfigMap "web-settings" in namespace "default" exists and cannot be imported into the current release',
  );
  expect(err).toContain('missing key "app.kubernetes.io/managed-by": must be set to "Helm"');
  expect((await run("helm status web")).err).toBe("Error: release: not found\n");
  expect((await run("helm upgrade web web")).err).toBe('Error: UPGRADE FAILED: "web" has no deployed releases\n');
  expect((await run("helm uninstall web")).err).toBe("Error: uninstall: Release not loaded: web: release: not found\n");
  expect((await run("helm install web web -n none")).err).toContain('namespaces "none" not found');
  expect((await run("helm upgrade -i other web -n made --create-namespace --set keep=false")).out).toContain(
    'Release "other" does not exist. Installing it now.',
  );
  expect((await run("helm list -A -q")).out).toBe("other\n");
});

test("a chart with dependencies is packed, and its values reach the enabled ones", async () => {
  const { run } = shellWithCluster({
    "child/Chart.yaml": "apiVersion: v2\nname: child\nversion: 1.2.0\n",
    "child/values.yaml": "own: 1\n",
    "child/templates/x.yaml":
      "kind: X\nown: {{ .Values.own }}\nshared: {{ .Values.global.shared }}\nname: {{ .Chart.Name }}\n",
    "parent/Chart.yaml":
      "apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies:\n- {name: child, version: 1.x, repository: 'file://../child', condition: use}\n- {name: child, version: 1.x, repository: 'file://../child', alias: twin, tags: [t]}\n",
    "parent/values.yaml": "use: true\ntwin: {own: 2}\nglobal: {shared: g}\n",
    "parent/crds/c.yaml": "kind: C\n",
  });
  expect((await run("helm template p parent")).err).toContain("missing in charts/ directory: child");
  expect((await run("helm dependency update parent && helm package parent")).err).toBe("");
  const source = (name: string, count: number) =>
    `---\n# Source: parent/charts/${name}/templates/x.yaml\nkind: X\nown: ${count}\nshared: g\nname: ${name}\n`;
  expect((await run("helm template p parent-1.0.0.tgz")).out).toBe(source("child", 1) + source("twin", 2));
  expect((await run("helm template p parent-1.0.0.tgz --set use=false,tags.t=false --include-crds")).out).toBe(
    "---\n# Source: parent/crds/c.yaml\nkind: C\n",
  );
});

test("values are checked against the chart's schema, and bad input has a clear error", async () => {
  const { run } = shellWithCluster({
    ...chart,
    "web/values.schema.json": '{"properties": {"replicas": {"type": "integer", "minimum": 1}}}',
    "bad.yaml": "a: [",
    "bad.tgz": "no archive",
  });
  expect((await run("helm template x web --set replicas=many")).err).toBe(
    "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n- at '/replicas': got string, want integer\n\n",
  );
  expect((await run("helm template x web -f bad.yaml")).err).toContain("failed to parse bad.yaml");
  expect((await run("helm template x bad.tgz")).err).toContain("gzipped archive");
  expect((await run("helm template x none")).err).toContain(
    "non-absolute URLs should be in form of repo_name/path_to_chart",
  );
  expect((await run("helm repo add x https://charts.example")).err).toContain("reaches no chart repository");
  expect((await run("helm template x web --set 'a[99999999]=1'")).err).toContain(
    "greater than maximum supported index",
  );
});

test("a new chart is linted and installed", async () => {
  const { run } = shellWithCluster({});
  expect((await run("helm create shop && helm lint shop")).out).toBe(
    "Creating shop\n==> Linting shop\n[INFO] Chart.yaml: icon is recommended\n\n1 chart(s) linted, 0 chart(s) failed\n",
  );
  expect((await run("helm install shop shop --set autoscaling.enabled=true,ingress.enabled=true")).code).toBe(0);
  expect(
    (await run("kubectl get deploy,svc,ing,hpa,sa -l app.kubernetes.io/instance=shop -o name")).out.split("\n"),
  ).toHaveLength(6);
});

test("--name-template names the release by a template of sprig's functions", async () => {
  const { run } = shellWithCluster(chart);
  expect((await run(`helm install web --name-template 'shop-{{ lower "A" }}{{ add 1 2 }}'`)).out).toMatch(
    /^NAME: shop-a3\n/,
  );
  expect((await run("helm install x web --name-template y")).err).toBe(
    "Error: INSTALLATION FAILED: cannot set --name-template and also specify a name\n",
  );
  expect((await run(`helm install web --name-template '{{ include "x" . }}'`)).err).toBe(
    'Error: INSTALLATION FAILED: template: name-template:1: function "include" not defined\n',
  );
  expect((await run("helm template web -g | head -n 7; helm package web; helm template -g web-0.1.0.tgz")).code).toBe(
    0,
  );
});

test("--dependency-update packs missing dependencies, and changes nothing if one fails", async () => {
  const child = { "child/Chart.yaml": "apiVersion: v2\nname: child\nversion: 1.0.0\n" };
  const parent = (repositories: readonly string[]) =>
    `apiVersion: v2\nname: parent\nversion: 0.1.0\ndependencies:\n${repositories
      .map((repository, at) => `- {name: ${at === 0 ? "child" : "gone"}, version: 1.x, repository: "${repository}"}\n`)
      .join("")}`;
  const { run } = shellWithCluster({
    ...child,
    "parent/Chart.yaml": parent(["file://../child"]),
    "broken/Chart.yaml": parent(["file://../child", "https://charts.example"]),
  });
  const missing = "found in Chart.yaml, but missing in charts/ directory: child";
  expect((await run("helm install p parent")).err).toContain(`to fetch missing dependencies: ${missing}\n`);
  expect((await run("helm package parent")).err).toBe(`Error: ${missing}\n`);
  const { code, out } = await run("helm upgrade --install p parent --dependency-update; ls parent parent/charts");
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(
      /^Release "p" does not exist\. Installing it now\.\nSaving 1 charts\nDeleting outdated charts\nNAME: p\n[^]*\nchild-1\.0\.0\.tgz\n$/,
    ) as unknown,
  });
  expect((await run("helm template b broken --dependency-update")).err).toContain(
    "gone: this terminal reaches no chart repository",
  );
  expect((await run("ls broken")).out).toBe("Chart.yaml\n");
});
