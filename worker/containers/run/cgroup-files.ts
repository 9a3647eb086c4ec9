// The files of cgroup v2, from which a container reads its resources.
import { parseQuantity, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, Pod, ResourceRequirements } from "../../../shared/k8s/api/core-v1.ts";

const root = "/sys/fs/cgroup";
/** The memory usage of a small program. */
const currentBytes = 3_145_728;
const periodMicros = 100_000;
/** The smallest quota that the kernel accepts. */
const leastQuotaMicros = 1000;

export function cgroupFiles(pod: Pod, container: Container): Readonly<Record<string, string>> {
  const { limits = {}, requests = {} } = currentResources(pod, container);
  const memory = limits["memory"];
  const cpu = limits["cpu"];
  return {
    [`${root}/cpu.max`]: `${cpu === undefined ? "max" : quotaOf(cpu)} ${periodMicros}\n`,
    [`${root}/cpu.weight`]: `${weightOf(requests["cpu"] ?? cpu)}\n`,
    [`${root}/memory.max`]: `${memory === undefined ? "max" : quantityValue(memory)}\n`,
    [`${root}/memory.min`]: "0\n",
    [`${root}/memory.low`]: "0\n",
    [`${root}/memory.high`]: "max\n",
    [`${root}/memory.current`]: `${currentBytes}\n`,
    [`${root}/memory.peak`]: `${2 * currentBytes}\n`,
    [`${root}/memory.swap.max`]: "0\n",
    [`${root}/memory.events`]: "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n",
    [`${root}/memory.stat`]: `anon ${currentBytes / 2}\nfile ${currentBytes / 2}\n`,
    [`${root}/cpu.stat`]:
      "usage_usec 68214\nuser_usec 41002\nsystem_usec 27212\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
    [`${root}/pids.max`]: "max\n",
    [`${root}/pids.current`]: "2\n",
    [`${root}/cgroup.controllers`]: "cpuset cpu io memory hugetlb pids rdma misc\n",
    [`${root}/cgroup.procs`]: "1\n",
  };
}

/** Returns the resources that are in effect for a container. During a resize they differ from its spec. */
function currentResources({ status, spec }: Pod, { name, resources }: Container): ResourceRequirements {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const current = all.find((containerStatus) => containerStatus.name === name)?.resources ?? resources;
  return spec.resources ? { ...resources, ...current } : current;
}

function milli(quantity: string): number {
  return Math.ceil(Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e6);
}

function quotaOf(cpu: string): number {
  return Math.max(leastQuotaMicros, (milli(cpu) * periodMicros) / 1000);
}

/** Converts CPU to shares as the kubelet does, and shares to a weight as runc does. */
function weightOf(cpu: string | undefined): number {
  const shares = Math.max(2, Math.min(262_144, Math.floor((cpu === undefined ? 0 : milli(cpu)) * 1.024)));
  const log = Math.log2(shares);
  const exponent = (log * log + 125 * log) / 612 - 7 / 34;
  return Math.ceil(10 ** exponent);
}
