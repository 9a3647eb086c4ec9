// Applications that lessons deploy, and kube-proxy: what they listen on, and what they say. Their front ends ask the other services of the application.
import { must } from "../../../../shared/base/assert.ts";
import { before } from "../../../../shared/base/trim.ts";
import { targetOf } from "../agnhost/dial.ts";
import { type Page, serverParts, type Visit } from "../programs/page.ts";
import { html, json, redis, says } from "./asking.ts";
import { wordpressPage, wordpressVariables } from "../../databases/wordpress/page.ts";
import { kubeProxyPage, kubeProxyPorts } from "./kube-proxy.ts";
import { alertmanager, grafana, prometheus } from "./monitoring.ts";
import { details, ofPath, productPage, ratings, reviews } from "./bookinfo.ts";

interface Application {
  readonly ports: readonly number[];
  readonly prints?: string;
  /** Variables of its environment that its pages depend on. */
  readonly reads?: readonly string[];
  /** `settings`: the values of those variables; "" where one is not set. */
  readonly page: (visit: Visit, settings: readonly string[]) => Page;
}

export const applications: Readonly<Record<string, Application>> = {
  podinfo: {
    ports: [9898, 9797, 9999],
    reads: ["PODINFO_UI_COLOR", "PODINFO_UI_MESSAGE"],
    page: podinfo,
  },
  "gb-frontend": { ports: [80], page: guestbook },
  "boutique-frontend": { ports: [8080], page: boutique },
  "bookinfo-productpage": { ports: [9080], page: productPage },
  "bookinfo-details": { ports: [9080], page: (visit) => ofPath(visit, "/details/", details) },
  "bookinfo-ratings": { ports: [9080], page: (visit) => ofPath(visit, "/ratings/", ratings) },
  "bookinfo-reviews-v1": { ports: [9080], page: (visit) => ofPath(visit, "/reviews/", () => reviews(visit)) },
  "bookinfo-reviews-v2": { ports: [9080], page: (visit) => ofPath(visit, "/reviews/", () => reviews(visit, "black")) },
  "bookinfo-reviews-v3": { ports: [9080], page: (visit) => ofPath(visit, "/reviews/", () => reviews(visit, "red")) },
  "kube-proxy": { ports: kubeProxyPorts, page: kubeProxyPage },
  prometheus: { ports: [9090], page: prometheus },
  alertmanager: { ports: [9093, 9094], page: alertmanager },
  grafana: { ports: [3000], page: grafana },
  wordpress: { ports: [80], reads: wordpressVariables, page: wordpressPage },
};

export function isApplication(server: string): boolean {
  return Object.hasOwn(applications, serverParts(server).name);
}

export function applicationPage(visit: Visit): Page {
  const { name, words } = serverParts(visit.server);
  return must(applications[name], name).page(visit, words);
}

function podinfo(
  { path, host, image, port, headers, method, body }: Visit,
  [color = "", message = ""]: readonly string[],
): Page {
  const version = /:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? "6.9.0";
  const shown = (value: object, status = 200) => says(`${JSON.stringify(value, undefined, 2)}`, json, status);
  const bare = before(path, "?#");
  if (port === 9797 || bare === "/metrics") return says("# podinfo\n", "text/plain; charset=utf-8");
  const code = /^\/status\/(\d{3})$/.exec(bare)?.[1];
  if (code !== undefined) return shown({ status: Number(code) }, Number(code));
  if (bare === "/healthz" || bare === "/readyz") return shown({ status: "OK" });
  if (bare === "/version") return shown({ commit: "unknown", version });
  if (bare === "/headers") return shown(Object.fromEntries(headers.map(([name, value]) => [name, [value]])));
  if (bare === "/echo" && method === "POST") return says(body, json, 202);
  if (bare !== "/") return says("404 page not found\n", "text/plain; charset=utf-8", 404);
  return shown({
    hostname: host,
    version,
    revision: "unknown",
    color: color || "#34577c",
    logo: "https://raw.githubusercontent.com/stefanprodan/podinfo/gh-pages/cuddle_clap.gif",
    message: message || `greetings from podinfo v${version}`,
    goos: "linux",
    goarch: "amd64",
    runtime: "go1.24.3",
    num_goroutine: "8",
    num_cpu: "4",
  });
}

/** The tutorial's: messages lie in Redis, written to the leader and read from a follower. */
function guestbook(visit: Visit): Page {
  const [bare = "", query = ""] = visit.path.split("?");
  if (bare !== "/guestbook.php") {
    return says(
      '<html ng-app="redis">\n  <head>\n    <title>Guestbook</title>\n  </head>\n  <body>\n    <h2>Guestbook</h2>\n    <form><input type="text" name="input"><button type="button">Submit</button></form>\n  </body>\n</html>\n',
    );
  }
  // Up to its fourth version they had other names.
  const isOld = /:v[1-4]$/.test(visit.image);
  const [leader, follower] = isOld ? ["redis-master", "redis-slave"] : ["redis-leader", "redis-follower"];
  const form = new URLSearchParams(query);
  const key = form.get("key") ?? "messages";
  if (form.get("cmd") !== "set") {
    const found = redis(visit, follower, ["GET", key]);
    if (found === undefined) return says("Uncaught Predis\\Connection\\ConnectionException", html, 500);
    return says(JSON.stringify({ data: found }), json);
  }
  const done = redis(visit, leader, ["SET", key, form.get("value") ?? ""]);
  return done === undefined
    ? says("Uncaught Predis\\Connection\\ConnectionException", html, 500)
    : says('{"message": "Updated"}', json);
}

const products = [
  "Sunglasses",
  "Tank Top",
  "Watch",
  "Loafers",
  "Hairdryer",
  "Candle Holder",
  "Salt & Pepper Shakers",
  "Bamboo Glass Jar",
  "Mug",
];
const behind = ["productcatalogservice:3550", "currencyservice:7000", "cartservice:7070"];

function boutique(visit: Visit): Page {
  if (visit.path.startsWith("/_healthz")) return says("ok", "text/plain");
  for (const service of behind) {
    const [name = "", port = ""] = service.split(":");
    const target = targetOf(visit, name, port);
    const reached = target && visit.reach?.({ ...target, atMs: visit.nowMs });
    if (reached?.kind !== "open" && reached?.kind !== "answered") {
      const why = `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ${target ? `${target.address}:${port}` : `lookup ${name}`}: connect: connection refused"`;
      return says(
        `<html><head><title>Online Boutique</title></head><body><h1>Uh, oh!</h1><p>${why}</p></body></html>\n`,
        html,
        500,
      );
    }
  }
  const items = products
    .map((name) => `<div class="hot-product-card-name">${name.replace("&", "&amp;")}</div>\n`)
    .join("");
  return says(
    `<!DOCTYPE html>\n<html lang="en">\n<head>\n    <title>\n        Online Boutique\n    </title>\n</head>\n<body>\n<h3>Hot Products</h3>\n${items}</body>\n</html>\n`,
  );
}
