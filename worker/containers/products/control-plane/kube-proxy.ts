// kube-proxy's health check at port 10256, and its metrics at port 10249.
import { before } from "../../../../shared/base/trim.ts";
import { image } from "../../images/known-image.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { json, textPage } from "../common/service-client.ts";
import { serving } from "../common/serving.ts";
import type { Product } from "../module.ts";

const healthPort = 10256;
const metricsPort = 10249;
const text = "text/plain; charset=utf-8";

function pageOf({ path, port, nowMs }: Visit): Page {
  const bare = before(path, "?#");
  if (port === healthPort && (bare === "/healthz" || bare === "/livez")) {
    const now = new Date(nowMs).toISOString();
    const eligible = bare === "/healthz" ? { nodeEligible: true } : {};
    const status = { IPv4: { lastUpdated: now, healthy: true } };
    return textPage(JSON.stringify({ lastUpdated: now, currentTime: now, ...eligible, healthy: true, status }), json);
  }
  if (port === metricsPort && bare === "/healthz") return textPage("ok", text);
  if (port === metricsPort && bare === "/proxyMode") return textPage("iptables", text);
  return textPage("404 page not found\n", text, 404);
}

export const kubeProxy: Product = {
  names: [],
  images: { "kube-proxy": image(28_201_422, "kube-proxy") },
  programs: { "kube-proxy": serving({ ports: [metricsPort, healthPort], server: { answer: pageOf } }) },
};
