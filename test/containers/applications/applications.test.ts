// Applications that lessons deploy come to run, and their front ends answer through their Services.
import { describe, expect, test } from "vitest";
import { daemonSets } from "../../../worker/kinds/apps/daemon-set.ts";
import { deployments } from "../../../worker/kinds/apps/deployment.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { applyManifests } from "../../../worker/cluster/manifests/manifests.ts";
import { quietCluster, type TestCluster } from "../../cluster.ts";
import { boutique, bookinfo, guestbook, monitoring, podinfo, small, wordpress } from "./manifests.ts";

function deployed(manifests: string): TestCluster {
  const cluster = quietCluster({ base: "layered", systemPods: true, images: "strict" });
  for (const _step of applyManifests(cluster.registry, manifests));
  cluster.step(120_000);
  return cluster;
}

/** Returns the response of a ready pod behind a Service, as the API's proxies and port-forward receive it. */
async function visit(
  cluster: TestCluster,
  service: string,
  path = "/",
  at = 0,
  more: { method?: string; body?: string; headers?: readonly (readonly [string, string])[] } = {},
) {
  const { spec } = cluster.get(services, "default", service);
  const behind = cluster.client
    .list(pods, { namespace: "default" })
    .filter(({ metadata }) =>
      Object.entries(spec.selector ?? {}).every(([key, value]) => metadata.labels?.[key] === value),
    );
  const pod = behind[at];
  const [port] = spec.ports ?? [];
  if (!pod || !port) throw new Error(`nothing is behind ${service}`);
  const request = { method: "GET", path, headers: [["Host", service] as const], body: "", ...more };
  const answer = await cluster.containers.answer(pod, Number(port.targetPort), request);
  cluster.step(1_000);
  return answer;
}

describe("N8: applications whose pods are all ready", () => {
  test.each(Object.entries({ boutique, bookinfo, guestbook, podinfo, wordpress, small, monitoring }))(
    "%s",
    (_, manifests) => {
      const cluster = deployed(manifests);
      const lacking = cluster.client
        .list(deployments, { namespace: "default" })
        .filter(({ spec, status }) => (status.availableReplicas ?? 0) < (spec.replicas ?? 1))
        .map(({ metadata }) => metadata.name);
      expect(lacking).toEqual([]);
      expect(cluster.get(daemonSets, "kube-system", "kube-proxy").status.numberReady).toBe(3);
    },
  );
});

describe("N8: front ends of applications", () => {
  test("the online boutique shows its products, and an error if a service is missing", async () => {
    const cluster = deployed(boutique);
    const page = await visit(cluster, "frontend");
    expect([page?.status, page?.body]).toEqual([200, expect.stringContaining("Hot Products")]);
    expect(page?.body).toContain("Sunglasses");
    cluster.client.delete(deployments, "default", "cartservice");
    cluster.step(60_000);
    expect((await visit(cluster, "frontend"))?.status).toBe(500);
  });

  test("the online boutique is ready for a waiting step as soon as its last service is ready", () => {
    const cluster = deployed(boutique);
    cluster.edit(deployments, "default", "cartservice", ({ spec }) => void (spec.replicas = 0));
    cluster.step(60_000);
    const script = `for i in $(seq 1 12); do wget -q -O- http://frontend && exit 0; sleep 10; done; exit 1`;
    const step = { name: "wait", image: "busybox:1.36", command: ["sh", "-c", script] };
    const spec = {
      initContainers: [step],
      containers: [{ name: "main", image: "busybox:1.36", args: ["sleep", "1000"] }],
    };
    cluster.apply(pods, { metadata: { name: "load", namespace: "default" }, spec });
    cluster.step(30_000);
    expect(cluster.get(pods, "default", "load").status.phase).toBe("Pending");
    cluster.edit(deployments, "default", "cartservice", ({ spec }) => void (spec.replicas = 1));
    cluster.step(30_000);
    expect(cluster.get(pods, "default", "load").status.phase).toBe("Running");
  });

  test("bookinfo shows the answers of details and of one version of reviews", async () => {
    const cluster = deployed(bookinfo);
    const hosts = new Set<string>();
    for (let count = 0; count < 12; count++) {
      const { body = "" } = (await visit(cluster, "productpage", "/productpage")) ?? {};
      expect(body).toContain("<title>Simple Bookstore App</title>");
      expect(body).toContain("William Shakespeare");
      expect(body).toContain("An extremely entertaining play by Shakespeare.");
      hosts.add(/color="(\w+)"/.exec(body)?.[1] ?? "none");
    }
    expect(hosts).toEqual(new Set(["none", "black", "red"]));
    expect((await visit(cluster, "ratings", "/ratings/0"))?.body).toBe(
      '{"id":0,"ratings":{"Reviewer1":5,"Reviewer2":4}}',
    );
  });

  test("the guestbook shows the messages from every replica", async () => {
    const cluster = deployed(guestbook);
    expect((await visit(cluster, "frontend"))?.body).toContain("<title>Guestbook</title>");
    const set = await visit(cluster, "frontend", "/guestbook.php?cmd=set&key=messages&value=hello,world");
    expect(set?.body).toBe('{"message": "Updated"}');
    for (const at of [0, 1, 2]) {
      expect((await visit(cluster, "frontend", "/guestbook.php?cmd=get&key=messages", at))?.body).toBe(
        '{"data":"hello,world"}',
      );
    }
  });

  test("podinfo shows its version, color and host", async () => {
    const cluster = deployed(podinfo);
    const answerFields = JSON.parse((await visit(cluster, "podinfo"))?.body ?? "") as Record<string, string>;
    expect(answerFields).toMatchObject({
      version: "6.7.1",
      color: "#34577c",
      message: "greetings from podinfo v6.7.1",
    });
    expect(answerFields["hostname"]).toMatch(/^podinfo-/);
    expect((await visit(cluster, "podinfo", "/status/418"))?.status).toBe(418);
  });

  test("WordPress shows its installation page, and an error if its database is missing", async () => {
    const cluster = deployed(wordpress);
    expect(await visit(cluster, "wordpress")).toMatchObject({
      status: 302,
      headers: [["Location", "http://wordpress/wp-admin/install.php"]],
    });
    expect((await visit(cluster, "wordpress", "/wp-admin/install.php"))?.body).toContain(
      "WordPress &rsaquo; Installation",
    );
    cluster.edit(deployments, "default", "wordpress-mysql", ({ spec }) => void (spec.replicas = 0));
    cluster.step(60_000);
    expect(await visit(cluster, "wordpress")).toMatchObject({ status: 500 });
  });

  test("the small applications show their names", async () => {
    const cluster = deployed(small);
    expect((await visit(cluster, "kubernetes-bootcamp"))?.body).toMatch(
      /^Hello Kubernetes bootcamp! \| Running on: \S+ \| v=1\n$/,
    );
    expect((await visit(cluster, "hello"))?.body).toMatch(/^Hello, world!\nVersion: 2\.0\.0\nHostname: hello-/);
  });
});
