// The guestbook of the tutorials: a page whose messages are stored in a key-value store.
import { image } from "../images/known-image.ts";
import type { Page, Visit } from "../shell/server.ts";
import { html, json, keyValue, textPage } from "./common/service-client.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

/** Messages are written to the leader and read from a follower. */
function guestbook(visit: Visit): Page {
  const [bare = "", query = ""] = visit.path.split("?");
  if (bare !== "/guestbook.php") {
    return textPage(
      '<html ng-app="redis">\n  <head>\n    <title>Guestbook</title>\n  </head>\n  <body>\n    <h2>Guestbook</h2>\n    <form><input type="text" name="input"><button type="button">Submit</button></form>\n  </body>\n</html>\n',
    );
  }
  // Up to the fourth version the servers had other names.
  const isOld = /:v[1-4]$/.test(visit.image);
  const [leader, follower] = isOld ? ["redis-master", "redis-slave"] : ["redis-leader", "redis-follower"];
  const form = new URLSearchParams(query);
  const key = form.get("key") ?? "messages";
  if (form.get("cmd") !== "set") {
    const messages = keyValue(visit, follower, ["GET", key]);
    if (messages === undefined) return textPage("Uncaught Predis\\Connection\\ConnectionException", html, 500);
    return textPage(JSON.stringify({ data: messages }), json);
  }
  const done = keyValue(visit, leader, ["SET", key, form.get("value") ?? ""]);
  return done === undefined
    ? textPage("Uncaught Predis\\Connection\\ConnectionException", html, 500)
    : textPage('{"message": "Updated"}', json);
}

export const guestbookProduct: Product = {
  names: ["gb-frontend"],
  images: { "gb-frontend": image(310_206_114, "gb-frontend") },
  programs: { "gb-frontend": serving({ ports: [80], server: { answer: guestbook } }) },
};
