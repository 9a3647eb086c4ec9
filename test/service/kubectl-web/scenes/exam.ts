// Commands that people practise for the exams of administrators and developers. `docs/terminal.md` lists them with their verdicts.
import type { Scene, Step } from "../play.ts";
import { certificate, key, request } from "./exam-files.ts";
import { withoutUse } from "./pods.ts";

/** 1.36 names the namespace that something was deleted from. */
function deleted(line: string): Step {
  return { line, since136: (text) => text.replaceAll(/^(\S+ "[^"]*" (?:force )?deleted)/gm, "$1 from NS namespace") };
}

/** Waits for a rollout. How often it reports that pods are missing depends on the time. */
function rolledOut(name: string): Step {
  return { line: `rollout status ${name} -n $NS`, as: (text) => text.replaceAll(/^Waiting .*\n/gm, "") };
}

function withMetadata(text: string): string {
  return text.replace(/^( +metadata:)\n(?= +spec:)/m, "$1 {}\n");
}

const ready = (name: string) => `wait --for=condition=Ready pod/${name} -n $NS --timeout=120s`;

const deprecated =
  "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).\n";

const files = {
  "csr.yaml": `apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {name: jane}
spec: {signerName: kubernetes.io/kube-apiserver-client, usages: [client auth], request: ${request}}
`,
  "policy.yaml": `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}
`,
  "claim.yaml": `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: manual}
`,
  "crash.yaml": `apiVersion: v1
kind: Pod
metadata: {name: crash, labels: {app: crash}}
spec: {containers: [{name: c, image: "busybox:1.36", command: [sh, -c, "echo starting; exit 1"]}]}
`,
  "kustomization.yaml": "namePrefix: dev-\nlabels: [{pairs: {env: dev}}]\nresources: [claim.yaml]\n",
  "vars.env": "COLOR=red\nSIZE=small\n",
  "patch.yaml": "spec: {template: {spec: {terminationGracePeriodSeconds: 5}}}\n",
  "tls.crt": certificate,
  "tls.key": key,
};

const podSteps: Scene["steps"] = [
  "run tmp --image=busybox:1.36 --restart=Never -n $NS --command -- sh -c 'echo hello; echo again; sleep 1d'",
  ready("tmp"),
  "logs tmp -n $NS",
  "logs tmp --tail=1 -n $NS",
  "logs -l run=tmp -n $NS",
  "logs tmp -c tmp --timestamps -n $NS",
  "logs tmp --previous -n $NS",
  "apply -f crash.yaml -n $NS",
  { line: "get pod crash --no-headers -n $NS", until: /CrashLoop|[1-9] \(/, as: () => "" },
  "logs crash --previous -n $NS",
  "logs -p crash -c c -n $NS",
  "exec tmp -n $NS -- sh -c 'echo inside; exit 3'",
  "exec tmp -c tmp -n $NS -- cat /etc/hostname",
  "cp vars.env tmp:/tmp/vars.env -n $NS",
  "exec tmp -n $NS -- cat /tmp/vars.env",
  "cp tmp:/tmp/vars.env copy.env -n $NS",
  deleted("run seen --image=busybox:1.36 --restart=Never -i --rm -n $NS -- echo seen"),
  "run limits --image=nginx --env=A=1 --port=80 --expose --dry-run=client -o yaml -n $NS",
  "debug tmp --image=busybox:1.36 --target=tmp --container=look --profile=general -n $NS -- sleep 1d",
  "get pod tmp -o jsonpath='{.spec.ephemeralContainers}' -n $NS",
  "debug node/node-2 --image=busybox:1.36 --profile=general -n $NS -- ls /host",
  "get pods -o jsonpath='{.items[?(@.spec.hostNetwork==true)].spec}' -n $NS",
  ...["baseline", "restricted", "netadmin", "sysadmin"].flatMap((profile) => [
    `debug tmp --image=busybox:1.36 --container=${profile} --profile=${profile} -n $NS -- sleep 1d`,
    `debug tmp --image=busybox:1.36 --copy-to=${profile} --container=it --profile=${profile} --same-node -n $NS -- sleep 1d`,
    `get pod ${profile} -o jsonpath='{.spec.containers[1].securityContext} {.spec.shareProcessNamespace}' -n $NS`,
  ]),
  "get pod tmp -o jsonpath='{.spec.ephemeralContainers[*].securityContext}' -n $NS",
  "debug tmp --copy-to=again --set-image=*=busybox:1.35 --replace --keep-labels --profile=general -n $NS",
  "get pod again -o jsonpath='{.metadata.labels} {.spec.containers[*].image}' -n $NS",
  "get pod tmp -n $NS",
  "debug again --image=busybox:1.36 --profile=odd -n $NS",
  deleted("delete pod again baseline restricted netadmin sysadmin --force --grace-period=0 -n $NS"),
  "run tmp --image=busybox:1.36 --restart=Never -n $NS --command -- sh -c 'echo hello; echo again; sleep 1d'",
  ready("tmp"),
  "debug tmp --image=busybox:1.36 --copy-to=tmp-copy --container=side --profile=general -n $NS -- sleep 1d",
  "get pod tmp-copy -o jsonpath='{.metadata.labels} {.spec.shareProcessNamespace} {.spec.containers}' -n $NS",
  "exec tmp -n $NS -- sh -c 'mkdir -p /tmp/d/e; echo 1 > /tmp/d/one; echo 2 > /tmp/d/e/two'",
  "cp tmp:/tmp/d copied -n $NS",
  "create configmap copied --from-file=copied --from-file=copied/e --dry-run=client -o yaml",
  "get pod tmp -o jsonpath='{.status.phase}' -n $NS",
  `get pods -l 'run in (tmp)' -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.spec.containers[*].image}{"\\n"}{end}' -n $NS`,
  "get pods -l run=tmp --sort-by=.metadata.name --no-headers -o custom-columns=N:.metadata.name -n $NS",
  "get pods --field-selector=metadata.name=tmp --show-labels -n $NS",
  "get pods -L run --field-selector=metadata.name=tmp -n $NS",
  "get pod tmp -o go-template='{{.metadata.name}} {{range .spec.containers}}{{.image}}{{end}}' -n $NS",
  "label pods -l run=tmp stage=one -n $NS",
  "label pod tmp stage=two -n $NS",
  "label pod tmp stage=two --overwrite -n $NS",
  "label pod tmp stage- -n $NS",
  "annotate pod tmp note='one two' -n $NS",
  "annotate pod tmp note- -n $NS",
  "describe pod nope -n $NS",
  deleted("delete pod tmp --force --grace-period=0 -n $NS"),
  "get pod tmp -n $NS",
];

const workloadSteps: Scene["steps"] = [
  "create deployment api --image=nginx:1.27 --port=80 --replicas=2 --dry-run=client -o yaml -n $NS",
  "create deployment api --image=nginx:1.27 --port=80 -n $NS",
  "wait --for=condition=Available deployment/api -n $NS --timeout=120s",
  "expose deployment api --name=api-np --type=NodePort --port=8080 --target-port=80 -n $NS",
  "get service api-np -n $NS",
  "set image deploy/api nginx=nginx:1.28 -n $NS",
  rolledOut("deploy/api"),
  "rollout history deploy/api --revision=2 -n $NS",
  "rollout pause deploy/api -n $NS",
  "rollout pause deploy/api -n $NS",
  "rollout resume deploy/api -n $NS",
  "rollout undo deploy/api --to-revision=1 -n $NS",
  "rollout undo deploy/api --to-revision=9 -n $NS",
  "rollout restart deploy/api -n $NS",
  rolledOut("deploy/api"),
  "scale deploy/api --current-replicas=1 --replicas=2 -n $NS",
  "scale deploy/api --current-replicas=1 --replicas=3 -n $NS",
  "set env deploy/api MODE=test -n $NS",
  "set env deploy/api --list -n $NS",
  "set serviceaccount deploy/api robot -n $NS",
  "set selector service api-np app=other -n $NS",
  `patch deploy api -p '{"spec":{"minReadySeconds":1}}' -n $NS`,
  "patch deploy api --patch-file=patch.yaml -n $NS",
  `patch deploy api --type=json -p='[{"op":"replace","path":"/spec/replicas","value":1}]' -n $NS`,
  `patch deploy api --type=merge -p '{"metadata":{"labels":{"x":"y"}}}' -n $NS`,
  `patch deploy api --type=json -p='[{"op":"remove","path":"/spec/nope"}]' -n $NS`,
  {
    line: "create job once --image=busybox:1.36 -n $NS --dry-run=client -o yaml -- sh -c 'echo done'",
    since136: withMetadata,
  },
  "create cronjob tock --image=busybox:1.36 --schedule='0 3 * * *' -n $NS -- date",
  "create job from-tock --from=cronjob/tock -n $NS",
  "wait --for=condition=complete job/from-tock -n $NS --timeout=120s",
  "get cronjob tock -n $NS",
  deleted("delete cronjob tock -n $NS"),
  "get deploy api -o custom-columns=NAME:.metadata.name,REPLICAS:.spec.replicas -n $NS",
  deleted("delete deploy api -n $NS --wait=false"),
];

const configurationSteps: Scene["steps"] = [
  "create configmap from-file --from-file=vars.env -n $NS",
  "create configmap from-env --from-env-file=vars.env -n $NS",
  "get configmap from-env -o jsonpath='{.data}' -n $NS",
  "create secret tls shop --cert=tls.crt --key=tls.key -n $NS",
  "create secret docker-registry registry --docker-server=r.example --docker-username=u --docker-password=p -n $NS",
  "get secrets -n $NS",
  "get secret db -o jsonpath='{.data.password}' -n $NS",
  "create namespace $NS-other --dry-run=client -o yaml",
  "create priorityclass high-$NS --value=1000 --description=important",
  "create poddisruptionbudget web --selector=app=web --min-available=1 -n $NS",
  "create ingress secure --rule='shop.example.com/cart*=web:80,tls=shop' -n $NS",
  { line: "describe ingress secure -n $NS", as: (text) => text.replace(/^Address: .*$/m, "") },
  "create service nodeport np --tcp=80:8080 --node-port=30081 --dry-run=client -o yaml -n $NS",
  "create clusterrolebinding viewers-$NS --clusterrole=view --group=dev",
  "create role deployer --verb=create,update --resource=deployments.apps --resource=pods/log -n $NS",
  "describe role deployer -n $NS",
  "auth can-i create deployments --as=jane --as-group=dev -n $NS",
  "auth can-i --list --as=system:serviceaccount:$NS:robot -n $NS",
  "auth whoami",
  "apply -f policy.yaml -n $NS",
  "describe networkpolicy closed -n $NS",
  "apply -f policy.yaml -n $NS",
  "get networkpolicy -n $NS",
  "apply -f claim.yaml -n $NS",
  "get pvc -n $NS",
  "kustomize .",
  "apply -k . -n $NS",
  deleted("delete -k . -n $NS --wait=false"),
  "diff -f policy.yaml -n $NS",
  deleted("replace --force -f policy.yaml -n $NS"),
];

const clusterSteps: Scene["steps"] = [
  "apply -f csr.yaml",
  "get csr jane",
  "certificate approve jane",
  { line: "get csr jane", until: /Issued/ },
  "certificate deny jane",
  "config get-contexts -o name",
  "config set-context --current --namespace=$NS",
  "config view --minify -o jsonpath='{.contexts[0].context.namespace}'",
  "config set-credentials jane --token=abc",
  "config set-context jane --cluster=none --user=jane",
  "config use-context nope",
  "config get-users",
  "label node node-2 disk=ssd",
  "get nodes -l disk=ssd -o name",
  "label node node-2 disk-",
  "drain node-2 --ignore-daemonsets --delete-emptydir-data --force --dry-run=client --pod-selector=app=none",
  "uncordon node-2",
  "get nodes -o jsonpath='{.items[*].metadata.name}'",
  "get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints[*].effect",
  { line: "top node", until: /node-/, as: withoutUse },
  { line: "top pod web --containers -n $NS", until: /web/, as: withoutUse },
  { line: "top pod --sort-by=cpu -n kube-system", until: /coredns/, as: () => "" },
  "explain deployment.spec.strategy.rollingUpdate",
  "explain cronjob.spec --api-version=batch/v1",
  "explain networkpolicy.spec.ingress.from",
  "api-versions",
  "get --raw /readyz",
  "get --raw /api/v1/namespaces/$NS/pods/nope",
  "get storageclass",
  "get ingressclass",
  "get priorityclass high-$NS",
  "cluster-info",
  "delete priorityclass high-$NS",
  "delete clusterrolebinding viewers-$NS",
  "delete csr jane",
  deleted("delete pod,service web -n $NS --wait=false"),
  "delete all --all -n $NS --wait=false --dry-run=client -l none=here",
];

export const examScenes: readonly Scene[] = [
  {
    name: "exam preparation",
    files,
    steps: [
      "config current-context",
      "run web --image=nginx:1.27 --port=80 --labels=app=web,tier=front -n $NS",
      ready("web"),
      "run once --image=busybox:1.36 --restart=Never --dry-run=client -o yaml -n $NS -- sleep 1d",
      "expose pod web --name=web --port=80 -n $NS",
      "create deployment app --image=nginx:1.27 --replicas=2 -n $NS",
      "wait --for=condition=Available deployment/app -n $NS --timeout=120s",
      rolledOut("deployment/app"),
      "scale deployment app --replicas=3 -n $NS",
      "set image deployment/app nginx=nginx:1.28 -n $NS",
      "annotate deployment app kubernetes.io/change-cause=two -n $NS",
      { line: "rollout history deployment/app -n $NS", until: /two/ },
      "rollout undo deployment/app -n $NS",
      {
        line: "autoscale deployment app --min=2 --max=5 --cpu-percent=80 -n $NS",
        since136: (text) => text || deprecated,
      },
      "set resources deployment app --limits=cpu=200m,memory=128Mi --requests=cpu=100m -n $NS",
      "create configmap settings --from-literal=color=blue --from-literal=size=large -n $NS",
      "create secret generic db --from-literal=password=s3cret -n $NS",
      {
        line: "set env deployment/app --from=configmap/settings -n $NS",
        // In the order of a map.
        as: (text) => text.split("\n").sort().join("\n"),
      },
      "get configmap settings -o jsonpath={.data.color} -n $NS",
      "create serviceaccount robot -n $NS",
      "create role reader --verb=get,list --resource=pods -n $NS",
      "create rolebinding robot-reads --role=reader --serviceaccount=$NS:robot -n $NS",
      "auth can-i list pods --as=system:serviceaccount:$NS:robot -n $NS",
      "auth can-i delete pods --as=system:serviceaccount:$NS:robot -n $NS",
      "create clusterrole node-reader-$NS --verb=get --resource=nodes --dry-run=client -o yaml",
      "create job count --image=busybox:1.36 -n $NS -- echo done",
      {
        line: "create cronjob tick --image=busybox:1.36 --schedule='*/5 * * * *' -n $NS --dry-run=client -o yaml",
        since136: withMetadata,
      },
      "create ingress front --rule=shop.example.com/*=web:80 --class=nginx -n $NS",
      "create quota small --hard=pods=10,requests.cpu=2 -n $NS",
      // The controller counts after the creation.
      "wait --for=jsonpath={.status.hard.pods}=10 quota/small -n $NS",
      // Pods of the job may have ended.
      { line: "describe quota small -n $NS", as: (text) => text.replace(/^pods +\d+/m, "pods <n>") },
      deleted("delete quota small -n $NS"),
      "label pod web team=a -n $NS",
      "get pods -l app=web -o wide --no-headers -n $NS",
      "get pods web -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image -n $NS",
      "explain pod.spec.containers.livenessProbe --recursive=false",
      "cordon node-2",
      "uncordon node-2",
      "taint nodes node-3 dedicated=exam:NoSchedule",
      "taint nodes node-3 dedicated=exam:NoSchedule-",
      "get events --field-selector=reason=NoSuchReason -n $NS",
      "api-resources --api-group=networking.k8s.io",
      ...workloadSteps,
      ...configurationSteps,
      ...clusterSteps,
    ],
  },
  {
    name: "exam containers",
    files,
    steps: podSteps,
  },
];
