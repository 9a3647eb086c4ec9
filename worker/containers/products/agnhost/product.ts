// agnhost, the image of upstream's own tests and of many examples, and the sample API server of those tests.
import { image, ownProgram } from "../../images/known-image.ts";
import type { Product } from "../module.ts";
import { agnhost } from "./commands.ts";
import { sampleApiServer } from "./sample-apiserver.ts";

/** A certificate for localhost. Only its existence matters. */
const files: Readonly<Record<string, string>> = {
  "/localhost.crt": "-----BEGIN CERTIFICATE-----\nc2FuZGJhcg==\n-----END CERTIFICATE-----\n",
  "/localhost.key": "-----BEGIN PRIVATE KEY-----\nc2FuZGJhcg==\n-----END PRIVATE KEY-----\n",
};

export const agnhostProduct: Product = {
  names: ["agnhost", "sample-apiserver", "serve_hostname"],
  images: {
    agnhost: image(53_321_402, "/agnhost pause", {
      entrypoint: true,
      family: "alpine",
      release: "alpine",
      files,
      users: { 1000: { gid: 1000, groups: [50000] } },
    }),
    serve_hostname: image(2_117_120, "/agnhost serve-hostname", { entrypoint: true }),
    "sample-apiserver": image(24_501_118, "sample-apiserver", ownProgram),
  },
  configurations: "registry.k8s.io/e2e-test-images/agnhost - 80,8080,8081,9376 / /agnhost | pause",
  programs: {
    agnhost,
    // The same image under another name, for tests of image changes.
    "agnhost-2": agnhost,
    "sample-apiserver": sampleApiServer,
  },
};
