// Names, identities, packages and files as programs in containers find them.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { capabilitiesOf } from "../../worker/containers/run/capabilities.ts";
import { processFiles, selfOf } from "../../worker/containers/run/identity.ts";
import { mountedFiles } from "../../worker/containers/run/mounts.ts";
import { programOf } from "../../worker/containers/run/program.ts";
import { emptyView } from "../../worker/containers/run/world.ts";
import { nobodyKnown, type ServiceView, type World } from "../../worker/containers/shell/process.ts";
import { trace, type Start } from "../../worker/containers/shell/trace.ts";
import { container, podOf } from "../kubelet/pod-run.ts";

const view = (more: Partial<ServiceView>): ServiceView => ({
  sinceMs: 0,
  answersMs: 0,
  ports: [{ name: "", port: 80, protocol: "TCP" }],
  addresses: [],
  hosts: {},
  ...more,
});
const services: Readonly<Record<string, ServiceView>> = {
  "default/web": view({ addresses: ["10.96.0.7"] }),
  "default/nginx": view({
    addresses: ["10.244.1.6", "10.244.2.6"],
    hosts: { "web-0": { address: "10.244.1.6", sinceMs: 0 }, "web-1": { address: "10.244.2.6", sinceMs: 9000 } },
  }),
  "default/none": view({ answersMs: undefined }),
  "other/db": view({ addresses: ["10.96.0.8"], alias: "db.example.com" }),
};
const world: World = {
  service: (namespace, name) => services[`${namespace}/${name}`],
  nameOf: (address) => (address === "10.96.0.10" ? "kube-dns.kube-system" : undefined),
};

function run(script: string, image = "busybox:1.28", more: Partial<Start> = {}) {
  const pod = podOf({});
  const { programs } = programOf(pod, container(image), {}, emptyView);
  const self = { ...nobodyKnown, image };
  const execution = trace({ words: ["sh", "-c", script], startMs: 0, untilMs: 60_000, world, programs, self, ...more });
  return { ...execution, text: execution.chunks.map((chunk) => chunk.text).join("") };
}

describe("DNS", () => {
  test("a Service resolves to its address, a headless Service to its pods' addresses, and a pod of it to its own", () => {
    const lookUp = (name: string) =>
      [...run(`nslookup ${name}`).text.matchAll(/^Address \d: (.*)$/gm)].map(([, x]) => x);
    const server = "10.96.0.10 kube-dns.kube-system.svc.cluster.local";
    expect(lookUp("web")).toEqual([server, "10.96.0.7 web.default.svc.cluster.local"]);
    expect(lookUp("nginx.default")).toEqual([
      server,
      "10.244.1.6 nginx.default.svc.cluster.local",
      "10.244.2.6 nginx.default.svc.cluster.local",
    ]);
    expect(lookUp("web-0.nginx")).toEqual([server, "10.244.1.6 web-0.nginx.default.svc.cluster.local"]);
    expect(lookUp("10-244-1-6.default.pod.cluster.local").at(-1)).toMatch(/^10\.244\.1\.6 /);
    expect(lookUp("info.cern.ch")).toEqual([server, "203.0.113.10"]);
  });

  test("a pod that is not ready has no name, and neither has a headless Service without pods", () => {
    expect(run("nslookup web-1.nginx; echo $?").text).toMatch(/can't resolve 'web-1.nginx'\n1\n$/);
    expect(run("until nslookup web-1.nginx; do sleep 2; done").end?.atMs).toBe(10_000);
    expect(run("nslookup none || echo no").text).toMatch(/no\n$/);
  });

  test.each([
    [
      "nslookup web",
      "busybox:1.36",
      "Address:\t10.96.0.10:53\n\nName:\tweb.default.svc.cluster.local\nAddress: 10.96.0.7\n",
    ],
    ["nslookup db.other", "tool", "db.other.svc.cluster.local\tcanonical name = db.example.com.\n"],
    ["nslookup nope", "tool", "** server can't find nope: NXDOMAIN\n"],
    [
      "nslookup web.default.svc.cluster.local 10.96.0.10",
      "tool",
      "Server:\t\t10.96.0.10\nAddress:\t10.96.0.10#53\n\nName:\tweb.default.svc.cluster.local\nAddress: 10.96.0.7\n\n",
    ],
    ["nslookup web nope; echo $?", "tool", "nslookup: couldn't get address for 'nope': not found\n1\n"],
    [
      "nslookup web 10.9.9.9",
      "tool",
      ";; communications error to 10.9.9.9#53: timed out\n;; no servers could be reached\n",
    ],
    [
      "nslookup 10.96.0.10",
      "tool",
      "10.0.96.10.in-addr.arpa\tname = kube-dns.kube-system.svc.cluster.local.\n\nAuthoritative answers can be found from:\n\n",
    ],
    ["nslookup 10.96.0.99; echo $?", "tool", "** server can't find 99.0.96.10.in-addr.arpa: NXDOMAIN\n\n1\n"],
    ["dig +short nginx.default.svc.cluster.local", "tool", "10.244.1.6\n10.244.2.6\n"],
    ["dig +short web", "tool", ""],
    ["host web", "tool", "web.default.svc.cluster.local has address 10.96.0.7\n"],
    ["getent hosts web", "debian", "10.96.0.7       web.default.svc.cluster.local\n"],
    ["ping -c 2 web-0.nginx", "busybox", "2 packets transmitted, 2 packets received, 0% packet loss\n"],
    ["ping -c 1 web", "busybox", "1 packets transmitted, 0 packets received, 100% packet loss\n"],
  ])("%s in %s", (script, image, text) => {
    expect(run(script, image).text).toContain(text);
  });
});

describe("identity", () => {
  const pod: Pod = podOf({
    securityContext: { runAsUser: 1000, runAsGroup: 3000, fsGroup: 2000, supplementalGroups: [4000] },
    containers: [container("busybox", { command: ["sh", "-c", "sleep 1h"] })],
  });
  const [only = container("busybox")] = pod.spec.containers;

  test("id and ps follow the security context", () => {
    const { text } = run("id; ps", "busybox", { self: selfOf(pod, only, emptyView) });
    expect(text).toContain("uid=1000 gid=3000 groups=3000,4000,2000\n");
    expect(text).toContain("    1 1000      0:00 sh -c sleep 1h\n");
  });

  test("ps shows all containers' processes with a shared process namespace", () => {
    const both = [
      container("nginx", { name: "nginx" }),
      container("busybox", { name: "shell", args: ["sleep", "1h"] }),
    ];
    const states = both.map(({ name }) => ({ name, state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }));
    const shared = podOf({ shareProcessNamespace: true, containers: both });
    const runningPod = { ...shared, status: { ...shared.status, containerStatuses: states as never } };
    expect(
      selfOf(runningPod, both[1] ?? only, emptyView).running.map((process) => `${process.pid} ${process.command}`),
    ).toEqual(["1 /pause", "7 nginx: master process nginx -g daemon off;", "13 nginx: worker process", "19 sleep 1h"]);
  });

  test("the first process has the container's capabilities", () => {
    expect(capabilitiesOf(undefined, 0).effective).toBe("00000000a80425fb");
    expect(capabilitiesOf({ capabilities: { add: ["NET_ADMIN", "SYS_TIME"] } }, 0).effective).toBe("00000000aa0435fb");
    expect(capabilitiesOf({ capabilities: { drop: ["ALL"] } }, 0).bounding).toBe("0000000000000000");
    expect(capabilitiesOf({ privileged: true }, 0).bounding).toBe("000001ffffffffff");
    expect(processFiles(pod, only, emptyView)["/proc/1/status"]).toContain(
      "CapEff:\t0000000000000000\nCapBnd:\t00000000a80425fb\n",
    );
  });
});

describe("packages", () => {
  test("an installed package can be run, and apt-get update has to come first", () => {
    const { text } = run(
      "ps; apt-get install -y procps; echo $?; apt-get update; apt-get install -y procps; ps",
      "nginx",
    );
    expect(text).toMatch(
      /ps: not found\n[^]*E: Unable to locate package procps\n100\n[^]*Setting up procps \.\.\.\n {4}PID TTY/,
    );
  });

  test("sh of Debian's images is dash, whose echo interprets backslashes; bash's does not", () => {
    expect(run("echo 'a\\nb'", "nginx").text).toBe("a\nb\n");
    expect(run("bash -c \"echo 'a\\nb'\"", "nginx").text).toBe("a\\nb\n");
    expect(run("echo 'a\\nb'", "busybox").text).toBe("a\\nb\n");
  });
});

describe("the node's own files", () => {
  test("appear where a container mounts them, as a single file or as a folder", () => {
    const mounts = [
      { name: "id", mountPath: "/etc/machine-id" },
      { name: "root", mountPath: "/host" },
    ];
    const volumes = [
      { name: "id", hostPath: { path: "/etc/machine-id" } },
      { name: "root", hostPath: { path: "/" } },
    ];
    const mountingContainer = container("busybox", { volumeMounts: mounts });
    const { files } = mountedFiles(
      podOf({ nodeName: "node-1", containers: [mountingContainer], volumes }),
      mountingContainer,
      emptyView,
    );
    expect(files.get("/etc/machine-id")?.text).toMatch(/^[0-9a-f]{32}\n$/);
    expect(files.get("/host/etc/machine-id")?.text).toBe(files.get("/etc/machine-id")?.text);
    expect(files.get("/host/etc/os-release")?.text).toContain("Debian");
    expect(files.has("/var/lib/kubelet/config.yaml")).toBe(false);
  });
});
