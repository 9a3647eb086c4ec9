// Images of distributions, and images of languages and tools that are based on them. They contain no server.
import { image } from "../images/known-image.ts";
import type { Product } from "./module.ts";

const python = {
  newest: "3.13.9",
  fullByPrefix: {
    "3": "3.13.9",
    "3.10": "3.10.19",
    "3.11": "3.11.14",
    "3.12": "3.12.12",
    "3.13": "3.13.9",
    "3.9": "3.9.25",
  },
};
const node = {
  newest: "24.11.1",
  fullByPrefix: { "16": "16.20.2", "18": "18.20.8", "20": "20.19.5", "22": "22.21.1", "24": "24.11.1", lts: "24.11.1" },
};

export const distributions: Product = {
  names: [],
  images: {
    busybox: image(2_156_518, "sh", {
      programs: "busybox",
      installed: { base: "busybox" },
      family: "alpine",
      release: "none",
      groups: [0, 10],
    }),
    alpine: image(3_802_452, "sh", {
      programs: "alpine",
      installed: { base: "alpine" },
      family: "alpine",
      release: "alpine",
      groups: [0, 1, 2, 3, 4, 6, 10, 11, 20, 26, 27],
    }),
    busyboxplus: image(13_224_000, "sh"),
    netshoot: image(201_345_000, "zsh", { family: "alpine", release: "alpine" }),
    ubuntu: image(29_724_688, "bash", { family: "debian", release: "ubuntu", installed: { base: "ubuntu" } }),
    debian: image(49_279_530, "bash", { family: "debian", installed: { base: "debian" } }),
    fedora: image(66_042_718, "bash", { family: "redhat", release: "fedora", installed: { base: "fedora" } }),
    bash: image(6_873_211, "bash", { installed: { base: "alpine", added: "bash docker-entrypoint.sh" } }),
    python: image(363_102_204, "python3", {
      family: "debian",
      installed: { base: "building", added: "python python3 pip pip3 idle pydoc 2to3 virtualenv" },
      versions: python,
      environment: (version) => ({ LANG: "C.UTF-8", PYTHON_VERSION: version }),
    }),
    node: image(398_812_551, "node", {
      family: "debian",
      installed: { base: "building", added: "node nodejs npm npx yarn yarnpkg corepack docker-entrypoint.sh" },
      versions: node,
      environment: (version) => ({ NODE_VERSION: version, YARN_VERSION: "1.22.22" }),
    }),
    perl: image(348_914_006, "perl", { family: "debian", installed: { base: "building", added: "cpanm cpan" } }),
    ruby: image(363_812_700, "ruby", {
      family: "debian",
      installed: { base: "building", added: "ruby gem bundle bundler irb rake rails" },
    }),
    golang: image(316_200_941, "bash", {
      family: "debian",
      installed: { base: "fetching", added: "go gofmt gcc g++ make pkg-config" },
      versions: { newest: "1.25.4", fullByPrefix: { "1": "1.25.4", "1.24": "1.24.10", "1.25": "1.25.4" } },
      environment: (version) => ({ GOLANG_VERSION: version, GOPATH: "/go", GOTOOLCHAIN: "local" }),
    }),
    curl: image(9_844_101, "curl", {
      entrypoint: "unlessProgram",
      programs: "alpine",
      family: "alpine",
      release: "alpine",
      uid: 101,
      installed: { base: "alpine", added: "curl entrypoint.sh openssl" },
    }),
  },
};
