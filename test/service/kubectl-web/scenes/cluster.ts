// Commands at the cluster as a whole: its resources, its access, its documentation, its configuration, differences.
import { type Scene, fromCommands, reads } from "../play.ts";

const roles = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: $NS}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: $NS}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects: [{kind: User, name: u, apiGroup: rbac.authorization.k8s.io}]
`;
const moreRoles = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: $NS}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
`;

/** Replaces the path of the kubeconfig. */
const withoutPath = (text: string) => text.replace(/in \/\S*config$/m, "in <path>");

export const clusterScenes: readonly Scene[] = [
  {
    name: "api",
    steps: reads(
      "api-resources",
      "api-resources -o wide",
      "api-resources -o name",
      "api-resources --namespaced=false",
      "api-resources --api-group=apps",
      "api-resources --api-group=apps --no-headers",
      "api-resources --verbs=list,create --api-group=",
      "api-resources --sort-by=name --api-group=apps",
      "api-resources --sort-by=kind --api-group=batch",
      "api-resources --sort-by=x",
      "api-resources --categories=all",
      "api-resources x",
      "api-versions",
      "api-versions x",
      "version -o odd",
      "version x",
      "cluster-info x",
      "cluster-info",
      "foo",
      "gett pods",
      "get pods --nosuch",
      "get pods -Z",
      "create nosuch",
      "config nosuch",
    ),
  },
  {
    name: "explain",
    steps: reads(
      "explain pods",
      "explain pod.spec",
      "explain pods.spec.containers",
      "explain pods.spec.containers.image",
      "explain pods.spec.restartPolicy",
      "explain deploy.spec.strategy",
      "explain deployments.spec.strategy --recursive",
      "explain cm",
      "explain cm --recursive",
      "explain svc.spec.ports.protocol",
      "explain hpa",
      "explain hpa --api-version=autoscaling/v1",
      "explain hpa.spec --api-version=autoscaling/v1",
      "explain pods.nope",
      "explain pods.spec.nope",
      "explain nosuch",
      "explain",
      "explain a b",
      "explain pods --api-version=v9",
      "explain pods --output=odd",
      "explain quota.spec.hard",
      "explain pods.metadata.labels",
      "explain ippools",
      "explain ns.status",
    ),
  },
  {
    name: "auth",
    steps: [
      ...reads(
        "auth can-i get pods",
        "auth can-i get pods/log",
        "auth can-i create deployments.apps",
        "auth can-i '*' '*'",
        "auth can-i get /healthz",
        "auth can-i get pods --subresource=log",
        "auth can-i get pod/x",
        "auth can-i list nodes",
        "auth can-i get nosuch",
        "auth can-i frob pods",
        "auth can-i get pods -A",
        "auth can-i get pods -q",
        "auth can-i",
        "auth can-i get",
        "auth can-i get pods x y",
        "auth can-i --list",
        "auth can-i --list --no-headers",
        "auth can-i get pods --as=system:serviceaccount:$NS:default",
        "auth can-i get secrets --as=nobody -q",
        "auth can-i --list --as=system:serviceaccount:$NS:default",
        "auth whoami",
        "auth whoami -o yaml",
        "auth whoami -o json",
        "auth whoami --as=joe",
        "auth whoami x",
      ),
      { line: "auth", as: fromCommands },
    ],
  },
  {
    name: "auth reconcile",
    files: { "cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" },
    steps: [
      { line: "auth reconcile -f - --dry-run=client", input: roles },
      { line: "auth reconcile -f -", input: roles },
      { line: "auth reconcile -f -", input: roles },
      { line: "auth reconcile -f - --dry-run=client", input: moreRoles },
      { line: "auth reconcile -f -", input: moreRoles },
      "get role r -o jsonpath={.rules}",
      { line: "auth reconcile -f - --remove-extra-permissions", input: moreRoles },
      "get role r -o jsonpath={.rules}",
      { line: "auth reconcile -f - --dry-run=server", input: moreRoles },
      "auth reconcile -f cm.yaml",
      "auth reconcile",
    ],
  },
  {
    name: "config changes",
    steps: [
      "config set-cluster other --server=https://other.example",
      "config set-credentials jane --token=secret",
      "config set-context other --cluster=other --user=jane --namespace=apps",
      "config get-contexts other",
      "config rename-context other third",
      { line: "config rename-context other fourth", as: withoutPath },
      "config use-context third",
      "config current-context",
      { line: "config view --minify", since136: (text) => text.replace("preferences: {}\n", "") },
      "config view --minify -o jsonpath={.users[0].user.token}",
      { line: "config delete-context nope", as: withoutPath },
      { line: "config delete-cluster nope", as: withoutPath },
      { line: "config delete-user nope", as: withoutPath },
      "config get-contexts -o name",
    ],
  },
  {
    name: "config",
    steps: reads(
      "config current-context",
      "config get-contexts",
      "config get-contexts -o name",
      "config get-contexts nope",
      "config get-clusters",
      "config get-users",
      "config use-context nope",
      "config set-context",
      "config set-context --current --namespace=$NS",
    ),
  },
  {
    name: "diff",
    files: {
      "cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: one, b: two, c: three, d: four}\n",
      "changed.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, labels: {x: z}}\ndata: {a: one, b: TWO, c: three, e: five}\n",
      "new.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata: {a: one}\n",
      "secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: one}\n",
      "changed-secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: two, b: one}\n",
    },
    setup: ["apply -f cm.yaml", "apply -f secret.yaml"],
    steps: [
      ...[
        "diff -f cm.yaml",
        "diff -f changed.yaml",
        "diff -f new.yaml",
        "diff -f changed.yaml -f new.yaml",
        "diff -f changed-secret.yaml",
        "diff -f changed.yaml --server-side",
        "diff -f nofile",
        "diff",
      ].map((line) => ({ line, as: withoutFolders })),
    ],
  },
];

/** The folders that the real one makes have names of chance. */
function withoutFolders(text: string): string {
  return text
    .replaceAll(/^[-+]{3} (\/tmp\/)?(LIVE|MERGED)(-\d+)?(\S*).*$/gm, "$2$4")
    .replaceAll(/(\/tmp\/)?(LIVE|MERGED)-\d+/g, "$2")
    .replaceAll(/<time>|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d{4}/g, "<time>");
}
