// The environment of a container from kubelet and containerd: names, resolver, variables, mounted files.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import { environmentOf } from "../../worker/containers/run/environment.ts";
import { mountedFiles } from "../../worker/containers/run/mounts.ts";
import { programOf } from "../../worker/containers/run/program.ts";
import { type ClusterView, emptyView, type ServiceLink } from "../../worker/containers/run/world.ts";
import { container, podOf, startMs } from "../kubelet/pod-run.ts";

const main = container("busybox");

function withAddress(spec: Partial<Pod["spec"]>, ...addresses: string[]): Pod {
  const pod = podOf({ containers: [main], ...spec });
  return { ...pod, status: { ...pod.status, podIPs: addresses.map((ip) => ({ ip })) } };
}

function textOf(pod: Pod, path: string, view: ClusterView = emptyView): string | undefined {
  return mountedFiles(pod, pod.spec.containers[0] ?? main, view).files.get(path)?.text;
}

describe("files in /etc", () => {
  test("hosts has the pod's names at each of its addresses, and its hostAliases", () => {
    const pod = withAddress(
      {
        hostname: "db",
        subdomain: "data",
        hostAliases: [{ ip: "10.1.2.3", hostnames: ["a.example.com", "b.example.com"] }],
      },
      "10.244.0.5",
      "fd00::5",
    );
    expect(textOf(pod, "/etc/hosts")).toBe(
      "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n" +
        "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n" +
        "10.244.0.5\tdb.data.default.svc.cluster.local\tdb\nfd00::5\tdb.data.default.svc.cluster.local\tdb\n" +
        "\n# Entries added by HostAliases.\n10.1.2.3\ta.example.com\tb.example.com\n",
    );
    expect(textOf(pod, "/etc/hostname")).toBe("db\n");
    expect(textOf({ ...pod, spec: { ...pod.spec, setHostnameAsFQDN: true } }, "/etc/hostname")).toBe(
      "db.data.default.svc.cluster.local\n",
    );
  });

  test("hosts is the node's for a pod on the host network", () => {
    const pod = withAddress({ hostNetwork: true }, "172.18.0.3");
    expect(textOf(pod, "/etc/hosts")).toMatch(
      /^# Kubernetes-managed hosts file \(host network\)\.\n[^]*\n172\.18\.0\.3\tnode-1\n$/,
    );
    expect(textOf(pod, "/etc/hostname")).toBe("node-1\n");
    expect(textOf(pod, "/etc/resolv.conf")).toBe("nameserver 172.18.0.1\n");
  });

  test("a host name that is too long is cut off", () => {
    const pod = podOf({ containers: [main] }, { name: `${"a".repeat(62)}.${"b".repeat(20)}` });
    expect(textOf(pod, "/etc/hostname")).toBe(`${"a".repeat(62)}\n`);
  });

  test.each([
    [{}, "search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n"],
    [{ dnsPolicy: "Default" as const }, "nameserver 172.18.0.1\n"],
    [
      { dnsPolicy: "ClusterFirstWithHostNet" as const, hostNetwork: true },
      "search default.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n",
    ],
    [
      { dnsPolicy: "None" as const, dnsConfig: { nameservers: ["1.1.1.1"], options: [{ name: "edns0" }] } },
      "nameserver 1.1.1.1\noptions edns0\n",
    ],
    [
      { dnsConfig: { searches: ["my.dns", "cluster.local"], options: [{ name: "ndots", value: "2" }] } },
      "search default.svc.cluster.local svc.cluster.local cluster.local my.dns\nnameserver 10.96.0.10\noptions ndots:2\n",
    ],
  ])("resolv.conf follows %j", (spec, text) => {
    expect(textOf(podOf({ containers: [main], ...spec }), "/etc/resolv.conf")).toBe(text);
  });

  test("hosts is the container's own file if it mounts one", () => {
    const ownContainer = container("busybox", {
      volumeMounts: [{ name: "v", mountPath: "/etc/hosts", subPath: "hosts" }],
    });
    const volumes = [{ name: "v", configMap: { name: "cm", items: [{ key: "hosts", path: "hosts" }] } }];
    const view = { ...emptyView, data: () => ({ hosts: "mine\n" }) };
    expect(textOf(podOf({ containers: [ownContainer], volumes }), "/etc/hosts", view)).toBe("mine\n");
  });
});

describe("environment variables", () => {
  const link = (name: string, address: string, sinceMs: number): ServiceLink => ({
    name,
    address,
    sinceMs,
    ports: [
      { name: "web", port: 80, protocol: "TCP" },
      { port: 53, protocol: "UDP" },
    ],
  });
  const view: ClusterView = {
    ...emptyView,
    links: (namespace) =>
      namespace === "default" ? [link("my-db", "10.96.1.1", startMs), link("later", "10.96.1.2", startMs + 1000)] : [],
  };

  test("describe the Services that existed at the container's start, unless enableServiceLinks is false", () => {
    const pod = podOf({ containers: [main] });
    const variables = environmentOf(pod, main, view, startMs);
    expect(Object.entries(variables).filter(([name]) => name.startsWith("MY_DB"))).toEqual([
      ["MY_DB_SERVICE_HOST", "10.96.1.1"],
      ["MY_DB_SERVICE_PORT", "80"],
      ["MY_DB_SERVICE_PORT_WEB", "80"],
      ["MY_DB_PORT", "tcp://10.96.1.1:80"],
      ["MY_DB_PORT_80_TCP", "tcp://10.96.1.1:80"],
      ["MY_DB_PORT_80_TCP_PROTO", "tcp"],
      ["MY_DB_PORT_80_TCP_PORT", "80"],
      ["MY_DB_PORT_80_TCP_ADDR", "10.96.1.1"],
      ["MY_DB_PORT_53_UDP", "udp://10.96.1.1:53"],
      ["MY_DB_PORT_53_UDP_PROTO", "udp"],
      ["MY_DB_PORT_53_UDP_PORT", "53"],
      ["MY_DB_PORT_53_UDP_ADDR", "10.96.1.1"],
    ]);
    expect(variables).not.toHaveProperty("LATER_SERVICE_HOST");
    const none = environmentOf(podOf({ containers: [main], enableServiceLinks: false }), main, view, startMs);
    expect([none["MY_DB_SERVICE_HOST"], none["KUBERNETES_SERVICE_HOST"]]).toEqual([undefined, "10.96.0.1"]);
  });

  test("expand other variables and Services, but not what the runtime adds", () => {
    const testedContainer = container("busybox", {
      env: [
        { name: "OWN", value: "own" },
        { name: "ALL", value: "$(OWN) $(MY_DB_SERVICE_HOST) $(HOSTNAME) $$(OWN)" },
      ],
      command: ["echo", "$(ALL)", "$(HOSTNAME)"],
    });
    const pod = podOf({ containers: [testedContainer] });
    const variables = environmentOf(pod, testedContainer, view, startMs);
    expect(variables["ALL"]).toBe("own 10.96.1.1 $(HOSTNAME) $(OWN)");
    expect(programOf(pod, testedContainer, variables, view).words).toEqual(["echo", variables["ALL"], "$(HOSTNAME)"]);
  });
});

describe("volumes", () => {
  test("contain a token, and a ConfigMap's binary data, which becomes no variable", () => {
    const sources = [
      { configMap: { name: "cm" } },
      { serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 600 } },
    ];
    const volumeMounts = [{ name: "v", mountPath: "/v" }];
    const testedContainer = container("busybox", { volumeMounts, envFrom: [{ configMapRef: { name: "cm" } }] });
    const pod = podOf({ containers: [testedContainer], volumes: [{ name: "v", projected: { sources } }] });
    const view: ClusterView = {
      ...emptyView,
      data: (_kind, _namespace, _name, withBinary) => ({ text: "a", ...(withBinary ? { binary: "\udcff" } : {}) }),
      token: (_pod, { audience = "" }) => `token for ${audience}`,
    };
    expect([textOf(pod, "/v/token", view), textOf(pod, "/v/binary", view)]).toEqual(["token for vault", "\udcff"]);
    expect(environmentOf(pod, testedContainer, view)).toMatchObject({ text: "a" });
    expect(environmentOf(pod, testedContainer, view)).not.toHaveProperty("binary");
  });
});
