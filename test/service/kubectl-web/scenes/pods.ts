// Commands at pods and nodes: logs, exec, attach, run, cp, debug, port-forward, top, drain and its like, events.
import { type Scene, type Step, fromCommands, reads, sortedLines } from "../play.ts";

const pods = `
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: talk}, annotations: {kubectl.kubernetes.io/default-container: b}}
spec:
  initContainers: [{name: first, image: busybox, command: [sh, -c, "echo beginning"]}]
  containers:
  - {name: a, image: busybox, command: [sh, -c, "echo one; echo two; echo three; sleep 1d"]}
  - {name: b, image: busybox, command: [sh, -c, "echo from b; sleep 1d"]}
---
apiVersion: v1
kind: Pod
metadata: {name: plain, labels: {app: talk}}
spec:
  containers:
  - {name: a, image: busybox, command: [sh, -c, "echo alpha; echo beta; sleep 1d"]}
  - {name: z, image: busybox, command: [sh, -c, "echo last; sleep 1d"]}
---
apiVersion: v1
kind: Pod
metadata: {name: ended}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [sh, -c, "echo bye; exit 3"]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: stuck}
spec: {nodeSelector: {moon: "yes"}, containers: [{name: c, image: busybox}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: w, image: busybox, command: [sh, -c, "echo web; sleep 1d"]}]}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`;
const files = { "pods.yaml": pods };
const setup = [
  "apply -f pods.yaml",
  "wait --for=condition=Ready pod/two pod/plain",
  "rollout status deploy/web",
  "wait --for=jsonpath={.status.phase}=Failed pod/ended",
];

export const podScenes: readonly Scene[] = [
  {
    name: "logs",
    files,
    setup,
    steps: reads(
      "logs two",
      "logs two -c a",
      "logs two a",
      "logs two -c a --tail=1",
      "logs two -c a --tail=2 --prefix",
      "logs two -c first",
      "logs plain",
      "logs plain -c z --timestamps",
      "logs plain --limit-bytes=3",
      "logs plain --since=1h",
      "logs plain --since-time=2020-01-01T00:00:00Z",
      "logs plain --since=1h --since-time=2020-01-01T00:00:00Z",
      "logs plain --since-time=yesterday",
      "logs plain --since=x",
      "logs plain --tail=x",
      "logs plain --tail=-5",
      "logs plain --limit-bytes=0",
      "logs -l app=nope",
      "logs -l app=talk plain",
      "logs -l app=talk -f --max-log-requests=1",
      "logs ended",
      "logs -f ended",
      "logs ended --previous",
      "logs pod/ended",
      "logs deploy/web",
      "logs deployment/web --prefix",
      "logs svc/web",
      "logs deploy/nope",
      "logs stuck",
      "logs nope",
      "logs",
      "logs a b c",
      "logs cm/kube-root-ca.crt",
      "logs two -c a --all-containers",
    ).concat(
      unordered(
        "logs -l app=talk",
        "logs plain --all-containers=true",
        "logs deploy/web --all-pods",
        "logs two --all-containers",
        "logs two --all-containers --prefix",
        "logs -l app=talk --all-containers --prefix",
      ),
      lists("logs two -c nope", "logs two --ignore-errors -c nope"),
    ),
  },
  {
    name: "exec",
    files,
    setup,
    steps: [
      ...reads(
        "exec two -- echo hello",
        "exec two -c a -- echo hello",
        "exec plain -- hostname",
        "exec plain -- sh -c 'exit 3'",
        "exec plain -- sh -c 'echo out; echo err >&2'",
        "exec plain -- nosuchprogram",
        "exec deploy/web -- echo there",
        "exec svc/web -- echo there",
        "exec pod/plain -- echo there",
        "exec nope -- true",
        "exec ended -- true",
        "exec stuck -- true",
        "exec plain",
        "exec",
        "exec plain --",
        "exec plain echo hello",
        "exec -f pods.yaml -- true",
        "exec deploy/nope -- true",
        "attach nope",
        "attach ended",
        "attach",
        "attach a b",
      ),
      ...lists("exec plain -c nope -- true"),
      { line: "exec -i plain -- cat", input: "through\n" },
      { line: "exec -i plain -- wc -l", input: "one\ntwo\n" },
      { line: "exec -it plain -- echo tty", input: "" },
    ],
  },
  {
    name: "run",
    steps: [
      "run a --image=nginx --dry-run=client -o yaml",
      "run a --image=nginx --dry-run=client -o json",
      "run a --image=nginx --dry-run=client",
      "run a --image=nginx --dry-run=server",
      "run b --image=busybox --labels=x=y,z=1 --env=A=1 --env=B=two --port=80 --restart=Never --dry-run=client -o yaml -- sleep 1",
      "run c --image=busybox --command --dry-run=client -o yaml -- sleep 1",
      "run d --image=nginx --expose --port=80 --dry-run=client -o yaml",
      "run e --image=nginx --expose --port=80",
      "get pod,svc e -o name",
      "run f --image=nginx --image-pull-policy=Always --annotations=a=b --dry-run=client -o yaml",
      `run g --image=nginx --overrides='{"spec":{"hostNetwork":true}}' --dry-run=client -o yaml`,
      `run g --image=nginx --overrides='[{"op":"add","path":"/metadata/labels/x","value":"y"}]' --override-type=json --dry-run=client -o yaml`,
      "run h --image=nginx --expose",
      "run i",
      "run --image=nginx",
      "run j --image=nginx --restart=Sometimes",
      "run k --image=nginx --rm",
      "run k --image=nginx --image-pull-policy=Maybe",
      "run l --image='a b'",
      "run m --image=nginx --env=BAD",
      "run n --image=nginx --port=x --dry-run=client",
      "run Big --image=nginx",
      "run o --image=nginx --privileged --dry-run=client -o yaml",
      "run p --image=busybox --restart=Never -- true",
      "run p --image=busybox",
      "run q --image=busybox --restart=OnFailure --quiet --dry-run=client -o name",
      "run r --image=nginx -i --dry-run=client",
      "run s --image=busybox --restart=Never -i -- echo seen",
      {
        line: "run t --image=busybox --restart=Never -i --rm -- sh -c 'exit 4'",
        since136: (text) => text.replace('pod "t" deleted', 'pod "t" deleted from NS namespace'),
      },
    ],
  },
  {
    name: "cp debug forward top",
    files: { ...files, "note.txt": "from here\n" },
    setup,
    steps: [
      ...reads(
        "cp",
        "cp a",
        "cp a b",
        "cp nofile plain:/tmp/x",
        "cp plain:/a two:/b",
        "cp a:b:c x",
        "debug",
        "debug plain",
        "debug plain --image=busybox --copy-to=x --target=a",
        "port-forward",
        "port-forward plain",
        "port-forward nope 80",
        "port-forward stuck 80",
        "port-forward plain x",
        "port-forward svc/nope 80",
        "top pod nope",
        "top pod x -l a=b",
      ),
      {
        line: "debug nope --image=busybox",
        since136: (text) => text.replace(/^--profile=legacy.*\n/m, ""),
      },
      { line: "top", as: fromCommands },
      { line: "top pod", until: /web-/, as: withoutUse },
      { line: "top node", until: /node-/, as: withoutUse },
      "cp note.txt plain:/tmp/note.txt",
      "exec plain -- cat /tmp/note.txt",
      "cp note.txt plain:/tmp -c z",
      "exec plain -c z -- cat /tmp/note.txt",
      "cp note.txt $NS/plain:/tmp/again",
      "exec plain -- cat /tmp/again",
      "cp note.txt nope:/tmp",
    ],
  },
  {
    name: "events",
    files,
    setup,
    steps: reads(
      "events",
      "events --for=pod/stuck",
      "events --for pod/stuck --no-headers",
      "events --types=Warning",
      "events --types=Warning,Normal --for=pod/ended",
      "events --types=Odd",
      "events --for=stuck",
      "events --for=pod/nope",
      "events --for=nosuch/x",
      "events --all-namespaces --types=Warning --for=pod/stuck",
      "events -o wide",
      "events x",
      "get events --field-selector=involvedObject.name=stuck",
    ).map((step) => ({ ...step, as: sortedLines })),
  },
];

/** Removes the resource usage of containers, which differs between sandboxes. */
export function withoutUse(text: string): string {
  return text.replaceAll(/<age> +\d+%|\d+(Mi|%) */g, "<use> ");
}

function unordered(...lines: readonly string[]): Step[] {
  return reads(...lines).map((step) => ({ ...step, as: sortedLines }));
}

/** Since 1.36 the containers that there are are named. */
function lists(...lines: readonly string[]): Step[] {
  return reads(...lines).map((step) => ({
    ...step,
    since136: (text) => text.replace(/^.*(container nope is not valid for pod \w+)$/m, "error: $1"),
    as: (text) => text.replace(/ out of: .*/, ""),
  }));
}

/** Scenes about nodes, which are shared: each step leaves the node unchanged. */
export const nodeScenes: readonly Scene[] = [
  {
    name: "drain",
    files,
    setup: ["apply -f pods.yaml"],
    steps: [
      "cordon node-3 --dry-run=client",
      "cordon node-3 --dry-run=server",
      "cordon nope",
      "cordon",
      "cordon -l nope=1",
      "uncordon node-3",
      "uncordon nope",
      "uncordon",
      "drain",
      "drain nope",
      "drain node-1 --dry-run=client --pod-selector=x==",
      "drain -l nope=1",
      "drain node-1 -l a=b",
      "taint nodes node-3 k=v:NoSchedule --dry-run=client",
      "taint nodes nope k=v:NoSchedule",
      "taint nodes node-3 k-",
      "taint nodes node-3 k=v:Odd",
      "taint pods x k=v:NoSchedule",
      "certificate approve nope",
      "certificate deny nope",
      "certificate approve",
      { line: "certificate", as: fromCommands },
    ],
  },
];
