// The user of a container's processes, the processes that they see, and the files in `/proc` about them.
import type { Container, ContainerUser, EphemeralContainer, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { configurationOf, exactImage, imageNamed, softwareName } from "../images/image-lookup.ts";
import type { ImageSource } from "../images/own-images.ts";
import { processesOf as processesShown } from "../products/programs.ts";
import type { Running, Self } from "../shell/process.ts";
import { capabilitiesOf, hasCapability } from "./capabilities.ts";
import { programOf } from "./program.ts";

/** The process that holds a pod's network namespace and, if it is shared, its process namespace. */
const pause: Omit<Running, "pid"> = { uid: 65535, command: "/pause" };

export function userOf(pod: Pod, spec: Container, source: ImageSource): ContainerUser {
  const image = imageNamed(spec.image, source);
  const imageDefinition = image && exactImage(image);
  const { securityContext } = pod.spec;
  const imageUser = (image && configurationOf(image)) ?? {
    uid: imageDefinition?.uid ?? 0,
    gid: imageDefinition?.uid ?? 0,
  };
  const uid = spec.securityContext?.runAsUser ?? securityContext?.runAsUser ?? imageUser.uid;
  const user = imageDefinition?.users?.[uid];
  // A user that the image does not list is in root's group.
  const usual = user?.gid ?? (uid === imageUser.uid ? imageUser.gid : 0);
  const gid = spec.securityContext?.runAsGroup ?? securityContext?.runAsGroup ?? usual;
  const isStrict = securityContext?.supplementalGroupsPolicy === "Strict";
  const listed = isStrict ? [] : (user?.groups ?? (uid === 0 ? (imageDefinition?.groups ?? []) : []));
  const groups = new Set([gid, ...listed, ...(securityContext?.supplementalGroups ?? [])]);
  if (securityContext?.fsGroup !== undefined) groups.add(securityContext.fsGroup);
  return { linux: { uid, gid, supplementalGroups: [...groups] } };
}

/** Returns what a container's processes know about themselves. `beside`: a command that runs in addition to the container's program. */
export function selfOf(pod: Pod, container: Container, source: ImageSource, beside?: readonly string[]): Self {
  const { linux } = userOf(pod, container, source);
  const { uid = 0, gid = 0, supplementalGroups = [] } = linux ?? {};
  const running = processesOf(pod, container, source);
  const last = running.at(-1)?.pid ?? 1;
  const more = beside ? [{ pid: last + 6, uid, command: beside.join(" ") }] : [];
  return {
    uid,
    gid,
    groups: supplementalGroups,
    image: softwareName(container.image, source),
    address: pod.status.podIP ?? "",
    running: [...running, ...more],
    isNetworkAdmin: uid === 0 && hasCapability(container.securityContext, "NET_ADMIN"),
    isSystemAdmin: uid === 0 && hasCapability(container.securityContext, "SYS_ADMIN"),
    mayEscalate: container.securityContext?.allowPrivilegeEscalation ?? true,
  };
}

/** Returns the `/proc` files of a container's first process, without mounts and limits. */
export function processFiles(pod: Pod, container: Container, source: ImageSource): Readonly<Record<string, string>> {
  const { linux } = userOf(pod, container, source);
  const { uid = 0, gid = 0, supplementalGroups = [] } = linux ?? {};
  const [first] = commandsOf(pod, container, source);
  const { bounding, effective } = capabilitiesOf(container.securityContext, uid);
  const seccomp = (container.securityContext?.seccompProfile ?? pod.spec.securityContext?.seccompProfile)?.type;
  const isFiltered = seccomp !== undefined && seccomp !== "Unconfined" && !container.securityContext?.privileged;
  const words = first?.command ?? "";
  const status = [
    ["Name", words.replace(/^\S*\//, "").split(/[\s:]/, 1)[0] ?? ""],
    ["State", "S (sleeping)"],
    ["Pid", "1"],
    ["PPid", "0"],
    ["Uid", new Array(4).fill(uid).join("\t")],
    ["Gid", new Array(4).fill(gid).join("\t")],
    ["Groups", `${supplementalGroups.join(" ")} `],
    ["CapInh", "0000000000000000"],
    ["CapPrm", effective],
    ["CapEff", effective],
    ["CapBnd", bounding],
    ["CapAmb", "0000000000000000"],
    ["NoNewPrivs", container.securityContext?.allowPrivilegeEscalation === false ? "1" : "0"],
    ["Seccomp", isFiltered ? "2" : "0"],
    ["Cpus_allowed", "f"],
    ["Cpus_allowed_list", "0-3"],
  ]
    .map(([key = "", value = ""]) => `${key}:\t${value}\n`)
    .join("");
  return {
    ...sysctlFiles(pod),
    "/proc/1/status": status,
    "/proc/self/status": status,
    "/proc/self/cmdline": `${words.replaceAll(" ", "\0")}\0`,
    "/proc/1/cmdline": `${words.replaceAll(" ", "\0")}\0`,
    "/proc/1/oom_score_adj": "1000\n",
    "/proc/1/attr/current": `${appArmorOf(pod, container)}\n`,
    "/proc/1/comm": `${words.replace(/^\S*\//, "").split(/[\s:]/, 1)[0] ?? ""}\n`,
  };
}

/** The default sysctls that people commonly read. */
const usualSysctls: Readonly<Record<string, string>> = {
  "fs.aio-max-nr": "65536",
  "fs.file-max": "9223372036854775807",
  "fs.inotify.max_user_instances": "128",
  "fs.inotify.max_user_watches": "65536",
  "fs.nr_open": "1048576",
  "kernel.shm_rmid_forced": "0",
  "kernel.msgmax": "8192",
  "net.core.somaxconn": "4096",
  "net.core.rmem_max": "212992",
  "net.core.wmem_max": "212992",
  "net.ipv4.ip_forward": "1",
  "net.ipv4.ip_local_port_range": "32768\t60999",
  "net.ipv4.ip_unprivileged_port_start": "0",
  "net.ipv4.ping_group_range": "0\t2147483647",
  "net.ipv4.tcp_syncookies": "1",
  "vm.max_map_count": "1048576",
  "vm.overcommit_memory": "1",
  "vm.swappiness": "60",
};

const usualSysctlFiles = filesOfSysctls(usualSysctls);

function sysctlFiles({ spec }: Pod): Readonly<Record<string, string>> {
  const { sysctls = [] } = spec.securityContext ?? {};
  if (sysctls.length === 0) return usualSysctlFiles;
  const podSysctls = sysctls.map(({ name, value }) => [name.replaceAll("/", "."), value]);
  return filesOfSysctls({ ...usualSysctls, ...(Object.fromEntries(podSysctls) as Record<string, string>) });
}

function filesOfSysctls(sysctls: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(sysctls).map(([name, value]) => [`/proc/sys/${name.replaceAll(".", "/")}`, `${value}\n`]),
  );
}

/** Returns the AppArmor profile in the kernel's format. */
function appArmorOf({ spec }: Pod, { securityContext }: Container): string {
  const profile = securityContext?.appArmorProfile ?? spec.securityContext?.appArmorProfile;
  if (profile?.type === "Unconfined" || securityContext?.privileged) return "unconfined";
  return `${profile?.localhostProfile ?? "cri-containerd.apparmor.d"} (enforce)`;
}

function processesOf(pod: Pod, container: Container, source: ImageSource): Running[] {
  const shared = pod.spec.shareProcessNamespace === true;
  const { targetContainerName } = container as EphemeralContainer; // only ephemeral containers have it
  const target = pod.spec.containers.find((candidate) => candidate.name === targetContainerName);
  const isRunning = new Set(
    (pod.status.containerStatuses ?? []).flatMap((status) => (status.state.running ? status.name : [])),
  );
  const siblings = shared
    ? pod.spec.containers.filter((candidate) => isRunning.has(candidate.name) && candidate !== container)
    : [];
  const listed = [
    ...(shared ? [pause] : []),
    ...(target && !shared ? commandsOf(pod, target, source) : []),
    ...siblings.flatMap((sibling) => commandsOf(pod, sibling, source)),
    ...commandsOf(pod, container, source),
  ];
  return listed.map((process, index) => ({ ...process, pid: index === 0 ? 1 : 1 + index * 6 }));
}

function commandsOf(pod: Pod, container: Container, source: ImageSource): readonly Omit<Running, "pid">[] {
  const uid = userOf(pod, container, source).linux?.uid ?? 0;
  const { words } = programOf(pod, container, {}, source);
  return processesShown(words, uid);
}
