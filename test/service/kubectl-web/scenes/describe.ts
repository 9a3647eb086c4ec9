// `kubectl describe` of the kinds that have a description of their own, and of others.
import { type Scene, reads } from "../play.ts";

// Configuration first: no mount fails, so the events are the same in every run.
const all = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {color: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: pass}
stringData: {word: hush}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}, annotations: {note: "a: b"}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {x: "y"}}
    spec:
      initContainers: [{name: first, image: busybox, command: [sh, -c, "echo one\\necho two"]}]
      containers:
      - name: nginx
        image: nginx:1.27
        ports: [{containerPort: 80, name: http}, {containerPort: 443}]
        resources: {limits: {cpu: 200m, memory: 128Mi}, requests: {cpu: 100m, memory: 64Mi}}
        livenessProbe: {httpGet: {path: /, port: 80}}
        readinessProbe: {tcpSocket: {port: http}, periodSeconds: 5}
        startupProbe: {exec: {command: [cat, /etc/hostname]}}
        env:
        - {name: A, value: "1"}
        - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        - {name: COLOR, valueFrom: {configMapKeyRef: {name: settings, key: color}}}
        - {name: PASS, valueFrom: {secretKeyRef: {name: pass, key: word, optional: true}}}
        - {name: CPU, valueFrom: {resourceFieldRef: {containerName: nginx, resource: limits.cpu}}}
        envFrom: [{configMapRef: {name: settings}, prefix: S_}, {secretRef: {name: pass}}]
        volumeMounts: [{name: conf, mountPath: /conf, readOnly: true}, {name: tmp, mountPath: /tmp, subPath: x}]
      volumes:
      - {name: conf, configMap: {name: settings}}
      - {name: tmp, emptyDir: {sizeLimit: 1Gi}}
      - {name: sec, secret: {secretName: pass}}
      - {name: host, hostPath: {path: /var/log}}
      nodeSelector: {kubernetes.io/os: linux}
      tolerations: [{key: a, operator: Equal, value: b, effect: NoSchedule}, {key: c, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
      topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}]
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, selector: {app: web}, ports: [{port: 80, targetPort: http, name: http}, {port: 443, name: https}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: redis}]}}
  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: a, image: busybox, command: [sleep, 1d]}]}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: j, image: busybox, command: ["true"]}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: tick}
spec: {schedule: "0 0 1 1 *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: j, image: busybox}]}}}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  tls: [{hosts: [a.example.com], secretName: cert}]
  rules: [{host: a.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}, {path: /x, pathType: Prefix, backend: {service: {name: nope, port: {number: 1}}}}]}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: deny}
spec:
  podSelector: {matchLabels: {app: web}}
  policyTypes: [Ingress, Egress]
  ingress: [{from: [{podSelector: {matchLabels: {a: b}}, namespaceSelector: {}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}], ports: [{port: 80}]}, {}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: ["", apps], resources: [pods, deployments, pods/log], verbs: [get, list]}, {apiGroups: [""], resources: [secrets], resourceNames: [x], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: default, namespace: x}, {kind: User, name: u, apiGroup: rbac.authorization.k8s.io}]
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {configmaps: "50", pods: "100", services: "10"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: PersistentVolumeClaim, max: {storage: 5Gi}}, {type: Container, default: {memory: 512Mi}}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: nowhere}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: stuck}
spec: {nodeSelector: {moon: "yes"}, containers: [{name: c, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: crashed}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [sh, -c, "exit 3"]}]}
`;

export const describeScenes: readonly Scene[] = [
  {
    name: "describe",
    files: { "all.yaml": all },
    setup: [
      "apply -f all.yaml",
      "rollout status deploy/web",
      "rollout status sts/db",
      "wait --for=condition=Complete job/once",
      "wait --for=jsonpath={.status.phase}=Failed pod/crashed",
      "wait --for=condition=AbleToScale=false hpa/web",
    ],
    steps: reads(
      "describe deployment web",
      "describe rs",
      "describe pods",
      "describe pod stuck",
      "describe po crashed",
      "describe pod web",
      "describe svc web",
      "describe cm settings",
      "describe secret pass",
      "describe sts db",
      "describe ds agent",
      "describe job once",
      "describe cronjob tick",
      "describe ingress web",
      "describe networkpolicy deny",
      "describe role reader",
      "describe rolebinding reader",
      "describe quota quota",
      "describe limits limits",
      "describe pdb web",
      "describe pvc",
      "describe sa default",
      "describe ns $NS",
      "describe nodes",
      "describe sc",
      "describe priorityclass system-node-critical",
      "describe clusterrole view",
      "describe clusterrolebinding cluster-admin",
      "describe endpointslices -l nope=1",
      "describe deploy/web svc/web",
      "describe deploy -l app=nope",
      "describe deploy nope",
      "describe",
      "describe nosuch",
      "describe pod web --show-events=false",
      "describe -f all.yaml -l app=web",
      "describe ippools",
      "describe lease -n kube-node-lease node-1",
      "describe hpa web",
    ).map((step) => ({ ...step, since136: newer, as: ports })),
  },
];

/** Removes the text that differs between 1.36 and the version of the real cluster. */
function newer(text: string): string {
  return text
    .replaceAll(/spec\.\w+\{[\w-]+\}: /g, "")
    .replaceAll(/^(Mountable secrets|Tokens|\s*Kube-Proxy Version):.*\n/gm, "");
}

function ports(text: string): string {
  return (
    text
      .replaceAll(/^( *(?:Host )?Ports?: .*)$/gm, (line) => line.replaceAll(/ \([\w-]+\)/g, ""))
      .replaceAll(/^Time Zone:.*\n/gm, "")
      // Depends on whether the claim or the pod is reconciled first.
      .replaceAll(/^.*WaitForPodScheduled.*\n/gm, "")
      .replaceAll(/spec\.\w+\{[\w-]+\}: /g, "")
  );
}
