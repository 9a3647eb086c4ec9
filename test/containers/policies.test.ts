// Which connections NetworkPolicies let through.
import { describe, expect, test } from "vitest";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { NetworkPolicy } from "../../shared/k8s/api/networking-v1.ts";
import { lets } from "../../worker/containers/network/policies.ts";
import { container, podOf } from "../kubelet/pod-run.ts";

function pod(
  name: string,
  labels: Record<string, string>,
  namespace = "default",
  more: Partial<Pod["spec"]> = {},
): Pod {
  const ports = [{ name: "http", containerPort: 80, protocol: "TCP" as const }];
  return podOf({ containers: [container("nginx", { ports })], ...more }, { name, uid: name, namespace, labels });
}

const web = pod("web", { app: "web" });
const client = pod("client", { access: "true" });
const stranger = pod("stranger", {});
const otherPod = pod("other", { access: "true" }, "other");
const addresses = new Map(
  [web, client, stranger, otherPod].map((podOfCluster, at) => [podOfCluster, `10.244.1.${at + 2}`]),
);

const rules = (...specs: NetworkPolicy["spec"][]) => ({
  policies: specs.map((spec, at) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: `p${at}`, namespace: "default" },
    spec: { policyTypes: ["Ingress" as const], ...spec },
  })),
  labelsOf: (name: string) => ({ "kubernetes.io/metadata.name": name }),
});

const toWeb = (from: Pod | string, set: ReturnType<typeof rules>, port = 80) =>
  lets(set, {
    from: typeof from === "string" ? { address: from } : { pod: from, address: addresses.get(from) ?? "" },
    to: { pod: web, address: addresses.get(web) ?? "" },
    port,
    protocol: "TCP",
  });

const selected = { podSelector: { matchLabels: { app: "web" } } };
const all = { podSelector: {} };

describe("NetworkPolicies", () => {
  test("a pod without a policy is open; a selected pod accepts what any of its rules allows", () => {
    expect(toWeb(stranger, rules())).toBe(true);
    expect(toWeb(stranger, rules({ podSelector: { matchLabels: { app: "db" } } }))).toBe(true);
    expect(toWeb(stranger, rules(selected))).toBe(false);
    const open = { ...selected, ingress: [{ from: [{ podSelector: { matchLabels: { access: "true" } } }] }] };
    expect([client, stranger, otherPod].map((source) => toWeb(source, rules(selected, open)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(toWeb(stranger, rules({ ...selected, ingress: [{}] }))).toBe(true);
  });

  test("a namespaceSelector alone selects all of its pods, and with a podSelector only the matching pods", () => {
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "other" } };
    const from = (peer: object) => rules({ ...selected, ingress: [{ from: [peer] }] });
    expect([otherPod, client].map((source) => toWeb(source, from({ namespaceSelector })))).toEqual([true, false]);
    const none = { namespaceSelector, podSelector: { matchLabels: { access: "no" } } };
    expect(toWeb(otherPod, from(none))).toBe(false);
    expect(toWeb(client, from({ namespaceSelector: {} }))).toBe(true);
  });

  test("an ipBlock selects addresses without its exceptions", () => {
    const block = rules({
      ...selected,
      ingress: [{ from: [{ ipBlock: { cidr: "172.17.0.0/16", except: ["172.17.1.0/24"] } }] }],
    });
    expect(["172.17.0.9", "172.17.1.9", "172.18.0.1"].map((address) => toWeb(address, block))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("ports are the pod's ports, by number, by name or as a range", () => {
    const at = (port: object, requestedPort: number) =>
      toWeb(client, rules({ ...selected, ingress: [{ ports: [port] }] }), requestedPort);
    expect([at({ port: 80 }, 80), at({ port: 81 }, 80), at({ port: "http" }, 80)]).toEqual([true, false, true]);
    expect([at({ port: 79, endPort: 81 }, 80), at({ port: 79, endPort: 81 }, 82)]).toEqual([true, false]);
    expect([at({ protocol: "UDP", port: 80 }, 80), at({}, 80), at({ port: "other" }, 80)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("egress rules apply to the sender as well; a pod always reaches itself", () => {
    const deny = rules({ ...all, policyTypes: ["Egress"] });
    expect([toWeb(client, deny), toWeb(otherPod, deny), toWeb(web, deny)]).toEqual([false, true, true]);
    const to = rules({ ...all, policyTypes: ["Egress"], egress: [{ to: [selected] }] });
    expect(toWeb(client, to)).toBe(true);
    expect(toWeb(pod("node", {}, "default", { hostNetwork: true }), deny)).toBe(true);
  });
});
