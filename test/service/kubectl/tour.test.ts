// The tour: the commands of a first session, at every kubectl, once also with the delays that a person sees.
import { expect, test } from "vitest";
import { findKubectls } from "../binaries.ts";
import { kubectlTest } from "../each-kubectl.ts";
import { kubectlFor } from "../kubectl.ts";
import { control, newSandbox } from "../sandbox.ts";
import { tour } from "../tour.ts";

kubectlTest("the tour, from nodes to a deleted namespace", tour);

kubectlTest("A1: a second sandbox, made by one request, shares nothing with the first", async (kubectl) => {
  const { ok, write, sandbox } = kubectl;
  const headers = { accept: "application/yaml" };
  const answer = await control(sandbox.service, "/v1/sandboxes", { method: "POST", headers });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("content-type")).toBe("application/yaml");
  write("kc", await answer.text());
  await ok("create configmap mine --from-literal=k=v");
  await ok("--kubeconfig kc create configmap theirs --from-literal=k=v");
  expect(await ok("get configmaps -o name")).toBe("configmap/kube-root-ca.crt\nconfigmap/mine\n");
  expect(await ok("--kubeconfig kc get configmaps -o name")).toBe("configmap/kube-root-ca.crt\nconfigmap/theirs\n");
  expect(await ok("--kubeconfig kc get ns default -o jsonpath={.metadata.uid}")).not.toBe(
    await ok("get ns default -o jsonpath={.metadata.uid}"),
  );
});

const [first] = findKubectls();
test.skipIf(!first)("a node with real delays serves the tour, and pods are seen before they are Running", async () => {
  if (!first) return;
  const kubectl = kubectlFor(first, await newSandbox({ kubeletSpeed: "real" }));
  const watch = kubectl.start("get pods -A -w");
  await watch.until(/coredns/);
  await kubectl.ok("create deployment phases --image=nginx");
  for (const phase of ["0/1 +Pending", "0/1 +ContainerCreating", "1/1 +Running"]) {
    await watch.until(new RegExp(`phases-\\S+ +${phase}`));
  }
  await watch.interrupt();
  await kubectl.ok("delete deployment phases --cascade=foreground");
  await tour(kubectl);
});
