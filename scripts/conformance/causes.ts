// Known causes of failures of tests beyond conformance, by texts in the tests' names.

const causes: readonly (readonly [names: RegExp, cause: string])[] = [
  [/kubectl kuberc/, "asks for kubectl 1.36, where an older one is on the PATH"],
  [/in-cluster config/, "copies kubectl's binary into a container, where no binary runs"],
  [
    /Port forwarding With a server/,
    "agnhost's `port-forward-tester` speaks TCP without a protocol, and is not simulated",
  ],
  [
    /MetricsGrabber .*(ControllerManager|Scheduler)/,
    "speaks TLS through a forwarded port, where only HTTP is understood",
  ],
  [/Mount propagation/, "mounts that a container makes are not simulated"],
  [/PersistentVolumes-local/, "nodes mount no file systems of their own"],
  [/PersistentVolumes NFS/, "no NFS server runs"],
  [/non-local redirect/, "a probe that is sent elsewhere passes, and no ProbeWarning tells of it"],
  [/invalid conntrack state|CLOSE_WAIT/, "packets and the kernel's table of connections are not simulated"],
  [/preserve UDP traffic/, "a loop that is refused at once takes no time, and is over before the next server is there"],
  [/PublishNotReadyAddresses/, "agnhost goes on saying that it is ready after SIGTERM"],
  [/configurable pod resolv\.conf/, "a name server that a pod runs itself is not simulated"],
];

export function causeOf(name: string): string {
  return causes.find(([names]) => names.test(name))?.[1] ?? "not looked into";
}
