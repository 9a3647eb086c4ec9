// `kubectl apply` in its forms, `rollout`, and `describe`.
import { type Scene, fromCommands } from "../play.ts";

const web = (image: string, replicas: number, more = "") => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: nginx
        image: nginx:${image}
        ports: [{containerPort: 80}]
${more}`;
const side = `      - {name: side, image: busybox, command: [sleep, 1d]}
`;
const config = (data: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: ${data}
`;
const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wg]}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`;

export const applyScenes: readonly Scene[] = [
  {
    name: "apply",
    files: {
      "one.yaml": web("1.27", 2, side),
      "two.yaml": web("1.28", 3),
      "config.yaml": config('{a: "1", b: "2"}'),
      "config2.yaml": config('{a: "1", c: "3"}'),
      "other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {x: y}\n",
      "crd.yaml": crd,
      "widget.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 1, color: red}\n",
      "widget2.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 2}\n",
      "generated.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}\n",
      "immutable.yaml": web("1.28", 3)
        .replace("matchLabels: {app: web}", "matchLabels: {app: other}")
        .replace("metadata: {labels: {app: web}}", "metadata: {labels: {app: other}}"),
    },
    steps: [
      "apply -f one.yaml",
      "apply -f one.yaml",
      "apply -f two.yaml --dry-run=client",
      "apply -f two.yaml --dry-run=server",
      "apply -f two.yaml",
      "get deploy web -o jsonpath='{.spec.replicas} {.spec.template.spec.containers[*].name}'",
      "apply -f immutable.yaml",
      "apply -f config.yaml -f other.yaml",
      "apply -f config2.yaml -o yaml",
      "apply -f config2.yaml -o name",
      "get cm settings -o yaml",
      "apply view-last-applied cm/settings",
      "apply view-last-applied cm/settings -o json",
      "create cm plain --from-literal=a=b",
      { line: "apply -f -", input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {a: c}\n" },
      "apply",
      "apply x",
      "apply -f nope.yaml",
      "apply -f generated.yaml",
      "apply -f one.yaml --force-conflicts",
      "apply -f one.yaml --server-side --dry-run=client",
      "apply -f other.yaml --server-side",
      "apply -f other.yaml --server-side",
      {
        line: "apply -f - --server-side --field-manager=me",
        input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {x: z}\n",
      },
      {
        line: "apply -f - --server-side --field-manager=me --force-conflicts",
        input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {x: z}\n",
      },
      "get cm other -o yaml",
      { line: "apply -f config.yaml --prune -l app=web", as: (text) => text.replace(/^W\d.*\n/, "") },
      "apply -f config.yaml --prune",
      { line: "apply -f crd.yaml", as: (text) => text.replace(/created|unchanged/, "there") },
      "wait --for=condition=Established crd/widgets.example.com",
      "apply -f widget.yaml",
      "apply -f widget2.yaml",
      "get widgets",
      "get wg w -o yaml",
      "describe wg w",
      "label widget w a=b",
      "delete -f widget.yaml -o name",
    ],
  },
  {
    name: "kustomize",
    files: {
      "base/kustomization.yaml": "resources: [web.yaml, config.yaml]\ncommonLabels: {team: a}\n",
      "base/web.yaml": `${web("1.27", 1).trimEnd()}\n        envFrom: [{configMapRef: {name: settings}}]\n`,
      "base/config.yaml": config('{a: "1"}'),
      "over/kustomization.yaml": `resources: [../base]
namePrefix: dev-
images: [{name: nginx, newTag: "1.29"}]
replicas: [{name: web, count: 2}]
labels: [{pairs: {env: dev}}]
configMapGenerator: [{name: gen, literals: [x=y]}]
secretGenerator: [{name: sec, literals: [p=q], options: {disableNameSuffixHash: true}}]
patches:
- patch: |
    - {op: add, path: /metadata/annotations, value: {patched: "yes"}}
  target: {kind: Deployment}
- patch: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings}
    data: {b: "2"}
`,
    },
    steps: [
      "apply -k over",
      "apply -k over",
      "get deploy dev-web -o jsonpath='{.metadata.labels} {.metadata.annotations.patched} {.spec.replicas} {.spec.template.spec.containers}'",
      "get cm,secret -o name",
      "get cm dev-settings -o jsonpath={.data}",
      "apply -k over -f x",
      "delete -k over -o name",
    ],
  },
  {
    name: "subjects and last applied",
    files: {
      "cm.yaml": config('{a: "1"}'),
      "over/kustomization.yaml": "resources: [cm.yaml]\nnamePrefix: dev-\n",
      "over/cm.yaml": config('{a: "1"}'),
    },
    steps: [
      "kustomize over",
      { line: "kustomize nowhere", as: (text) => text.replace(/lstat .*: no such/, "lstat <path>: no such") },
      "create rolebinding rb --clusterrole=view --user=ann",
      "set subject rolebinding rb --user=bob",
      "get rolebinding rb -o jsonpath={.subjects}",
      "set subject rolebinding rb --group=team --dry-run=client -o name",
      "set subject rolebinding rb",
      "create -f cm.yaml",
      "apply set-last-applied -f cm.yaml",
      "apply set-last-applied -f cm.yaml --create-annotation",
      "apply view-last-applied -f cm.yaml",
      "apply view-last-applied cm/settings -o json",
    ],
  },
  {
    name: "rollouts",
    files: { "one.yaml": web("1.27", 2), "two.yaml": web("1.28", 2) },
    setup: ["create -f one.yaml", "rollout status deployment/web"],
    steps: [
      "rollout status deployment/web",
      "rollout status deploy web --watch=false",
      "rollout history deployment/web",
      "set image deploy/web nginx=nginx:1.28",
      { line: "rollout status deployment/web", as: (text) => text.split("\n").slice(-2).join("\n") },
      "annotate deploy/web kubernetes.io/change-cause='new image'",
      "rollout history deployment/web",
      "rollout history deployment/web --revision=1",
      "rollout history deployment/web --revision=2",
      "rollout history deployment/web --revision=9",
      "rollout history deployment/web --revision=-1",
      "rollout undo deployment/web --dry-run=client",
      "rollout undo deployment/web",
      "rollout undo deployment/web --to-revision=9",
      "rollout undo deployment/web --to-revision=3",
      { line: "rollout status deployment/web", as: (text) => text.split("\n").slice(-2).join("\n") },
      "get deploy web -o jsonpath={.spec.template.spec.containers[0].image}",
      "rollout pause deployment/web",
      "rollout pause deployment/web",
      "rollout restart deployment/web",
      "rollout undo deployment/web",
      "rollout resume deployment/web",
      "rollout resume deployment/web",
      "rollout restart deployment/web",
      { line: "rollout status deployment/web", as: (text) => text.split("\n").slice(-2).join("\n") },
      "rollout restart cm",
      "rollout restart deploy -l nope=1",
      "rollout status",
      "rollout status cm kube-root-ca.crt",
      "rollout history cm kube-root-ca.crt",
      "rollout undo cm kube-root-ca.crt",
      "rollout status deployment/nope",
      { line: "rollout", as: fromCommands },
      "rollout nope",
    ],
  },
];
