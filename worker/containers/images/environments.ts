// The variables that well-known images set for their programs, beside the path: their versions, mostly.
import type { ImageReference } from "./reference.ts";

interface Known {
  /** Given the version that the tag names, or the newest. */
  readonly of: (version: string) => Readonly<Record<string, string>>;
  /** Whole versions by what tags say. */
  readonly versions: Readonly<Record<string, string>>;
  readonly newest: string;
}

const simple = (name: string, newest: string, versions: Readonly<Record<string, string>> = {}): Known => ({
  of: (version) => ({ [name]: version }),
  versions,
  newest,
});

const known: Readonly<Record<string, Known>> = {
  nginx: {
    of: (version) => ({ NGINX_VERSION: version, PKG_RELEASE: "1~trixie", DYNPKG_RELEASE: "1~trixie" }),
    versions: {
      "1": "1.29.3",
      "1.25": "1.25.5",
      "1.26": "1.26.3",
      "1.27": "1.27.5",
      "1.28": "1.28.0",
      stable: "1.28.0",
    },
    newest: "1.29.3",
  },
  httpd: {
    of: (version) => ({ HTTPD_PREFIX: "/usr/local/apache2", HTTPD_VERSION: version }),
    versions: { "2": "2.4.65", "2.4": "2.4.65" },
    newest: "2.4.65",
  },
  redis: simple("REDIS_VERSION", "8.4.0", {
    "6": "6.2.21",
    "7": "7.4.7",
    "7.2": "7.2.12",
    "7.4": "7.4.7",
    "8": "8.4.0",
  }),
  memcached: simple("MEMCACHED_VERSION", "1.6.39", { "1": "1.6.39", "1.6": "1.6.39" }),
  postgres: {
    of: (version) => ({
      LANG: "en_US.utf8",
      PG_MAJOR: version.split(".")[0] ?? "",
      PG_VERSION: `${version}-1.pgdg13+1`,
    }),
    versions: { "13": "13.23", "14": "14.20", "15": "15.15", "16": "16.11", "17": "17.7", "18": "18.1" },
    newest: "18.1",
  },
  mysql: {
    of: (version) => ({
      GOSU_VERSION: "1.17",
      MYSQL_MAJOR: version.split(".").slice(0, 2).join("."),
      MYSQL_VERSION: `${version}-1.el9`,
    }),
    versions: { "5.7": "5.7.44", "8": "8.4.7", "8.0": "8.0.44", "8.4": "8.4.7" },
    newest: "9.5.0",
  },
  mariadb: {
    of: (version) => ({ GOSU_VERSION: "1.17", LANG: "C.UTF-8", MARIADB_VERSION: `1:${version}+maria~ubu2404` }),
    versions: { "10.11": "10.11.15", "11": "11.8.5", "11.4": "11.4.9" },
    newest: "12.1.2",
  },
  mongo: {
    of: (version) => ({
      GOSU_VERSION: "1.17",
      MONGO_MAJOR: version.split(".").slice(0, 2).join("."),
      MONGO_VERSION: version,
    }),
    versions: { "4.4": "4.4.29", "5": "5.0.31", "6": "6.0.26", "7": "7.0.26", "8": "8.2.2" },
    newest: "8.2.2",
  },
  python: {
    of: (version) => ({ LANG: "C.UTF-8", PYTHON_VERSION: version }),
    versions: {
      "3": "3.13.9",
      "3.10": "3.10.19",
      "3.11": "3.11.14",
      "3.12": "3.12.12",
      "3.13": "3.13.9",
      "3.9": "3.9.25",
    },
    newest: "3.13.9",
  },
  node: {
    of: (version) => ({ NODE_VERSION: version, YARN_VERSION: "1.22.22" }),
    versions: { "16": "16.20.2", "18": "18.20.8", "20": "20.19.5", "22": "22.21.1", "24": "24.11.1", lts: "24.11.1" },
    newest: "24.11.1",
  },
  golang: {
    of: (version) => ({ GOLANG_VERSION: version, GOPATH: "/go", GOTOOLCHAIN: "local" }),
    versions: { "1": "1.25.4", "1.24": "1.24.10", "1.25": "1.25.4" },
    newest: "1.25.4",
  },
};

/** Of Docker's own images. */
export function imageEnvironment({ name, base, tag = "latest" }: ImageReference): Readonly<Record<string, string>> {
  const found = name.endsWith(`/library/${base}`) && Object.hasOwn(known, base) ? known[base] : undefined;
  if (!found) return {};
  const [first = ""] = tag.split("-");
  const whole = Object.hasOwn(found.versions, first) ? found.versions[first] : undefined;
  return found.of(whole ?? (/^\d+(\.\d+)+$/.test(first) ? first : found.newest));
}
