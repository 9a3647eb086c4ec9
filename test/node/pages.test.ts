// What servers of well-known images say.
import { expect, test } from "vitest";
import { pageOf } from "../../worker/node/shell/programs/pages.ts";

test.each([
  ["kubernetes_bootcamp", "gcr.io/google-samples/kubernetes-bootcamp:v1", "| v=1\n"],
  ["kubernetes_bootcamp", "docker.io/jocatalin/kubernetes-bootcamp:v2", "| v=2\n"],
  ["kubernetes_bootcamp", "localhost:5000/kubernetes-bootcamp", "| v=1\n"],
  ["hello-app", "us-docker.pkg.dev/google-samples/containers/gke/hello-app:2.0", "\nVersion: 2.0.0\n"],
])("%s of %s tells its release", (server, image, text) => {
  const visit = { server, image, path: "/", status: 200, files: new Map(), host: "web-0" };
  expect(pageOf(visit).body).toContain(text);
});
