// `kubectl get`, in all its forms.
import { type Scene, reads } from "../play.ts";

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web, tier: front}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1.27", ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app: web}
  annotations: {note: "a <b> & c"}
data:
  color: blue
  count: "3"
  yes: "yes"
  empty: ""
  file.txt: |
    first line
    second line
  long: "this is a long text that is folded by the writer of yaml because it has more than eighty columns in it, as texts have"
  trailing: "ends with a space "
  tabs: "a\\tb"
  colon: "a: b"
  hash: "a # b"
  date: "2024-01-02"
  float: "1e3"
---
apiVersion: v1
kind: ConfigMap
metadata: {name: other, labels: {app: none, x: "1"}}
---
apiVersion: v1
kind: Pod
metadata: {name: lone, labels: {app: lone}}
spec: {containers: [{name: main, image: busybox, command: [sleep, "1d"]}, {name: side, image: "nginx"}]}
`;

const setup = ["apply -f all.yaml", "rollout status deployment/web", "wait --for=condition=Ready pod/lone"];

export const getScenes: readonly Scene[] = [
  {
    name: "get tables",
    files: { "all.yaml": workloads },
    setup,
    steps: reads(
      "get pods",
      "get po",
      "get pod -o wide",
      "get pods --show-labels",
      "get pods -L app,tier -L pod-template-hash",
      "get pods -l app=web",
      "get pods -l app!=web",
      "get pods -l 'app in (web,lone)' --no-headers",
      "get pods --field-selector status.phase=Running",
      "get pods --field-selector metadata.name=lone",
      "get pods --sort-by=.metadata.name",
      // Pods that were created within one second are in the order of their names.
      "get pods --sort-by={.metadata.creationTimestamp} -l app=web",
      "get pods --sort-by=.nothing",
      "get pods --show-kind",
      "get pods,svc",
      "get pods,services,deployments -o wide",
      "get deploy/web svc/web",
      "get deploy web nope",
      "get pod lone",
      "get pods lone nope",
      "get pod nope",
      "get pod nope --ignore-not-found",
      "get all",
      "get all -A --field-selector metadata.name=nope",
      "get cm",
      "get cm -A",
      "get pods -A",
      "get ns",
      "get ns -A",
      "get nodes",
      "get nodes --show-labels",
      "get sc,ns",
      "get deployments.apps",
      "get deployments.v1.apps",
      "get Deployment",
      "get jobs",
      "get jobs,cronjobs",
      "get jobs -A",
      "get secrets -l nope=1",
      "get cm -n kube-public",
      "get pods -n nowhere",
      "get pod x -n nowhere",
      "get nosuch",
      "get nosuch.example.com",
      "get pod/lone cm",
      "get pod/lone/x",
      "get pod/",
      "get",
      "get pods -l 'a b'",
      "get pods -l ==",
      "get pods --field-selector nope=1",
      "get pods -o wrong",
      "get pods --wrong",
      "get pods -z",
      "get pods -o",
      "get pods --show-labels -o json",
      "get pods --output-watch-events",
      "get pod lone -A",
      "get pod lone -l app=lone",
      "get -f all.yaml",
      "get -f nope.yaml",
      "get -f all.yaml pods",
      "get cm settings --subresource=status",
      "get deploy web --subresource=scale",
      "get deploy web --subresource=status",
      "get clusterroles --no-headers -l nope",
      "get events.events.k8s.io -l nope=1",
      "get apiservices",
      "get --raw /version",
      "get --raw /apis/apps/v1/nothing",
      "get --raw /livez -o json",
      "get pods --context nope",
      "gett pods",
      "foo",
    ),
  },
  {
    name: "get objects",
    files: {
      "all.yaml": workloads,
      "t.tmpl": "{{range .items}}{{.metadata.name}};{{end}}",
      "cols.txt": "NAME IMAGE\nmetadata.name .spec.containers[0].image\n",
      "p.jp": "{.items[*].metadata.name}",
    },
    setup,
    steps: reads(
      "get cm settings -o yaml",
      "get cm settings -o json",
      "get pod lone -o yaml",
      "get pod lone -o json",
      "get deploy web -o yaml",
      "get cm settings -o json --show-managed-fields",
      "get cm -o yaml",
      "get pods -o json -l app=web",
      "get cm,svc -o yaml",
      "get cm settings other -o yaml",
      "get cm/settings -o name",
      "get deploy,cm -o name",
      "get pods -o name -l nope=1",
      "get pods -o json -l nope=1",
      "get pod nope -o json",
      "get pod lone nope -o json",
      "get pod lone nope -o name",
      "get pod nope -o yaml --ignore-not-found",
      "get nodes -o name",
      "get pods -o jsonpath='{.items[*].metadata.name}'",
      'get pods -o jsonpath=\'{range .items[*]}{.metadata.name}{"\\t"}{.status.phase}{"\\n"}{end}\'',
      "get pod lone -o jsonpath='{.spec.containers[*].image}'",
      "get pod lone -o jsonpath={.spec.containers[0].name}",
      "get pod lone -o jsonpath={.spec.containers[-1].name}",
      "get pod lone -o jsonpath={.spec.containers[0:2].name}",
      "get pod lone -o jsonpath={.metadata.labels}",
      "get pod lone -o jsonpath={.spec.containers}",
      "get pod lone -o jsonpath={.nope}",
      "get pod lone -o jsonpath={.spec.containers[5].name}",
      "get pod lone -o jsonpath='{.metadata.name} and {.kind}'",
      "get pod lone -o jsonpath=\"{['metadata','spec'].name}\"",
      "get pod lone -o jsonpath='{.spec.containers[?(@.name==\"side\")].image}'",
      "get pod lone -o jsonpath='{.status.conditions[?(@.type==\"Ready\")].status}'",
      "get cm settings -o jsonpath='{.data.file\\.txt}'",
      "get cm settings -o jsonpath=\"{.data['file\\.txt']}\"",
      "get pod lone -o jsonpath-as-json={.spec.containers[*].name}",
      "get pod lone -o jsonpath={.metadata.name",
      "get pod lone -o jsonpath=metadata.name",
      "get pod lone -o jsonpath=",
      "get pods -o jsonpath-file=p.jp",
      "get pods -o jsonpath='{.items[?(@.metadata.labels.app==\"web\")].metadata.labels.app}'",
      "get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[*].image,NOPE:.spec.nope",
      "get pods -o custom-columns=NAME:.metadata.name --no-headers",
      "get pods -o custom-columns-file=cols.txt",
      "get pod lone -o custom-columns=A:metadata.name,B:spec.containers[1].name",
      "get pods -o custom-columns=NAME",
      "get pods -o custom-columns=",
      "get pods -o custom-columns=NAME:.metadata.name --sort-by=.metadata.name",
      "get pods -o go-template='{{range .items}}{{.metadata.name}}{{\"\\n\"}}{{end}}'",
      "get pods -o go-template-file=t.tmpl",
      "get pods -o template --template='{{len .items}}'",
      "get pods --template='{{len .items}}'",
      "get pod lone -o go-template='{{.nope}}'",
      "get pod lone -o go-template='{{.metadata.labels}} {{.spec.containers}}'",
      "get cm settings -o go-template='{{range $k, $v := .data}}{{$k}}={{$v | printf \"%q\"}} {{end}}'",
      "get cm settings -o go-template='{{if eq .data.color \"blue\"}}yes{{else}}no{{end}}'",
      "get pod lone -o go-template='{{(index .spec.containers 0).name}} {{index .metadata.labels \"app\"}}'",
      "get pod lone -o go-template='{{with .metadata}}{{.name}}{{end}}'",
      "get pod lone -o go-template='{{.metadata.name'",
      "get pod lone -o go-template=",
      "get deploy web --subresource=scale -o yaml",
      "get pods --sort-by=.metadata.name -o name",
    ),
  },
];
