// CoreDNS and pause, which every cluster runs. Names are resolved by `shell/programs/names`, not by this server.
import { image, ownProgram } from "../images/known-image.ts";
import { plainPage } from "../shell/server.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

const log = `.:53
[INFO] plugin/reload: Running configuration SHA512 = 591cf328cccc12bc490481273e738df59329c62c0b729d94e8b61db9961c2fa5f046dd37f1cf888b953814040d180f52594972691cd6ff41be96639138a43908
CoreDNS-1.14.2
linux/amd64, go1.26.1, dd1df4f
`;

export const coreDns: Product = {
  names: [],
  images: {
    coredns: image(23_553_139, "coredns", { ...ownProgram, uid: 65532 }),
    pause: image(320_448, "pause", { ...ownProgram, uid: 65535 }),
  },
  configurations: `
coredns/coredns nonroot:nonroot=65532 53,53/udp / /coredns |
registry.k8s.io/pause 65535:65535 - - /pause |`,
  hub: `
coredns coredns`,
  programs: {
    coredns: serving({ ports: [53, 8080, 8181, 9153], prints: log, server: { answer: plainPage } }),
    pause: serving({ ports: [], server: { answer: plainPage } }),
  },
};
