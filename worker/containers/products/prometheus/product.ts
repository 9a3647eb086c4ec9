// Prometheus and Alertmanager, with the operator that creates them from custom resources.
import { before } from "../../../../shared/base/trim.ts";
import { image, type KnownImage } from "../../images/known-image.ts";
import type { Page, Visit } from "../../shell/server.ts";
import { textPage } from "../common/service-client.ts";
import { serving } from "../common/serving.ts";
import type { Product } from "../module.ts";
import { prometheusOperator } from "./operator.ts";
import { prometheusPage } from "./server.ts";

const plain = "text/plain; charset=utf-8";

function alertmanagerPage({ path, image: name }: Visit): Page {
  const bare = before(path, "?#");
  if (bare === "/-/ready" || bare === "/-/healthy") return textPage("OK", plain);
  if (bare === "/api/v2/alerts" || bare === "/api/v2/silences") return textPage("[]\n", "application/json");
  if (bare === "/api/v2/status")
    return textPage(
      JSON.stringify({
        cluster: { status: "ready", peers: [] },
        versionInfo: { version: /:v?(\d+\.\d+\.\d+)/.exec(name)?.[1] ?? "0.29.0" },
        config: { original: "" },
      }),
      "application/json",
    );
  if (bare.startsWith("/api/")) return textPage("404 page not found\n", plain, 404);
  return textPage(
    '<!DOCTYPE html>\n<html lang="en">\n<head><title>Alertmanager</title></head>\n<body><p>The pages of Alertmanager are not simulated in this sandbox.</p></body>\n</html>\n',
  );
}

const more = { entrypoint: true, programs: "busybox", uid: 65534 } as const;
const prometheusImage: KnownImage = image(138_402_117, "prometheus", more);
const alertmanagerImage: KnownImage = image(35_118_204, "alertmanager", more);

export const prometheus: Product = {
  names: ["prometheus", "alertmanager"],
  images: {
    "prometheus/prometheus": prometheusImage,
    "prom/prometheus": prometheusImage,
    "prometheus/alertmanager": alertmanagerImage,
    "prom/alertmanager": alertmanagerImage,
  },
  configurations: `
prom/alertmanager nobody=65534 9093 /alertmanager /bin/alertmanager | --config.file=/etc/alertmanager/alertmanager.yml --storage.path=/alertmanager
prom/node-exporter nobody=65534 9100 - /bin/node_exporter |
prom/prometheus nobody=65534 9090 /prometheus /bin/prometheus | --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus
prometheus/alertmanager nobody=65534 9093 /alertmanager /bin/alertmanager | --config.file=/etc/alertmanager/alertmanager.yml --storage.path=/alertmanager
prometheus/node-exporter nobody=65534 9100 - /bin/node_exporter |
prometheus/prometheus nobody=65534 9090 /prometheus /bin/prometheus | --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus`,
  hub: `
prom *
prometheuscommunity *
sscaling jmx-prometheus-exporter`,
  programs: {
    prometheus: serving({ ports: [9090], server: { answer: prometheusPage } }),
    alertmanager: serving({ ports: [9093, 9094], server: { answer: alertmanagerPage } }),
  },
  controllers: () => [prometheusOperator],
};
