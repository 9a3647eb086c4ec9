// The load of containers by their programs.
import { expect, test } from "vitest";
import type { Container, Pod, Service } from "../../shared/k8s/api/core-v1.ts";
import { requestedServices, servedNanos, stressNanos } from "../../worker/kinds/metrics/load.ts";

const milli = 1_000_000n;
const container = (more: Partial<Container>): Container => ({ name: "c", resources: {}, ...more });
const pod = (spec: Partial<Pod["spec"]>, labels: Record<string, string> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", labels },
  spec: { containers: [], ...spec },
  status: { phase: "Running" },
});
const service = (name: string, selector: Record<string, string>): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { selector },
  status: { loadBalancer: {} },
});

test("stress uses what its arguments request, up to its limit", () => {
  const two = container({ image: "vish/stress", args: ["-cpus", "2"], resources: { limits: { cpu: "1" } } });
  expect(stressNanos(two, "cpu")).toBe(980n * milli);
  const args = ["--vm", "1", "--vm-bytes", "150M", "--vm-hang", "1"];
  const hog = container({ image: "polinux/stress", command: ["stress"], args });
  expect(stressNanos(hog, "memory")).toBe(150n * 1024n * 1024n * 1_000_000_000n);
  expect(stressNanos(hog, "cpu")).toBeUndefined();
  expect(stressNanos(container({ image: "nginx" }), "cpu")).toBeUndefined();
});

test("an endless request loop is load on the pods of the Service", () => {
  const loop = (script: string) => requestedServices(pod({ containers: [container({ args: ["sh", "-c", script] })] }));
  const loops = loop("while sleep 0.01; do wget -q -O- http://php-apache; done");
  expect(loops).toEqual(["default/php-apache"]);
  expect(loop("while true; do curl http://web.other:8080/; done")).toEqual(["other/web"]);
  expect(loop("while sleep 5; do wget -q -O- http://php-apache; done")).toEqual([]);
  expect(loop("wget http://php-apache")).toEqual([]);
  const behind = pod({ containers: [container({ image: "registry.k8s.io/hpa-example" })] }, { run: "php-apache" });
  expect(servedNanos(behind, loops, [service("php-apache", { run: "php-apache" })])).toBe(650n * milli);
  expect(servedNanos(behind, loops, [service("php-apache", { run: "other" })])).toBe(0n);
  expect(servedNanos(behind, loops, [service("another", { run: "php-apache" })])).toBe(0n);
});
