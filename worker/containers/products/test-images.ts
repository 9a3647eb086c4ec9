// Small images of upstream's tests and documentation, each for one purpose.
import { image } from "../images/known-image.ts";
import type { Server } from "../shell/server.ts";
import { barePath, serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

const text = "text/plain; charset=utf-8";
const well = 10_000;

/** The server of the probes' examples: healthy for ten seconds, then not. */
const liveness: Server = {
  answer: (visit) => {
    const { nowMs, sinceMs = nowMs } = visit;
    const path = barePath(visit);
    const usual = path === "/" || path === "/started" ? 200 : 404;
    const status = path !== "/healthz" ? usual : nowMs - sinceMs < well ? 200 : 500;
    return { status, contentType: text, body: status === 200 ? "ok" : "error" };
  },
  changesMs: (ports, nowMs) => {
    // After exactly ten seconds the server is still healthy: the first different answer is a millisecond later.
    const changeMs = (ports.get(8080) ?? 0) + well + 1;
    return changeMs > nowMs ? changeMs : Number.POSITIVE_INFINITY;
  },
};

/** The server of an image that shows a picture. It returns the picture's name. */
const picture: Server = { answer: ({ files }) => ({ contentType: text, body: files.get("/data.json")?.text ?? "" }) };

function pictureImage(name: string, sizeBytes: number) {
  const files = { "/data.json": `{"image": "${name}.jpg"}\n` };
  return image(sizeBytes, name, { release: "alpine", files });
}

const silent: Server = {
  answer: ({ image: name, path }) => ({ contentType: text, body: `${name} answers ${path}\n` }),
};

export const testImages: Product = {
  names: ["nautilus", "nonewprivs", "goproxy"],
  images: {
    nonroot: image(19_601_224, "nonroot", { uid: 1234 }),
    nonewprivs: image(8_104_220, "nonewprivs", { entrypoint: true }),
    kitten: pictureImage("kitten", 8_301_711),
    nautilus: pictureImage("nautilus", 8_301_942),
    liveness: image(2_500_000, "liveness", { entrypoint: true }),
    goproxy: image(1_700_000, "goproxy", { entrypoint: true }),
    "jessie-dnsutils": image(84_000_000, "sleep 3600", { family: "debian" }),
    stress: image(4_041_495, "stress", { entrypoint: false }),
  },
  configurations: "registry.k8s.io/e2e-test-images/nonroot 1234 - - |",
  notSimulated: "nonroot",
  programs: {
    liveness: serving({ ports: [8080], server: liveness }),
    kitten: serving({ ports: [80], server: picture }),
    nautilus: serving({ ports: [80], server: picture }),
    goproxy: serving({ ports: [8080], server: silent }),
    // Prints its effective user, as a setuid program of root does.
    nonewprivs: ({ out, process: { self } }) => {
      out(`Effective uid: ${self.mayEscalate ? 0 : self.uid}\n`);
      return 0;
    },
  },
};
