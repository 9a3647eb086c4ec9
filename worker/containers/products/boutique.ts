// The front end of the Online Boutique. It shows its products if the services behind it listen.
import { image } from "../images/known-image.ts";
import type { Page, Visit } from "../shell/server.ts";
import { html, textPage } from "./common/service-client.ts";
import { targetOf } from "./common/dial.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

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
  if (visit.path.startsWith("/_healthz")) return textPage("ok", "text/plain");
  for (const service of behind) {
    const [name = "", port = ""] = service.split(":");
    const target = targetOf(visit, name, port);
    const reached = target && visit.reach?.({ ...target, atMs: visit.nowMs });
    if (reached?.kind !== "open" && reached?.kind !== "answered") {
      const why = `rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ${target ? `${target.address}:${port}` : `lookup ${name}`}: connect: connection refused"`;
      return textPage(
        `<html><head><title>Online Boutique</title></head><body><h1>Uh, oh!</h1><p>${why}</p></body></html>\n`,
        html,
        500,
      );
    }
  }
  const items = products
    .map((name) => `<div class="hot-product-card-name">${name.replace("&", "&amp;")}</div>\n`)
    .join("");
  return textPage(
    `<!DOCTYPE html>\n<html lang="en">\n<head>\n    <title>\n        Online Boutique\n    </title>\n</head>\n<body>\n<h3>Hot Products</h3>\n${items}</body>\n</html>\n`,
  );
}

export const boutiqueProduct: Product = {
  names: ["boutique"],
  images: { "microservices-demo/frontend": image(14_805_930, "boutique-frontend") },
  programs: { "boutique-frontend": serving({ ports: [8080], server: { answer: boutique } }) },
};
