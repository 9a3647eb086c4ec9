// Incidents of courses: objects, and kubectl's output after the failure.

export interface Incident {
  readonly name: string;
  /** Commands, in order; `apply` takes the manifest. */
  readonly commands: readonly string[];
  readonly manifest?: string;
  /** Command lines whose outputs are golden, errors too. */
  readonly shows: readonly string[];
  /** True if the incident changes nodes and therefore needs a sandbox of its own. */
  readonly isAlone?: true;
  /** A pattern that the output of the last command matches once the incident has happened. */
  readonly until: RegExp;
}

const apply = ["apply -f -"];

function pod(name: string, container: string, more = ""): string {
  return `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  terminationGracePeriodSeconds: 1
${more}
  containers:
    - name: main
${container
  .trim()
  .split("\n")
  .map((line) => `      ${line}`)
  .join("\n")}
`;
}

const nginx = "image: nginx:1.27";

function ofPod(name: string, until: RegExp, container: string, more = ""): Incident {
  return { name, commands: apply, manifest: pod(name, container, more), shows: [`describe pod ${name}`], until };
}

export const incidents: readonly Incident[] = [
  ofPod("image-name-mistyped", /Reason: +ImagePullBackOff[^]*Error: ImagePullBackOff/, "image: ngnix"),
  ofPod("image-tag-mistyped", /Reason: +ImagePullBackOff[^]*Error: ImagePullBackOff/, "image: nginx:1.161"),
  ofPod(
    "image-never-pulled",
    /ErrImageNeverPull/,
    `image: my-company/app:1
imagePullPolicy: Never`,
  ),
  ofPod(
    "crash-loop",
    /Reason: +CrashLoopBackOff/,
    `image: busybox:1.36
command: [sh, -c, "echo no database >&2; exit 1"]`,
  ),
  ofPod(
    "out-of-memory",
    /Reason: +CrashLoopBackOff/,
    `image: polinux/stress
command: [stress]
args: ["--vm", "1", "--vm-bytes", "250M", "--vm-hang", "1"]
resources: { requests: { memory: 50Mi }, limits: { memory: 100Mi } }`,
  ),
  ofPod("pending-cpu", /FailedScheduling/, `${nginx}\nresources: { requests: { cpu: "100" } }`),
  {
    ...ofPod("pending-taint", /FailedScheduling/, nginx, "  nodeSelector: { kubernetes.io/hostname: node-3 }"),
    isAlone: true,
    commands: ["taint nodes node-3 team=a:NoSchedule", "apply -f -"],
  },
  ofPod("pending-node-selector", /FailedScheduling/, nginx, "  nodeSelector: { disktype: ssd }"),
  ofPod(
    "pending-affinity",
    /FailedScheduling/,
    nginx,
    `  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: cache } } }`,
  ),
  {
    name: "claim-unbound",
    commands: apply,
    // The claim comes first, so that the scheduler never finds it missing.
    manifest: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: fast
  resources: { requests: { storage: 1Gi } }
---
${pod(
  "claim-unbound",
  `${nginx}\nvolumeMounts: [{ name: data, mountPath: /data }]`,
  "  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]",
)}`,
    shows: ["describe pvc data", "describe pod claim-unbound"],
    until: /unbound immediate/,
  },
  ofPod(
    "liveness-fails",
    /Reason: +CrashLoopBackOff/,
    `${nginx}
livenessProbe: { httpGet: { path: /healthz, port: 80 }, periodSeconds: 1, failureThreshold: 2 }`,
  ),
  ofPod(
    "readiness-fails",
    /Unhealthy/,
    `${nginx}
readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 }`,
  ),
  ofPod(
    "init-fails",
    /Reason: +CrashLoopBackOff/,
    nginx,
    `  initContainers:
    - { name: wait, image: "busybox:1.36", command: [sh, -c, "echo no such host; exit 2"] }`,
  ),
  ofPod(
    "config-map-missing",
    /configmap "settings" not found/,
    `${nginx}
env: [{ name: MODE, valueFrom: { configMapKeyRef: { name: settings, key: mode } } }]`,
  ),
  ofPod(
    "secret-missing",
    /FailedMount/,
    `${nginx}
volumeMounts: [{ name: tls, mountPath: /tls }]`,
    "  volumes: [{ name: tls, secret: { secretName: tls } }]",
  ),
  ofPod("command-wrong", /Reason: +CrashLoopBackOff/, `${nginx}\ncommand: [ngnix]`),
  {
    name: "quota-exceeded",
    commands: ["create namespace team", "create quota small --hard=pods=1 -n team", "apply -n team -f -"],
    manifest: deployment("quota-exceeded", nginx, "  replicas: 3"),
    shows: ["describe replicaset -n team -l app=quota-exceeded", "describe quota -n team"],
    until: /pods +1 +1/,
  },
  {
    name: "selector-mismatch",
    commands: [...apply, "expose pod selector-mismatch --port=80 --selector=app=mismatch"],
    manifest: pod("selector-mismatch", nginx),
    shows: ["describe service selector-mismatch"],
    until: /Endpoints: *\n|Endpoints: *<none>/,
  },
  {
    name: "rollout-stuck",
    commands: [
      ...apply,
      "rollout status deployment/rollout-stuck",
      "set image deployment/rollout-stuck main=nginx:latst",
    ],
    manifest: deployment("rollout-stuck", nginx, "  progressDeadlineSeconds: 5\n  minReadySeconds: 0"),
    shows: ["rollout status deployment/rollout-stuck --timeout=1s", "describe deployment rollout-stuck"],
    until: /ProgressDeadlineExceeded/,
  },
  {
    name: "evicted-by-taint",
    isAlone: true,
    commands: [
      ...apply,
      "wait pod evicted-by-taint --for=condition=Ready",
      "taint nodes node-2 maintenance=now:NoExecute",
    ],
    manifest: pod("evicted-by-taint", nginx, "  nodeSelector: { kubernetes.io/hostname: node-2 }"),
    shows: [
      "get events --field-selector involvedObject.name=evicted-by-taint -o custom-columns=TYPE:.type,REASON:.reason,FROM:.source.component,MESSAGE:.message --sort-by=.metadata.name",
    ],
    until: /TaintManagerEviction/,
  },
  {
    name: "drain-blocked",
    isAlone: true,
    commands: [
      ...apply,
      "rollout status deployment/drain-blocked",
      "create poddisruptionbudget drain-blocked --selector=app=drain-blocked --min-available=1",
      "wait poddisruptionbudget drain-blocked --for=jsonpath={.status.currentHealthy}=1",
    ],
    manifest: deployment("drain-blocked", nginx, "", "      nodeSelector: { kubernetes.io/hostname: node-1 }"),
    shows: [
      "drain node-1 --pod-selector=app=drain-blocked --timeout=1s",
      "uncordon node-1",
      "describe pdb drain-blocked",
    ],
    until: /Allowed disruptions: *0/,
  },
  {
    name: "job-backoff-limit",
    commands: apply,
    manifest: `
apiVersion: batch/v1
kind: Job
metadata: { name: job-backoff-limit }
spec:
  backoffLimit: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: "busybox:1.36", command: [sh, -c, "exit 3"] }]
`,
    shows: ["describe job job-backoff-limit"],
    until: /BackoffLimitExceeded/,
  },
  {
    ...ofPod("readiness-gate", /Started/, nginx, '  readinessGates: [{ conditionType: "example.com/ready" }]'),
    shows: ["get pod readiness-gate -o wide", "describe pod readiness-gate"],
  },
  {
    ...ofPod("stuck-terminating", /Killing/, nginx),
    commands: [
      "apply -f -",
      "wait pod stuck-terminating --for=condition=Ready",
      "delete pod stuck-terminating --wait=false",
    ],
    manifest: pod("stuck-terminating", nginx).replace("labels:", "finalizers: [example.com/hold], labels:"),
  },
  {
    name: "forbidden",
    commands: [],
    shows: [
      "get secrets --as=system:serviceaccount:default:default",
      "delete node node-1 --as=ada",
      "auth can-i create deployments --as=ada",
    ],
    until: /no/,
  },
  {
    name: "node-not-ready",
    isAlone: true,
    commands: ["annotate node node-2 sandbar.dev/simulated-"],
    shows: ["get node node-2", "describe node node-2"],
    until: /NodeNotReady/,
  },
];

function deployment(name: string, container: string, more = "", podMore = ""): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
${more}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      terminationGracePeriodSeconds: 1
${podMore}
      containers: [{ name: main, ${container} }]
`;
}
