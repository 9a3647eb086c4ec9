// Images of the simulated registries, settings that add images, and the kubelet's errors for missing ones.
import { describe, expect, test } from "vitest";
import type { Images } from "../../shared/contract/sandbox.ts";
import type { Container, Pod } from "../../shared/k8s/api/core-v1.ts";
import { base64OfText } from "../../shared/base/base64.ts";
import { namespaces } from "../../worker/kinds/core/namespace.ts";
import { pods } from "../../worker/kinds/core/pod/pod.ts";
import { secrets } from "../../worker/kinds/core/secret.ts";
import { parseImage } from "../../worker/containers/images/reference.ts";
import { pulledImage, pullProblem } from "../../worker/containers/images/registry.ts";
import { quietCluster, type TestCluster } from "../cluster.ts";

const denied =
  "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed";

function problemOf(image: string): string | undefined {
  const reference = parseImage(image);
  if ("error" in reference) throw new Error(reference.error);
  return pullProblem(reference, () => false);
}

describe("N4: image references", () => {
  test.each(
    `nginx nginx:latest nginx:1.27 nginx:1.14.2 nginx:1.7.9 nginx:1 nginx:alpine nginx:1.27-alpine3.20-slim nginx:stable nginx:mainline
    nginx:1.33 docker.io/nginx:1.27 docker.io/library/nginx index.docker.io/library/nginx busybox:1.28 busybox:musl busybox:1.36.1-glibc
    redis:7 redis:7.4-alpine redis:5.0.4 redis:alpine redis:8 postgres:17 postgres:10.1 postgres:16-bookworm postgres:19
    mysql:5.6 mysql:8.0 mysql:9 mariadb:10.6 mongo:7 mongo:4.4.6 httpd:2.4 httpd:2.4-alpine python:3.12-slim python:3 node:22-alpine node:lts
    golang:1.24 ubuntu:22.04 ubuntu:jammy ubuntu debian:bookworm-slim debian:12 alpine:3.20 alpine:edge alpine:20260127 perl:5.34 perl:5.34.0
    wordpress:6.2.1-apache wordpress:4.8-apache php:8.2-fpm-alpine rabbitmq:3-management memcached:1.6 openjdk:17-jdk-slim eclipse-temurin:21-jre
    tomcat:10-jdk17 traefik:v3.1 registry:2 hello-world hello-world:linux bash:5 centos:7 centos:centos7 fedora:40 haproxy:2.8 ruby:3.3 rust:1.80
    elasticsearch:8.15.0 zookeeper:3.9 cassandra:4 nats:2.10-alpine influxdb:2 telegraf:1.30 vault:1.13 consul:1.15 docker:27-dind
    curlimages/curl:8.9.1 bitnami/redis:7.4 grafana/grafana:11.1.0 prom/prometheus:v2.53.0 hashicorp/http-echo:1.0 nginxinc/nginx-unprivileged
    stefanprodan/podinfo:6.7.0 kodekloud/webapp-color nicolaka/netshoot kennethreitz/httpbin mccutchen/go-httpbin polinux/stress vish/stress
    traefik/whoami richardchesterwood/k8s-fleetman-queue:release1 minio/minio:latest jmalloc/echo-server paulbouwer/hello-kubernetes:1.10
    ghcr.io/a/b:v1 registry.example.com/shop:1 localhost:5000/app registry:5000/nginx quay.io/nobody/nothing:v1 myorg/app:1 registry.k8s.io/pause:3.10
    gcr.io/google-samples/kubernetes-bootcamp:v2 nginx@sha256:${"a".repeat(64)}`
      .trim()
      .split(/\s+/),
  )("%s exists", (image) => {
    expect(problemOf(image)).toBeUndefined();
    const reference = parseImage(image);
    if ("error" in reference) throw new Error(reference.error);
    expect(pulledImage(reference)).toEqual(pulledImage(reference));
  });

  test.each([
    ["ngnix", "docker.io/library/ngnix:latest"],
    ["nginxx:1.27", "docker.io/library/nginxx:1.27"],
    ["busybocks", "docker.io/library/busybocks:latest"],
    ["bitnmai/redis:7", "docker.io/bitnmai/redis:7"],
    ["stefanprodan/podinof", "docker.io/stefanprodan/podinof:latest"],
    ["library/ngnix", "docker.io/library/ngnix:latest"],
    ["a/b/c", "docker.io/a/b/c:latest"],
    ["doesnotexist/app", "docker.io/doesnotexist/app:latest"],
  ])("%s is denied with the registry's answer for an unknown repository", (image, text) => {
    expect(problemOf(image)).toBe(
      `failed to pull and unpack image "${text}": failed to resolve reference "${text}": ${denied}`,
    );
  });

  test.each([
    ["nginx:latst", "docker.io/library/nginx:latst"],
    ["nginx:1.161", "docker.io/library/nginx:1.161"],
    ["nginx:3", "docker.io/library/nginx:3"],
    ["redis:7.99", "docker.io/library/redis:7.99"],
    ["busybox:latestt", "docker.io/library/busybox:latestt"],
    ["python:3.99", "docker.io/library/python:3.99"],
    ["nginx:1.27-alpin", "docker.io/library/nginx:1.27-alpin"],
    ["nginx:does-not-exist", "docker.io/library/nginx:does-not-exist"],
    ["grafana/grafana:lastest", "docker.io/grafana/grafana:lastest"],
    ["gcr.io/google-samples/kubernetes-bootcamp:v10", "gcr.io/google-samples/kubernetes-bootcamp:v10"],
  ])("%s has no such tag", (image, text) => {
    expect(problemOf(image)).toBe(
      `rpc error: code = NotFound desc = failed to pull and unpack image "${text}": failed to resolve reference "${text}": ${text}: not found`,
    );
  });

  test("an image fails if its registry's host does not exist", () => {
    expect(problemOf("invalid.registry.k8s.io/alpine:3.1")).toContain(
      'failed to do request: Head "https://invalid.registry.k8s.io/v2/alpine/manifests/3.1": dial tcp: lookup invalid.registry.k8s.io on 172.18.0.1:53: no such host',
    );
  });
});

describe("N4: an image outside the catalogues", () => {
  test.each<[Images, string, boolean]>([
    ["strict", "my-company/app:latst", false],
    ["any", "my-company/app:latst", true],
    ["any", "nginx:latst", true],
    [["docker.io/my-company"], "my-company/app:latst", true],
    [["my-company"], "my-company/app:latst", true],
    [["my-company"], "my-company2/app:latst", false],
    [["docker.io/my-company/app"], "my-company/app:latst", true],
    [["docker.io/my-company/app"], "my-company/apple:latst", false],
  ])("with the sandbox's images %j, %s exists: %s", (images, image, isThere) => {
    expect(stateOf(quietCluster({ images }), image)).toBe(isThere ? "running" : "ErrImagePull");
  });

  test.each([
    ["any", true],
    ["docker.io/my-company", true],
    ["ghcr.io/other, my-company", true],
    ["strict", false],
    ["", false],
  ])("exists in a namespace annotated with %j: %s", (value, isThere) => {
    const cluster = quietCluster({ images: "strict" });
    cluster.edit(namespaces, "", "default", ({ metadata }) => {
      metadata.annotations = { "sandbar.dev/images": value };
    });
    expect(stateOf(cluster, "my-company/app:latst")).toBe(isThere ? "running" : "ErrImagePull");
  });

  test.each([
    ["https://index.docker.io/v1/", "my-company/app:latst", true],
    ["docker.io", "my-company/app:latst", true],
    ["ghcr.io", "my-company/app:latst", false],
    ["https://index.docker.io/v1/", "ngnix:1", true],
  ])("exists with a pull secret for %s, of %s: %s", (host, image, isThere) => {
    const cluster = quietCluster({ images: "strict" });
    const config = { auths: { [host]: { username: "u", password: "p", auth: base64OfText("u:p") } } };
    cluster.apply(secrets, {
      metadata: { name: "regcred", namespace: "default" },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": base64OfText(JSON.stringify(config)) },
    });
    const state = stateOf(cluster, image, { imagePullSecrets: [{ name: "regcred" }] });
    expect(state).toBe(isThere ? "running" : "ErrImagePull");
  });

  test("does not exist with a pull secret of more than 64 Ki characters, which is not read", () => {
    const cluster = quietCluster({ images: "strict" });
    const config = {
      auths: { "docker.io": { username: "u", password: "p".repeat(50_000), auth: base64OfText("u:p") } },
    };
    cluster.apply(secrets, {
      metadata: { name: "regcred", namespace: "default" },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": base64OfText(JSON.stringify(config)) },
    });
    const state = stateOf(cluster, "my-company/app:latst", { imagePullSecrets: [{ name: "regcred" }] });
    expect(state).toBe("ErrImagePull");
  });

  test("exists from the next attempt on after the annotation is set", () => {
    const cluster = quietCluster({ images: "strict" });
    expect(stateOf(cluster, "my-company/app:latst")).toBe("ErrImagePull");
    cluster.edit(namespaces, "", "default", ({ metadata }) => {
      metadata.annotations = { "sandbar.dev/images": "any" };
    });
    cluster.step(20_000);
    expect(cluster.get(pods, "default", "web").status.containerStatuses?.[0]?.state.running).toBeDefined();
  });

  test("has an event about a missing pull secret", () => {
    const cluster = quietCluster({ images: "strict" });
    stateOf(cluster, "nginx:1.27", { imagePullSecrets: [{ name: "regcred" }, { name: "other" }] });
    expect(cluster.eventsOf(cluster.get(pods, "default", "web"))).toContain(
      "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (regcred, other); attempting to pull the image may not succeed.",
    );
  });
});

/** Returns the state of the first container of a new pod. */
function stateOf(cluster: TestCluster, image: string, spec: Partial<Pod["spec"]> = {}): string {
  const containers: Container[] = [{ name: "web", image, resources: {} }];
  cluster.apply(pods, { metadata: { name: "web", namespace: "default" }, spec: { containers, ...spec } });
  cluster.step(500);
  const state = cluster.get(pods, "default", "web").status.containerStatuses?.[0]?.state;
  return state?.running ? "running" : (state?.waiting?.reason ?? "");
}
