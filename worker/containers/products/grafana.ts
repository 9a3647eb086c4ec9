// Grafana: its probes and its login page.
import { before } from "../../../shared/base/trim.ts";
import { image } from "../images/known-image.ts";
import type { Page, Visit } from "../shell/server.ts";
import { json, textPage } from "./common/service-client.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

const plain = "text/plain; charset=utf-8";

function answer({ path, image: name, headers }: Visit): Page {
  const bare = before(path, "?#");
  const version = /:v?(\d+\.\d+\.\d+)/.exec(name)?.[1] ?? "12.2.1";
  if (bare === "/api/health" || bare === "/healthz")
    return bare === "/healthz"
      ? textPage("Ok", plain)
      : textPage(`${JSON.stringify({ database: "ok", version, commit: "unknown" }, undefined, 2)}`, json);
  if (bare === "/login")
    return textPage(
      '<!DOCTYPE html>\n<html lang="en-US">\n<head><title>Grafana</title></head>\n<body><h1>Welcome to Grafana</h1><p>Dashboards are not simulated in this sandbox.</p></body>\n</html>\n',
    );
  const isKnown = headers.some(([name]) => name.toLowerCase() === "authorization");
  if (bare.startsWith("/api/"))
    return isKnown ? textPage('{"message":"Not found"}', json, 404) : textPage('{"message":"Unauthorized"}', json, 401);
  return { ...textPage("", "text/html; charset=utf-8", 302), headers: [["Location", "/login"]] };
}

export const grafana: Product = {
  names: ["grafana"],
  images: {
    "grafana/grafana": image(201_340_226, "grafana", { entrypoint: true, programs: "alpine", uid: 472 }),
  },
  configurations: `
grafana/grafana 472=472:0 3000 /usr/share/grafana /run.sh |
grafana/loki 10001 3100 - /usr/bin/loki | -config.file=/etc/loki/local-config.yaml`,
  hub: `
grafana *`,
  programs: { grafana: serving({ ports: [3000], server: { answer } }) },
};
