// The client certificate that a cluster shows to aggregated API servers, and the ConfigMap that publishes its authority.
import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../shared/base/clock.ts";
import { allControllers } from "../../worker/cluster/controllers.ts";
import { makeFrontProxy } from "../../worker/cluster/certificates/front-proxy.ts";
import { configMaps } from "../../worker/kinds/core/config-map.ts";
import { testAuthority } from "../authority.ts";
import { newCluster } from "../cluster.ts";

const name = "extension-apiserver-authentication";
const proxy = makeFrontProxy(systemClock.nowMs());

describe("the front proxy's client certificate", () => {
  test("is for client authentication and is signed by its own authority", () => {
    const certificate = new X509Certificate(proxy.certificate);
    const authority = new X509Certificate(proxy.authority);
    expect([certificate.subject, certificate.issuer]).toEqual(["CN=front-proxy-client", "CN=front-proxy-ca"]);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
    expect(authority.ca).toBe(true);
    expect(proxy.authority).not.toBe(testAuthority.certificate);
  });

  test("is published in kube-system, and again after it was changed or deleted", () => {
    const controllers = allControllers({
      zeroDelays: true,
      caPem: "test",
      authority: testAuthority,
      frontProxy: () => proxy,
    });
    const cluster = newCluster({ nodes: 1, controllers });
    cluster.step(1000);
    const authorityData = () => cluster.get(configMaps, "kube-system", name).data;
    const expected = {
      "client-ca-file": testAuthority.certificate,
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-client-ca-file": proxy.authority,
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-username-headers": '["X-Remote-User"]',
    };
    expect(authorityData()).toEqual(expected);
    cluster.edit(configMaps, "kube-system", name, (configMap) => {
      configMap.data = { ...configMap.data, "requestheader-allowed-names": "[]", other: "kept" };
    });
    cluster.step(1000);
    expect(authorityData()).toEqual({ ...expected, other: "kept" });
    cluster.client.delete(configMaps, "kube-system", name);
    cluster.step(1000);
    expect(authorityData()).toEqual(expected);
  });
});
