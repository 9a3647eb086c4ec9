// podinfo: a small web application that reports facts of its pod.
import { before } from "../../../shared/base/trim.ts";
import { image } from "../images/known-image.ts";
import { isOpen } from "../shell/programs/health-probe.ts";
import type { Page, Visit } from "../shell/server.ts";
import { json, textPage } from "./common/service-client.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

function podinfo(
  { path, host, image: name, port, headers, method, body }: Visit,
  color: string,
  message: string,
): Page {
  const version = /:v?(\d+\.\d+\.\d+)/.exec(name)?.[1] ?? "6.9.0";
  const jsonPage = (value: object, status = 200) => textPage(`${JSON.stringify(value, undefined, 2)}`, json, status);
  const bare = before(path, "?#");
  if (port === 9797 || bare === "/metrics") return textPage("# podinfo\n", "text/plain; charset=utf-8");
  const code = /^\/status\/(\d{3})$/.exec(bare)?.[1];
  if (code !== undefined) return jsonPage({ status: Number(code) }, Number(code));
  if (bare === "/healthz" || bare === "/readyz") return jsonPage({ status: "OK" });
  if (bare === "/version") return jsonPage({ commit: "unknown", version });
  if (bare === "/headers") return jsonPage(Object.fromEntries(headers.map(([name, value]) => [name, [value]])));
  if (bare === "/echo" && method === "POST") return textPage(body, json, 202);
  if (bare !== "/") return textPage("404 page not found\n", "text/plain; charset=utf-8", 404);
  return jsonPage({
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

export const podinfoProduct: Product = {
  names: ["podinfo", "podcli"],
  images: { podinfo: image(30_914_210, "podinfo", { uid: 100 }) },
  configurations: "stefanprodan/podinfo app=100 - /home/app | ./podinfo",
  hub: `
stefanprodan podinfo podinfo-cli`,
  programs: {
    podinfo: serving(({ shell: { variables } }) => {
      const setting = (name: string) => variables.get(`PODINFO_UI_${name}`) ?? "";
      const [color, message] = [setting("COLOR"), setting("MESSAGE")];
      return { ports: [9898, 9797, 9999], server: { answer: (visit) => podinfo(visit, color, message) } };
    }),
    *podcli(call) {
      const [, kind, url = ""] = call.args;
      const [, port = "80"] = /:(\d+)/.exec(url) ?? [];
      if (kind === "http" && !(yield* isOpen(call, Number(port)))) {
        call.err(`request failed Get "http://${url}": dial tcp [::1]:${port}: connect: connection refused\n`);
        return 1;
      }
      return 0;
    },
  },
};
