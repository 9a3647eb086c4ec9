// Programs of the terminal that reach the cluster's network run on the control plane's node.
import { expect, test } from "vitest";
import type { Socket } from "../../../web/kubectl/surroundings.ts";
import { shellWith } from "./shell.ts";

type Listener = (event: { readonly data: unknown; readonly code: number; readonly reason: string }) => void;

const node = (name: string, labels: object) => ({ metadata: { name, labels } });
const nodes = [node("worker", {}), node("plane", { "node-role.kubernetes.io/control-plane": "" })];

/** A shell whose nodes run a command by printing its words, and what they received. */
function shellBesideNodes() {
  const { shell, run, files } = shellWith();
  const paths: string[] = [];
  const inputs: string[] = [];
  const { surroundings } = shell.machine.kubectl;
  Object.assign(surroundings, {
    fetch: (path: string) => {
      if (path !== "/api/v1/nodes") return Promise.resolve(new Response("{}", { status: 404 }));
      return Promise.resolve(new Response(JSON.stringify({ items: nodes })));
    },
    socket: (path: string): Socket => {
      paths.push(path);
      const listeners = new Map<string, Listener>();
      const send = (channel: number, text: string) =>
        listeners.get("message")?.({
          data: Uint8Array.from([channel, ...new TextEncoder().encode(text)]).buffer,
          code: 0,
          reason: "",
        });
      queueMicrotask(() => {
        listeners.get("open")?.({ data: undefined, code: 0, reason: "" });
        const words = new URL(path, "http://c").searchParams.getAll("command");
        send(1, `${words.join(" ")}\n`);
        send(3, JSON.stringify({ status: "Success" }));
        listeners.get("close")?.({ data: undefined, code: 1000, reason: "" });
      });
      return {
        binaryType: "arraybuffer",
        protocol: "v5.channel.k8s.io",
        send: (data) => void inputs.push(new TextDecoder().decode(data)),
        close: () => undefined,
        addEventListener: (type: string, listener: Listener) => void listeners.set(type, listener),
      };
    },
  });
  return { run, files, paths, inputs };
}

test("nslookup, dig and nc run on the control plane's node with their words", async () => {
  const { run, paths, inputs } = shellBesideNodes();
  expect(await run("nslookup web.shop.svc.cluster.local 10.96.0.10")).toMatchObject({
    code: 0,
    out: "nslookup web.shop.svc.cluster.local 10.96.0.10\n",
  });
  expect((await run("dig +short web")).out).toBe("dig +short web\n");
  expect((await run("nc -zv 10.96.0.1 443")).out).toBe("nc -zv 10.96.0.1 443\n");
  expect((await run("echo hello | nc web 80")).out).toBe("nc web 80\n");
  expect(paths.every((path) => path.startsWith("/api/v1/nodes/plane/proxy/exec?"))).toBe(true);
  expect(inputs.join("")).toContain("hello\n");
});

test("curl reaches other hosts than localhost from there, and writes its files in the page", async () => {
  const { run, files } = shellBesideNodes();
  expect((await run("curl -s -m 2 http://10.96.0.9/a")).out).toBe("curl -s -m 2 http://10.96.0.9/a\n");
  expect((await run("echo x > body; curl -d @body web")).out).toBe("curl --data-raw x\n web\n");
  await run("curl -o page.html 10.96.0.9; wget -q 10.96.0.9/x.html");
  expect(files.read("/home/user/page.html")).toBe("curl 10.96.0.9\n");
  expect(files.read("/home/user/x.html")).toBe("curl -s -S 10.96.0.9/x.html\n");
});

test("nc refuses to listen, and says where it can", async () => {
  const { run } = shellBesideNodes();
  expect(await run("nc -l -p 80")).toMatchObject({
    code: 1,
    err: "nc: -l is not in this terminal, which no host can connect to: listen in a container, or on a node with ssh\n",
  });
});

test("the reason is printed if the nodes may not be read", async () => {
  const { run } = shellWith();
  expect((await run("nslookup web")).err).toBe(
    "nslookup: the cluster's network cannot be reached: /api/v1/nodes not found\n",
  );
});
