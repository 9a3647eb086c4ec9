// The diagnoses of objects in English: whole sentences without the full stop.

export const wrong = {
  pod: {
    evicted: (message: string) => `It was evicted: ${message || "its node was short of something"}`,
    gated: (gates: string) => `It waits at ${gates}: the scheduler looks at it when no gate is left`,
    noNodeNext: "Make room, change what it asks for, or label or untaint a node.",
    notYetScheduled: "The scheduler has not looked at it yet",
    mount: (message: string) => `A volume cannot be mounted: ${message}`,
    mountNext: "Create the object that the volume references, or change the reference.",
    failed: "Its containers have ended with an error",
    finalizers: (names: string, count: number) =>
      `It is being deleted and remains until ${names} ${count === 1 ? "is" : "are"} removed from its finalizers`,
    finalizersNext: "The controllers that set them remove them when they are done.",
    leaving: (seconds: number) => `It is being deleted: its containers have ${seconds} s to end`,
    gate: (type: string) => `Its containers are ready, and its readiness gate ${type} is not`,
    init: (how: string) => `Its init containers run first (${how})`,
    creating: (reason: string) => `Its containers are being created (${reason})`,
  },
  container: {
    noImage: (name: string, problem: string) => `Container ${name} has no image: ${problem}`,
    noImageNext: "Correct the image's name or tag; the kubelet tries again by itself.",
    pull: (image: string, cause: string, text: string) =>
      `${image} cannot be pulled${cause ? ` (${cause})` : text ? `: ${text}` : ""}`,
    badImage: (name: string, image: string) => `Container ${name} names an image that can be none: ${image}`,
    neverPulled: (name: string, message: string) =>
      `Container ${name} may not pull its image and the node does not have it: ${message}`,
    config: (name: string, message: string) => `Container ${name} cannot be configured: ${message}`,
    configNext: "Create the ConfigMap, the Secret or the key that it references.",
    notStarted: (name: string, message: string) => `Container ${name} cannot be started: ${message}`,
    ended: (name: string, code: number, meaning: string) =>
      `Container ${name} ended with exit code ${code}: ${meaning}`,
    endedNext: "See its log.",
    probe: (name: string, count: number, message: string) =>
      `Container ${name} was restarted ${times(count)}, because its probe failed: ${message}`,
    probeNext: "Correct the probe, or what it asks.",
    memory: (name: string, count: number, limit: string) =>
      `Container ${name} was restarted ${times(count)}: it used more memory than its limit${limit ? ` of ${limit}` : ""}`,
    memoryNext: "Raise the limit, or let it use less.",
    crashed: (name: string, count: number, code: number | undefined, meaning: string, message: string) =>
      `Container ${name} was restarted ${times(count)} and ended each time${code === undefined ? "" : ` with exit code ${code}: ${meaning}`}${message ? `. ${message}` : ""}`,
    crashedNext: "See the log of the previous run.",
    notReady: (name: string, message: string) => `Container ${name} runs and is not ready: ${message}`,
    notReadyYet: (name: string) => `Container ${name} runs and is not ready yet`,
  },
  workload: {
    cannotMake: (message: string) => `It cannot make its pods: ${message}`,
    quotaNext: "Raise the quota, or ask for less.",
    stuck: (seconds: number, worst: string) => `Its rollout has not come on for ${seconds} s. ${worst}`,
    stuckNext: "Undo it, or correct its template.",
    notReady: (some: number, all: number, worst: string) =>
      `${some} of ${all} ${all === 1 ? "pod" : "pods"} ${some === 1 ? "is" : "are"} not ready. ${worst}`,
    paused: "Its rollouts are paused: changes of its template wait until it is resumed",
    zero: "It is scaled to zero",
    rolling: (updated: number, all: number, available: number) =>
      `It rolls out: ${updated} of ${all} pods are of the new template, ${available} are available`,
    available: (some: number, all: number, worst: string) => `${some} of ${all} pods are available. ${worst}`,
    noNode: "It wants no node: none has the labels, or tolerates what its pods are",
    misplaced: (count: number) => `${count} of its pods are on nodes where they are not wanted any more`,
    jobFailed: (message: string, worst: string) => `It has failed: ${message}. ${worst}`,
    jobSuspended: "It is suspended: it makes no pods until it is resumed",
    podsFailed: (count: number, worst: string) => `${count} of its pods have failed. ${worst}`,
    completed: (some: number, all: number) => `${some} of ${all} have completed`,
    cronSuspended: "It is suspended: it starts no jobs until it is resumed",
    lastJob: (name: string, message: string) => `Its last job, ${name}, has failed: ${message}`,
    notRunYet: (schedule: string) => `It has not run yet: its schedule is ${schedule}`,
  },
  service: {
    noSelector: "It has no selector: its endpoints are somebody else's to write",
    noPod: (labels: string) => `It sends to nobody: no pod of its namespace has the labels ${labels}`,
    noPodNext: "Give the pods these labels, or the service another selector.",
    noneReady: (count: number) =>
      `It has no endpoints: none of its ${count === 1 ? "one pod" : `${count} pods`} is ready`,
    noneReadyNext: "Open the pods to see why.",
    namedPort: (port: number, name: string) =>
      `Port ${port} leads to the port ${name}, and no container of its pods has one of that name`,
    otherPort: (port: number, target: number, those: string) =>
      `Port ${port} leads to ${target}, and the containers name ${those}`,
    otherPortNext: "It works where something listens there all the same.",
  },
  node: {
    notReady: (message: string) => `It is not ready: ${message || "its kubelet has not said anything yet"}`,
    cordoned: "It is cordoned: no new pods come to it",
    cordonedNext: "Uncordon it to schedule pods to it again.",
  },
  claim: {
    lost: (volume: string) => `Its volume ${volume} is gone`,
    waits: "It gets its volume when the first pod that uses it is on a node",
    noVolume: (message: string) => `It has no volume yet${message ? `: ${message}` : ""}`,
  },
  any: {
    deleted: (why: string) => `It is being deleted${why ? `: ${why}` : ""}`,
    finalizers: (names: string) => `its finalizers are ${names}`,
    condition: (type: string, status: string, message: string) => `${type} is ${status}: ${message}`,
  },
  scheduler: {
    noNode: (count: number, reasons: string) =>
      `No node takes it. Of ${count === 1 ? "one node" : `${count} nodes`}, ${reasons}`,
    has: (count: string, what: string) => `${count} ${count === "1" ? "has" : "have"} ${what}`,
    other: (count: string, what: string) => (count ? `${count}: ${what}` : what),
    resource: (what: string) => `not enough ${what} left`,
    taint: (taint: string) => `a taint${taint ? ` ${taint}` : ""} that the pod does not tolerate`,
    selector: "labels that its node selector or affinity does not want",
    affinity: "no pod near it that its affinity wants",
    antiAffinity: "a pod that its anti-affinity keeps away from",
    cordoned: "been cordoned",
    ports: "the host port taken already",
    spread: "too many of such pods already for its spread constraints",
    full: "as many pods as they may have",
    volume: "no way to its volume",
  },
  exitCodes: {
    0: "it ended without an error",
    1: "the program ended with an error",
    2: "the program was called wrongly, or a shell could not read its script",
    125: "the container could not be run",
    126: "the command is there and cannot be run",
    127: "the command was not found",
    128: "the program used an invalid exit code",
    130: "it was interrupted (SIGINT)",
    134: "the program aborted (SIGABRT)",
    137: "it was killed (SIGKILL)",
    139: "the program accessed invalid memory (SIGSEGV)",
    143: "it was terminated (SIGTERM)",
  } as Readonly<Record<number, string>>,
  outOfMemory: "it used more memory than its limit",
  otherCode: "the meaning depends on the program",
};

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
