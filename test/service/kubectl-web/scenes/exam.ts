// Commands that people practise for the exams of administrators and developers. `docs/terminal.md` lists them with their verdicts.
import type { Scene } from "../play.ts";

const ready = (name: string) => `wait --for=condition=Ready pod/${name} -n $NS --timeout=120s`;

const deprecated =
  "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).\n";

export const examScenes: readonly Scene[] = [
  {
    name: "exam preparation",
    steps: [
      "config current-context",
      "run web --image=nginx:1.27 --port=80 --labels=app=web,tier=front -n $NS",
      ready("web"),
      "run once --image=busybox:1.36 --restart=Never --dry-run=client -o yaml -n $NS -- sleep 1d",
      "expose pod web --name=web --port=80 -n $NS",
      "create deployment app --image=nginx:1.27 --replicas=2 -n $NS",
      "wait --for=condition=Available deployment/app -n $NS --timeout=120s",
      "rollout status deployment/app -n $NS",
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
        since136: (text) => text.replace(/^( +metadata:)\n(?= +spec:)/m, "$1 {}\n"),
      },
      "create ingress front --rule=shop.example.com/*=web:80 --class=nginx -n $NS",
      "create quota small --hard=pods=10,requests.cpu=2 -n $NS",
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
    ],
  },
];
