// The pods that a kubelet rejects, with its messages.
import { expect, test } from "vitest";
import { admissionCheck, AdmittedPods } from "../../worker/scheduler/admission-check.ts";
import { aNode, aPod } from "./builders.ts";

test("a sysctl that is unsafe or affects the node is forbidden", () => {
  const refusal = (name: string, more: object = {}) => {
    const pod = aPod("a", { spec: { ...more, securityContext: { sysctls: [{ name, value: "1" }] } } });
    return admissionCheck(pod, aNode("n"), new AdmittedPods());
  };
  expect(refusal("kernel.msgmax")).toEqual({
    reason: "SysctlForbidden",
    message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
  });
  expect(refusal("net/core/somaxconn")?.message).toBe('forbidden sysctl: "net.core.somaxconn" not allowlisted');
  expect(refusal("kernel/shm_rmid_forced")).toBeUndefined();
  expect(refusal("net.ipv4.tcp_syncookies")).toBeUndefined();
  expect(refusal("net.ipv4.tcp_syncookies", { hostNetwork: true })?.message).toBe(
    'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host Net enabled',
  );
  expect(refusal("kernel.shm_rmid_forced", { hostIPC: true })?.message).toBe(
    'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
  );
});
