// The files in which Linux tells a container of the resources that it has (cgroup v2).
import { parseQuantity, quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, Pod, ResourceRequirements } from "../../../shared/k8s/api/core-v1.ts";

const root = "/sys/fs/cgroup";
/** What a small program takes. */
const currentBytes = 3_145_728;
const periodMicros = 100_000;
/** The kernel's least. */
const leastQuotaMicros = 1000;

export function cgroupFiles(pod: Pod, container: Container): Readonly<Record<string, string>> {
  const { limits = {}, requests = {} } = givenTo(pod, container);
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

/** What it has now: what it asks for may not have been given yet. */
function givenTo({ status, spec }: Pod, { name, resources }: Container): ResourceRequirements {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const given = all.find((one) => one.name === name)?.resources ?? resources;
  return spec.resources ? { ...resources, ...given } : given;
}

function milli(quantity: string): number {
  return Math.ceil(Number(parseQuantity(quantity)?.nanos ?? 0n) / 1e6);
}

function quotaOf(cpu: string): number {
  return Math.max(leastQuotaMicros, (milli(cpu) * periodMicros) / 1000);
}

/** The kubelet's shares, and runc's way from those to a weight. */
function weightOf(cpu: string | undefined): number {
  const shares = Math.max(2, Math.min(262_144, Math.floor((cpu === undefined ? 0 : milli(cpu)) * 1.024)));
  const log = Math.log2(shares);
  const exponent = (log * log + 125 * log) / 612 - 7 / 34;
  return Math.ceil(10 ** exponent);
}
