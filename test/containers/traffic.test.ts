// Requests of containers within a cluster: DNS, Services, pods, policies.
import { beforeAll, describe, expect, test } from "vitest";
import { networkPolicies } from "../../worker/kinds/networking/network-policy.ts";
import { clusterRoles } from "../../worker/kinds/rbac/cluster-role.ts";
import { clusterRoleBindings } from "../../worker/kinds/rbac/cluster-role-binding.ts";
import { roleBindings } from "../../worker/kinds/rbac/role-binding.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { clusterView } from "../../worker/containers/network/cluster-view.ts";
import { execOutput, runOfStatus } from "../../worker/containers/output.ts";
import { containerOutput } from "../kubelet/pod-run.ts";
import { newCluster, type TestCluster } from "../cluster.ts";

let cluster: TestCluster;

function createPod(name: string, image: string, more: object = {}, container: object = {}): void {
  const metadata = { name, namespace: "default", labels: { app: name.replace(/-\d$/, "") } };
  cluster.apply(pods, { metadata, spec: { ...more, containers: [{ name: "c", image, ...container }] } });
}

function createService(name: string, ports: readonly object[], more: object = {}): void {
  const spec = { selector: { app: name }, ports, ...more };
  cluster.apply(services, { metadata: { name, namespace: "default" }, spec });
}

/** Returns both outputs of a script in a pod, with `[code]` appended if it is not 0. */
function outputOf(script: string, pod = "shell"): string {
  const nowMs = cluster.clock.nowMs();
  const command = { words: ["sh", "-c", script], nowMs, untilMs: nowMs + 3_600_000 };
  const [currentPod, view] = [cluster.get(pods, "default", pod), clusterView(cluster.client)];
  const done = execOutput(currentPod, "c", view, runOfStatus(currentPod, "c", view, nowMs, false), command);
  if (!done || "missing" in done) return "not there";
  const text = done.chunks.map((chunk) => chunk.text).join("");
  return done.end?.exitCode === 0 ? text : `${text}[${done.end?.exitCode ?? "runs"}]`;
}

const addressOf = (pod: string) => cluster.get(pods, "default", pod).status.podIP ?? "";

beforeAll(() => {
  cluster = newCluster();
  cluster.runUntilQuiet();
  createPod("shell", "busybox", {}, { args: ["sleep", "1d"] });
  createPod("curl", "curlimages/curl", {}, { args: ["sleep", "1d"] });
  createPod("web-1", "nginx", {}, { ports: [{ name: "http", containerPort: 80 }] });
  createPod("web-2", "nginx");
  createPod("echo-1", "hashicorp/http-echo", { hostname: "one", subdomain: "echo" }, { args: ["-text=hello"] });
  createPod("cache-1", "redis");
  createService("web", [{ name: "web", port: 8080, targetPort: 80 }]);
  createService("echo", [{ port: 80, targetPort: 5678 }], { clusterIP: "None" });
  createService("named", [{ port: 80, targetPort: "http" }], { selector: { app: "web" } });
  createService("empty", [{ port: 80 }]);
  createService("elsewhere", [], {
    type: "ExternalName",
    externalName: "web.default.svc.cluster.local",
    selector: undefined,
  });
  cluster.step(5000);
});

describe("a request", () => {
  test("goes through the Service to a pod, and gets that pod's answer", () => {
    expect(outputOf("wget -qO- web:8080 | grep title")).toBe("<title>Welcome to nginx!</title>\n");
    expect(outputOf("wget -qO- http://elsewhere.default:8080/ | head -1")).toBe("<!DOCTYPE html>\n");
    expect(outputOf("wget -qO- named.default.svc.cluster.local | wc -l")).toMatch(/^\s*\d\d\n$/);
    expect(outputOf("wget -qO- one.echo:5678")).toBe("hello\n");
    expect(outputOf(`wget -qO- ${addressOf("echo-1")}:5678`)).toBe("hello\n");
  });

  test("is spread over the pods, and with ClientIP affinity stays with one pod", () => {
    const ask = (name: string) => outputOf(`for i in $(seq 20); do wget -qO- ${name}/clientip; echo; done`).split("\n");
    createPod("spread-1", "agnhost", {}, { args: ["serve-hostname"] });
    createPod("spread-2", "agnhost", {}, { args: ["serve-hostname"] });
    createService("spread", [{ port: 80, targetPort: 9376 }]);
    createService("sticky", [{ port: 80, targetPort: 9376 }], {
      sessionAffinity: "ClientIP",
      selector: { app: "spread" },
    });
    cluster.step(5000);
    expect(new Set(ask("spread").filter(Boolean))).toEqual(new Set(["spread-1", "spread-2"]));
    expect(new Set(ask("sticky").filter(Boolean)).size).toBe(1);
  });

  test("is refused without endpoints or a listener, and times out at a port of no Service", () => {
    expect(outputOf("wget -qO- empty")).toMatch(
      /^wget: can't connect to remote host \(10\.[\d.]+\): Connection refused\n\[1\]$/,
    );
    expect(outputOf(`wget -qO- ${addressOf("web-1")}:81`)).toMatch(/Connection refused\n\[1\]$/);
    expect(outputOf("wget -T 3 -qO- web:81; date +%s")).toMatch(/^wget: download timed out\n\d+\n$/);
    expect(outputOf("wget -qO- nope")).toBe("wget: bad address 'nope'\n[1]");
    expect(outputOf("wget -qO- 10.244.9.9")).toMatch(/No route to host\n\[1\]$/);
    expect(outputOf("nc -zv -w 1 web 8080; nc -zv -w 1 web 81")).toMatch(
      / open\nnc: web \(.*:81\): Connection timed out\n\[1\]$/,
    );
  });

  test("by wget prints busybox's messages", () => {
    const size = outputOf("wget -qO- web:8080 | wc -c").trim();
    expect(outputOf("wget web:8080 && wget web:8080")).toMatch(
      new RegExp(
        `^Connecting to web:?.*\\(.*:8080\\)\nsaving to 'index.html'\nindex.html           100% \\|\\*{32}\\|   ${size}  0:00:00 ETA\n'index.html' saved\nConnecting to .*\nwget: can't open 'index.html': File exists\n\\[1\\]$`,
      ),
    );
    expect(outputOf("wget --spider --timeout=1 web:8080")).toMatch(/^Connecting to web .*\nremote file exists\n$/);
    expect(outputOf("wget -O- web:8080/nope 2>&1 | tail -1")).toBe(
      "wget: server returned error: HTTP/1.1 404 Not Found\n",
    );
  });

  test("by curl exits with curl's codes", () => {
    const status = "curl -s -o /dev/null -w '%{http_code} '";
    expect(outputOf(`${status} web:8080; ${status} web:8080/nope`, "curl")).toBe("200 404 ");
    expect(outputOf("curl -sS nope", "curl")).toBe("curl: (6) Could not resolve host: nope\n[6]");
    expect(outputOf("curl -sS empty", "curl")).toMatch(
      /^curl: \(7\) Failed to connect to empty port 80 after \d+ ms: .*\n\[7\]$/,
    );
    expect(outputOf("curl -sSf web:8080/nope", "curl")).toBe("curl: (22) The requested URL returned error: 404\n[22]");
    expect(outputOf("curl -sS -m 2 web:81", "curl")).toBe(
      "curl: (28) Connection timed out after 2000 milliseconds\n[28]",
    );
    expect(outputOf(`curl -s ${addressOf("cache-1")}:6379`, "curl")).toBe("[52]");
    expect(outputOf("curl -sI web:8080", "curl")).toMatch(/^HTTP\/1.1 200 OK\r\nServer: nginx\/[\d.]+\r\n/);
  });

  test("by the container's own command is in its log, followed by the later output", () => {
    createPod(
      "once",
      "busybox",
      { restartPolicy: "Never" },
      { command: ["sh", "-c", "wget -qO- one.echo:5678; echo done"] },
    );
    cluster.step(5000);
    const once = cluster.get(pods, "default", "once");
    const log = containerOutput(once, "c", clusterView(cluster.client), cluster.clock.nowMs());
    expect(log?.lines.map((line) => line.text)).toEqual(["hello", "done"]);
  });

  test("resolves named ports by SRV records", () => {
    expect(outputOf("nslookup -type=srv _web._tcp.web")).toContain(
      "\tservice = 0 100 8080 web.default.svc.cluster.local.\n",
    );
  });
});

describe("NetworkPolicies", () => {
  const policy = (name: string, spec: object) =>
    cluster.apply(networkPolicies, { metadata: { name, namespace: "default" }, spec });

  test("block clients that no rule allows, until they are deleted", () => {
    const from = [{ podSelector: { matchLabels: { app: "curl" } } }];
    policy("access", { podSelector: { matchLabels: { app: "web" } }, ingress: [{ from }] });
    expect(outputOf("wget --spider --timeout=1 web:8080")).toMatch(
      /^Connecting to web .*\nwget: download timed out\n\[1\]$/,
    );
    expect(outputOf("curl -s -o /dev/null web:8080", "curl")).toBe("");
    cluster.client.delete(networkPolicies, "default", "access");
    expect(outputOf("wget -q --spider --timeout=1 web:8080")).toBe("");
  });

  test("block DNS as well if egress is denied", () => {
    policy("deny", { podSelector: {}, policyTypes: ["Egress"] });
    expect(outputOf("wget -qO- -T 1 web:8080")).toBe("wget: bad address 'web'\n[1]");
    expect(outputOf("nslookup web")).toBe(";; connection timed out; no servers could be reached\n\n[1]");
    expect(outputOf(`wget -qO- -T 1 ${addressOf("web-1")}`)).toBe("wget: download timed out\n[1]");
    cluster.client.delete(networkPolicies, "default", "deny");
  });
});

describe("the API in a container", () => {
  test("answers a container with what its service account may read, and rejects changes", () => {
    const list = "https://kubernetes.default/api/v1/namespaces/default/pods";
    const bearer = '-H "Authorization: Bearer $(cat /var/run/secrets/kubernetes.io/serviceaccount/token)"';
    expect(outputOf(`curl -sk ${list}`, "curl")).toContain(
      'User \\"system:anonymous\\" cannot list resource \\"pods\\"',
    );
    expect(outputOf(`curl -sk ${bearer} ${list}`, "curl")).toContain(
      'User \\"system:serviceaccount:default:default\\" cannot',
    );
    cluster.apply(roleBindings, {
      metadata: { name: "view", namespace: "default" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
    });
    expect(outputOf(`curl -sk ${bearer} ${list}`, "curl")).toContain('"kind": "PodList"');
    expect(outputOf(`curl -sk -X DELETE ${bearer} ${list}/shell`, "curl")).toContain('"code": 501');
    expect(outputOf("curl -s https://kubernetes", "curl")).toBe("[60]");
  });
});

describe("a kubelet's port", () => {
  test("answers 401 without a token, and authorizes other requests by the cluster's rules", () => {
    const node = cluster.get(pods, "default", "curl").status.hostIP ?? "";
    const bearer = '-H "Authorization: Bearer $(cat /var/run/secrets/kubernetes.io/serviceaccount/token)"';
    const code = "-o /dev/null -w '%{http_code}'";
    expect(outputOf(`curl -sk ${code} https://${node}:10250/pods`, "curl")).toBe("401");
    expect(outputOf(`curl -skI ${code} ${bearer} https://${node}:10250/metrics`, "curl")).toBe("403");
    expect(outputOf(`curl -sk ${bearer} https://${node}:10250/pods/`, "curl")).toBe(
      "Forbidden (user=system:serviceaccount:default:default, verb=get, resource=nodes, subresource(s)=[pods proxy])\n",
    );
    cluster.apply(clusterRoles, {
      metadata: { name: "pods-of-nodes" },
      rules: [{ apiGroups: [""], resources: ["nodes/pods"], verbs: ["get"] }],
    });
    cluster.apply(clusterRoleBindings, {
      metadata: { name: "pods-of-nodes" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "pods-of-nodes" },
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
    });
    expect(outputOf(`curl -sk ${bearer} https://${node}:10250/pods`, "curl")).toContain('{"kind":"PodList"');
    expect(outputOf(`curl -sk ${code} ${bearer} https://${node}:10250/healthz`, "curl")).toBe("403");
  });
});

describe("redis-cli", () => {
  test("sets and gets values in its server's container", () => {
    expect(outputOf("redis-cli ping; redis-cli get a; redis-cli incr a", "cache-1")).toBe("PONG\n\n1\n");
    expect(outputOf("redis-cli config get maxmemory", "cache-1")).toBe("maxmemory\n0\n");
  });
});
