// The contexts of an exam of several clusters: kubectl and the shell's programs reach the cluster of the current context.
import { expect, test } from "vitest";
import { memoryFiles } from "../../../web/kubectl/files.ts";
import { currentConnection } from "../../../web/kubectl/kubeconfig.ts";
import { newKubectl } from "../../../web/kubectl/kubectl.ts";
import type { ClusterConnection, Surroundings } from "../../../web/kubectl/surroundings.ts";
import { home } from "../../../web/terminal/shell/shell.ts";
import { smallCluster, surroundings } from "./shell.ts";

function twoClusters() {
  const requests: string[] = [];
  const connection = (name: string): ClusterConnection => ({
    name,
    server: `https://${name}`,
    fetch: (path, init) => {
      requests.push(name);
      return smallCluster(path, init);
    },
    socket: () => {
      throw new Error("no socket");
    },
  });
  const clusters = ["c1", "c2"].map(connection);
  const context = { name: "c1", cluster: "c1", user: "c1", server: "https://c1", namespace: "shop" };
  const around: Surroundings = {
    ...surroundings(memoryFiles({ [`${home}/`]: "" }, home)),
    context,
    clusters,
    fetch: (path, init) => {
      const current = currentConnection(around);
      if (!current) throw new Error("there is no current cluster");
      return current.fetch(path, init);
    },
  };
  const kubectl = newKubectl(around);
  const run = async (line: string) => {
    const output = { out: "", err: "" };
    const streams = {
      out: (text: string) => void (output.out += text),
      err: (text: string) => void (output.err += text),
      input: async () => "",
      signal: new AbortController().signal,
    };
    requests.length = 0;
    const code = await kubectl.run(line.split(" "), streams);
    return { code, ...output, requests: [...new Set(requests)] };
  };
  return { run, around, kubectl, requests };
}

test("every cluster has a context, and the first one is the current one", async () => {
  const { run } = twoClusters();
  expect((await run("config get-contexts")).out).toBe(
    "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n*         c1     c1        c1         shop\n          c2     c2        c2         \n",
  );
  expect((await run("config view -o jsonpath={.clusters[*].cluster.server}")).out).toBe("https://c1 https://c2");
  expect(await run("get pods")).toMatchObject({ code: 0, requests: ["c1"] });
});

test("use-context leads kubectl, completion and other programs to another cluster, and --context one command", async () => {
  const { run, around, kubectl, requests } = twoClusters();
  expect((await run("--context c2 get pods -n shop")).requests).toEqual(["c2"]);
  expect(currentConnection(around)?.name).toBe("c1");
  expect((await run("config use-context c2")).out).toBe('Switched to context "c2".\n');
  expect((await run("get pods -n shop")).requests).toEqual(["c2"]);
  expect((await run("config current-context")).out).toBe("c2\n");
  expect(currentConnection(around)?.name).toBe("c2");
  requests.length = 0;
  expect(await kubectl.complete(["get", "pods", "-n", "shop", "web"], new AbortController().signal)).toEqual([
    "web-1",
    "web-2",
  ]);
  expect([...new Set(requests)]).toEqual(["c2"]);
  expect((await run("--context c1 get pods")).requests).toEqual(["c1"]);
});

test("each context has a namespace of its own", async () => {
  const { run, around } = twoClusters();
  await run("config use-context c2");
  await run("config set-context --current --namespace=other");
  expect(around.context.namespace).toBe("other");
  await run("config use-context c1");
  expect(around.context.namespace).toBe("shop");
});

test("a cluster that is not the page's is refused", async () => {
  const { run } = twoClusters();
  await run("config set-cluster far --server=https://far");
  await run("config set-context far --cluster=far --user=c1");
  expect(await run("--context far get pods")).toMatchObject({
    code: 1,
    err: "Unable to connect to the server: a page reaches its own sandboxes alone, not https://far\n",
    requests: [],
  });
});
