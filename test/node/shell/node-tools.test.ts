// What a person runs who debugs a node, and what curl is told of names and bodies.
import { expect, test } from "vitest";
import type { Contact } from "../../../worker/node/shell/process.ts";
import { inImage } from "./in-image.ts";

const files = { "/host/etc/hostname": "node-1\n", "/host/etc/kubernetes/kubelet.conf": "x", "/tmp/body": "a\nb\n" };

test.each([
  ["chroot /host cat /etc/hostname", "node-1\n", 0],
  ["chroot /host sh -c 'echo new > /etc/x; pwd'; cat /host/etc/x", "/\nnew\n", 0],
  ["chroot /nope ls", "chroot: cannot change root directory to '/nope': No such file or directory\n", 1],
  ["chroot /host systemctl is-active kubelet", "active\n", 0],
  ["chroot /host systemctl is-active nope", "inactive\n", 3],
  ["chroot /host crictl ps", "crictl: not simulated in this sandbox\n", 127],
  ["nsenter --mount=/host/proc/1/ns/mnt -- sh -c 'cat /etc/hostname; echo $0'", "node-1\nsh\n", 0],
  ["nsenter --mount=/no/proc/1/ns/mnt ls", "nsenter: cannot open /no/proc/1/ns/mnt: No such file or directory\n", 1],
  ["nsenter -t 1 -m -n ip addr", "nsenter: not simulated in this sandbox\n", 127],
  ["chroot /host systemctl restart kubelet", "systemctl: restart is not simulated in this sandbox\n", 127],
])("N10: on a node's files: %s", (script, all, exit) => {
  expect(inImage("busybox:1.36", ["sh", "-c", script], { files })).toMatchObject({ all, exit });
});

test("N10: curl goes where it is told that a name leads, with what a file holds", () => {
  const asked: Contact[] = [];
  const reach = (contact: Contact) => {
    asked.push(contact);
    return { kind: "answered" as const, answer: { status: 200, contentType: "text/plain", body: "ok", server: "*" } };
  };
  const script = "curl -s --resolve web.example:8080:10.0.0.7 -d @/tmp/body http://web.example:8080/x";
  const { all } = inImage("nginx:1.27", ["sh", "-c", script], { files, world: { service: () => undefined, reach } });
  expect(all).toBe("ok");
  const [one] = asked.filter(({ request }) => request);
  expect([one?.address, one?.request?.method, one?.request?.body]).toEqual(["10.0.0.7", "POST", "ab"]);
  expect(one?.request?.headers[0]).toEqual(["Host", "web.example:8080"]);
});
