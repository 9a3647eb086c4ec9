// `kubectl create` and its subcommands, `expose`.
import { type Scene, fromCommands } from "../play.ts";

const dry = ["deployment web --image=nginx --image=busybox:1.36", "deployment web --image=nginx --port=80 --replicas=3 -- sh -c 'sleep 1'", "job j --image=busybox -- date", "cronjob c --image=busybox --schedule='*/5 * * * *' -- date", "ingress i --rule='foo.com/bar*=svc:80,tls=cert' --rule='foo.com/x=svc:http' --class=nginx --annotation=a=b", "ingress i --default-backend=svc:80", "service clusterip s --tcp=80:8080 --tcp=443", "service clusterip s --clusterip=None", "service nodeport s --tcp=80:http --node-port=30080", "service loadbalancer s --tcp=80", "service externalname s --external-name=example.com", "configmap c --from-literal=a=b --from-literal=c=d=e", "configmap c --from-file=conf.txt --from-file=key=conf.txt", "configmap c --from-file=dir", "configmap c --from-env-file=vars.env", "configmap c --from-literal=a=b --append-hash", "configmap c", "secret generic s --from-literal=a=b --type=mine", "secret generic s --from-file=conf.txt --append-hash", "secret docker-registry d --docker-username=u --docker-password=p --docker-email=e@x.y", "role r --verb=get --verb=list --resource=pods,deployments.apps,pods/log", "role r --verb=get --resource=pods --resource-name=a --resource-name=b", "clusterrole r --verb=get --resource=nodes", "clusterrole r --verb=get --non-resource-url=/healthz", "clusterrole r --aggregation-rule=a=b", "rolebinding r --role=x --user=u --group=g --serviceaccount=ns:sa", "clusterrolebinding r --clusterrole=x --user=u", "namespace n", "serviceaccount s", "quota q --hard=cpu=1,pods=10 --scopes=BestEffort", "poddisruptionbudget p --selector=app=x --min-available=1", "pdb p --selector='app in (a,b)' --max-unavailable=50%", "priorityclass p --value=100 --description=hi --global-default"];

const refused = ["deployment web", "deployment --image=x", "deployment a b --image=x", "deployment web --image=a --image=b -- cmd", "job j", "job j --image=a --from=cronjob/x", "job j --from=cronjob/nope", "cronjob c --image=x", "ingress i", "ingress i --rule=bad", "ingress i --default-backend=x", "service clusterip s", "service clusterip s --tcp=x", "service externalname s", "service", "service foo", "configmap c --from-literal=a", "configmap c --from-literal=a=1 --from-literal=a=2", "configmap c --from-file=nope", "configmap c --from-literal='a b=c'", "configmap c --from-env-file=vars.env --from-literal=a=b", "secret", "secret generic s --from-literal='a b=c'", "secret docker-registry d", "secret tls t", "secret tls t --cert=nope --key=nope", "role r", "role r --verb=get", "role r --verb=get --resource=nosuch", "role r --verb=use --resource=pods", "clusterrole r --verb=get", "clusterrole r --verb=list --non-resource-url=x", "rolebinding r", "rolebinding r --role=a --serviceaccount=x", "clusterrolebinding r", "quota q --hard=cpu", "quota q --hard=cpu=x", "pdb p", "pdb p --selector=a=b", "pdb p --selector=a=b --min-available=1 --max-unavailable=2", "nosuch x", "", "-f nope.yaml", "x y", "configmap c --dry-run=wrong", "configmap c --validate=wrong -o yaml --dry-run=client"];

const manifest = `apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {a: b}
---
apiVersion: v1
kind: Secret
metadata: {name: two, labels: {a: b}}
stringData: {a: b}
`;

export const createScenes: readonly Scene[] = [
  {
    name: "create without sending",
    files: { "conf.txt": "hello\nworld\n", "dir/a.txt": "A", "dir/b.txt": "B\n", "vars.env": "# a comment\nA=1\nB=two words\n\nC=\n" },
    steps: [
      ...dry.map((line) => `create ${line} --dry-run=client -o yaml`),
      "create deployment web --image=nginx --dry-run=client -o json",
      "create service nodeport s --tcp=80 --dry-run=client -o json",
      "create job j --image=busybox --dry-run=client -o json",
      "create configmap c --from-literal=a=b --dry-run=client",
      "create configmap c --from-literal=a=b --dry-run=client -o name",
      "create configmap c --from-literal=a=b --dry-run=server",
      "create configmap c --from-literal=a=b --dry-run=client -o jsonpath={.data.a}",
      "create configmap c --from-literal=a=b --dry-run=client -o yaml --save-config",
      "create namespace n --dry-run=client -o yaml -n elsewhere",
      "create configmap c --dry-run=client -o yaml -n elsewhere",
    ],
  },
  { name: "create refused", files: { "vars.env": "A=1\n" }, steps: refused.map((line) => ({ line: `create ${line}`, ...(/^(service|secret)$/.test(line) ? { as: fromCommands } : {}) })) },
  {
    name: "create and expose",
    files: {
      "two.yaml": manifest,
      "bad.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\nfoo: bar\n",
      "kind.yaml": "apiVersion: x.y/v1\nkind: Nope\nmetadata: {name: bad}\n",
      "broken.yaml": "a: [",
      "text.yaml": "just text\n",
      "nokind.yaml": "metadata: {name: x}\n",
      "invalid.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: Bad_Name}\nspec: {containers: []}\n",
      "elsewhere.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: default}\n",
      "list.yaml": "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l1}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: l2}}\n",
      "folder/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: f1}\n",
      "folder/b.json": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"f2"}}',
      "folder/c.txt": "ignored",
    },
    steps: [
      "create -f two.yaml",
      "create -f two.yaml",
      "create -f two.yaml --dry-run=client -o yaml",
      "create -f bad.yaml",
      "create -f bad.yaml --validate=warn",
      "create -f bad.yaml --validate=false",
      "create -f kind.yaml",
      { line: "create -f broken.yaml", as: (text) => text.slice(0, 60) },
      "create -f text.yaml",
      "create -f nokind.yaml",
      "create -f invalid.yaml",
      "create -f elsewhere.yaml -n $NS",
      "create -f list.yaml",
      "create -f folder",
      "create -f folder -l a=b",
      { line: "create -f -", input: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stdin}\n" },
      "create configmap direct --from-literal=a=b",
      "create configmap direct --from-literal=a=b",
      "create configmap Bad_Name",
      "create deployment web --image=nginx --port=80 --replicas=2",
      "create quota q --hard=pods=10",
      "create job j --image=busybox -- true",
      "create cronjob c --image=busybox --schedule='*/5 * * * *' -- date",
      "create job manual --from=cronjob/c",
      "create serviceaccount s",
      "create role r --verb=get --resource=pods",
      "create rolebinding r --role=r --serviceaccount=$NS:s",
      { line: "create token s", as: (text) => (text.startsWith("ey") ? "<token>" : text) },
      "create token nope",
      "create token s --duration=1ms",
      "expose deployment web",
      "expose deployment web --name=other --port=8080 --target-port=80 --type=NodePort",
      "expose deployment web --name=dry --dry-run=client -o yaml",
      "expose deployment web",
      "expose deployment nope",
      "expose cm one",
      "expose svc web --name=third",
      "expose deployment web --name=x --port=abc",
      "expose deployment web --name=headless --cluster-ip=None",
      "get cm,svc,quota",
    ],
  },
];
