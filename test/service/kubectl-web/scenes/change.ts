// Commands that change existing objects: label, annotate, scale, patch, replace, set, delete, wait, taint.
import { type Scene, type Step, fromCommands, sortedLines } from "../play.ts";

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: "nginx:1.27", env: [{name: A, value: "1"}]}
      - {name: side, image: busybox, command: [sleep, 1d]}
`;
const settings = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue}
`;
/** A pod whose container has a variable twice. */
const twice = `apiVersion: v1
kind: Pod
metadata: {name: twice}
spec:
  containers:
  - {name: a, image: busybox, env: [{name: A, value: "1"}, {name: B, value: "2"}, {name: A, value: "3"}]}
`;
const setup = ["create -f web.yaml -f settings.yaml", "rollout status deployment/web"];
const files = {
  "web.yaml": web,
  "settings.yaml": settings,
  "new.yaml": settings.replace("blue", "red"),
  "patch.yaml": "data:\n  size: big\n",
  "twice.yaml": twice,
  "gone.yaml": settings.replace("settings", "nothere"),
};

export const changeScenes: readonly Scene[] = [
  {
    name: "labels and annotations",
    files,
    setup,
    steps: [
      "cm settings a=b",
      "cm settings a=b",
      "cm settings a=c",
      "cm settings a=c --overwrite",
      "cm settings a- nope-",
      "cm/settings x=1 y=2",
      "cm settings",
      "a=b",
      "cm settings a=b cm",
      "cm nope a=b",
      "cm settings a=b c=d --dry-run=client",
      "cm settings a=b --dry-run=server -o yaml",
      "cm --all all=yes",
      "deploy,cm -l app=web both=1",
      "cm settings bad=a=b",
      "cm settings bad='a b'",
      "cm settings 'b d=a'",
      "-f settings.yaml file=1",
      "-f settings.yaml local=1 --local -o yaml",
      "cm settings a=1 a-",
      "cm settings a=b --resource-version=1",
      "cm settings r=1 --resource-version=1",
      "--all a=b -l x=y",
      "cm settings q=1 -o json",
      "nosuch x a=b",
      "cm settings =a",
    ]
      .flatMap((line): (string | Step)[] => [`label ${line}`, `annotate ${line}`])
      .concat(["label", "annotate"].map((word) => ({ line: `${word} cm settings --list`, as: sortedLines }))),
  },
  {
    name: "scale",
    files,
    setup,
    steps: [
      "scale deployment web --replicas=3",
      // The controller writes the status meanwhile, which would be a conflict.
      { line: "rollout status deployment/web", as: (text) => text.split("\n").slice(-2).join("\n") },
      "scale deployment/web --replicas=1 --current-replicas=3",
      "scale deployment/web --replicas=1 --current-replicas=3",
      "scale deployment web",
      "scale deployment web --replicas=-1",
      "scale deployment web --replicas=x",
      {
        line: "scale deployment nope --replicas=1",
        since136: (text) => text && 'Error from server (NotFound): deployments.apps "nope" not found\n',
      },
      "scale cm settings --replicas=1",
      "scale --replicas=1",
      "scale deploy --all --replicas=2",
      "scale deploy -l app=nope --replicas=2",
      "scale -f web.yaml --replicas=2",
      "scale deploy web --replicas=5 --dry-run=client",
      "scale deploy web --replicas=5 --dry-run=server",
      "scale deploy web --replicas=2 -o name",
      "scale deploy web --replicas=2 --resource-version=1",
      "autoscale deployment web --max=5",
      "autoscale deployment web --min=2 --max=1",
      "autoscale deployment web",
      "autoscale deployment web --max=5 --name=dry --dry-run=client",
      "autoscale cm settings --max=5",
      "get hpa",
    ],
  },
  {
    name: "patch and replace",
    files,
    setup,
    steps: [
      `patch cm settings -p '{"data":{"size":"big"}}'`,
      `patch cm settings -p '{"data":{"size":"big"}}'`,
      `patch cm settings --type=merge -p '{"data":{"size":null}}'`,
      `patch cm settings --type=json -p '[{"op":"add","path":"/data/x","value":"y"}]'`,
      `patch cm settings --type=json -p '[{"op":"remove","path":"/data/nope"}]'`,
      "patch cm settings --patch-file=patch.yaml",
      "patch cm settings --patch-file=nope.yaml",
      "patch cm settings -p 'data: {y: \"1\"}'",
      "patch cm settings",
      "patch cm settings -p x --patch-file=y",
      "patch cm settings -p '{' ",
      "patch cm settings --type=wrong -p '{}'",
      "patch cm nope -p '{}'",
      `patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:1.36"}]}}}}'`,
      `patch deploy web -p '{"spec":{"replicas":"x"}}'`,
      `patch deploy web -p '{"spec":{"replicas":3}}' --dry-run=client -o jsonpath={.spec.replicas}`,
      `patch deploy web -p '{"spec":{"replicas":3}}' --dry-run=server`,
      `patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":1}}'`,
      `patch -f settings.yaml --local -p '{"data":{"local":"yes"}}' -o yaml`,
      "replace -f new.yaml",
      "replace -f gone.yaml",
      "replace -f new.yaml -o yaml",
      "replace",
      { line: "replace -f new.yaml --force", since136: deletedFrom },
      "replace -f new.yaml --grace-period=0",
      "replace -f new.yaml --dry-run=client",
      "get cm settings -o jsonpath={.data}",
    ],
  },
  {
    name: "set",
    files,
    setup,
    steps: [
      "set image deployment/web nginx=nginx:1.28",
      "set image deployment/web nginx=nginx:1.28",
      "set image deploy web '*=nginx:1.29'",
      "set image deploy web nope=x",
      "set image deploy web",
      "set image nginx=x",
      "set image deploy nope nginx=x",
      "set image cm settings a=b",
      "set image deploy web nginx=a --dry-run=client -o jsonpath={.spec.template.spec.containers[*].image}",
      "set image -f web.yaml nginx=local --local -o jsonpath={.spec.template.spec.containers[*].image}",
      "set env deployment/web B=2 C=3",
      "set env deployment/web --list",
      "set env deployment/web A- -c nginx",
      "set env deployment/web --from=configmap/settings --prefix=P_",
      "set env deployment/web --list",
      "set env deployment/web B=9 --overwrite=false",
      "set env deployment/web",
      "set env",
      "set resources deploy web -c nginx --limits=cpu=200m,memory=64Mi --requests=cpu=100m",
      "set resources deploy web",
      "set resources deploy web --limits=cpu=x",
      "set resources deploy web -c nope --limits=cpu=1",
      "set serviceaccount deploy web default",
      "set serviceaccount deploy web nope --dry-run=client",
      "set sa",
      "set selector cm settings a=b",
      { line: "set", as: fromCommands },
      "set nope",
      "get deploy web -o jsonpath={.spec.template.spec.containers}",
    ],
  },
  {
    name: "environment variables",
    files,
    setup,
    steps: [
      "set env deployment/web X=1 X=2 -c side",
      "get deploy web -o jsonpath={.spec.template.spec.containers[1].env}",
      "set env deployment/web -e X-",
      "get deploy web -o jsonpath={.spec.template.spec.containers[1].env}",
      "set env deployment/web 1A=x deploy/web",
      "set env deployment/web a*b=x",
      "set env -f twice.yaml --local A=9 -o jsonpath={.spec.containers[0].env}",
      "set env -f twice.yaml --local C=3 -o jsonpath={.spec.containers[0].env}",
    ],
  },
  {
    name: "wait and delete",
    files,
    setup,
    steps: [
      "wait --for=condition=Available deployment/web",
      "wait --for=condition=available=false deployment/web --timeout=1s",
      "wait --for=jsonpath={.data.color}=blue cm/settings",
      "wait --for=jsonpath={.data.color}=red cm/settings --timeout=0",
      "wait --for=jsonpath={.data.nope} cm/settings --timeout=1s",
      "wait --for=delete cm/nope",
      "wait --for=delete cm/settings --timeout=1s",
      "wait --for=create cm/settings",
      "wait --for=create cm/nope --timeout=1s",
      "wait --for=wrong cm/settings",
      "wait cm/settings",
      "wait --for=condition=Ready pod -l app=web",
      "wait --for=condition=Ready pod -l app=nope",
      "wait --for=condition=Ready pod --all -A --timeout=0s -l nope=1",
      "delete cm nope",
      "delete cm nope --ignore-not-found",
      "delete cm settings --dry-run=client",
      "delete cm settings --dry-run=server",
      "delete cm/settings -o name",
      "delete -f settings.yaml",
      "delete",
      "delete cm",
      "delete nosuch x",
      "delete cm -l nope=1",
      "delete cm settings --cascade=wrong",
      "delete cm x -o yaml",
      "delete pod -l app=web --force --now",
      "delete pod -l app=nope --force",
      "delete pods --all -l x=y",
      "delete deploy/web cm/kube-root-ca.crt cm/nope",
      "delete ns nope -n default",
      "delete deploy --all",
    ].map((line) => ({ line, since136: deletedFrom })),
  },
];

/** 1.36 names the namespace that something was deleted from. */
function deletedFrom(text: string): string {
  return text
    .replaceAll(/^((?!namespace|node)\S+ "[^"]*" (?:force )?deleted)/gm, "$1 from NS namespace")
    .replace('unrecognized condition: ""', "unrecognized condition: []");
}
