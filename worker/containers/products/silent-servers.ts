// Servers that only listen: caddy, memcached and RabbitMQ.
import { image } from "../images/known-image.ts";
import { acceptWithoutAnswer, plainPage } from "../shell/server.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

export const caddy: Product = {
  names: ["caddy"],
  images: { caddy: image(21_478_902, "caddy run", { family: "alpine" }) },
  configurations: "caddy - 80,443,443/udp,2019 /srv | caddy run --config /etc/caddy/Caddyfile --adapter caddyfile",
  official: "caddy - 2.11",
  programs: { caddy: serving({ ports: [80, 443, 2019], server: { answer: plainPage } }) },
};

export const memcached: Product = {
  names: ["memcached"],
  images: {
    memcached: image(30_871_226, "memcached", {
      uid: 11211,
      installed: { base: "debian", added: "memcached docker-entrypoint.sh" },
      versions: { newest: "1.6.39", fullByPrefix: { "1": "1.6.39", "1.6": "1.6.39" } },
      environment: (version) => ({ MEMCACHED_VERSION: version }),
    }),
  },
  configurations: "memcached memcache=11211 11211 - docker-entrypoint.sh | memcached",
  official: "memcached - 1.6",
  programs: { memcached: serving({ ports: [11211], server: { answer: acceptWithoutAnswer } }) },
};

export const rabbitmq: Product = {
  names: ["rabbitmq"],
  images: { rabbitmq: image(102_945_170, "rabbitmq-server", { family: "debian" }) },
  configurations: "rabbitmq - 4369,5671,5672,15691,15692,25672 - docker-entrypoint.sh | rabbitmq-server",
  official: "rabbitmq - 3.13 4.3",
  hub: `
rabbitmqoperator *`,
  programs: { "rabbitmq-server": serving({ ports: [5672, 15672], server: { answer: acceptWithoutAnswer } }) },
  notSimulated: "rabbitmqctl",
};
