// The packages of the simulator, by their names in pip, npm and distributions.

/** Libraries of the simulated Python, by pip's names. */
export const pipPackages = [
  "flask",
  "mysql-connector-python",
  "psycopg",
  "psycopg-binary",
  "psycopg2",
  "psycopg2-binary",
  "pymysql",
  "redis",
  "requests",
] as const;

/** Libraries of the simulated Node.js, by npm's names. */
export const npmPackages = ["express", "ioredis", "mongodb", "mysql", "mysql2", "pg", "redis"] as const;

/** The programs of packages, where they are not one program of the package's name. */
const contents: Readonly<Record<string, string>> = {
  procps: "ps free top pgrep pkill uptime watch",
  dnsutils: "dig nslookup host",
  "bind9-dnsutils": "dig nslookup host",
  "bind9-host": "host",
  "bind-tools": "dig nslookup host",
  "bind-utils": "dig nslookup host",
  "iputils-ping": "ping",
  iputils: "ping",
  "netcat-openbsd": "nc netcat",
  "netcat-traditional": "nc netcat",
  netcat: "nc netcat",
  "nmap-ncat": "nc ncat",
  iproute2: "ip ss",
  iproute: "ip ss",
  "net-tools": "ifconfig netstat route",
  "redis-tools": "redis-cli",
  "default-mysql-client": "mysql mysqladmin mysqldump",
  "mysql-client": "mysql mysqladmin mysqldump",
  "mariadb-client": "mysql mysqladmin mysqldump",
  "postgresql-client": "psql pg_isready pg_dump pg_dumpall pg_restore createdb dropdb",
  python3: "python3",
  "stress-ng": "stress-ng",
  "ca-certificates": "update-ca-certificates",
};

/** Returns the programs that a distribution's package installs. An unknown package has a program of its own name. */
export function programsOfPackage(name: string): readonly string[] {
  return (Object.hasOwn(contents, name) ? (contents[name] ?? name) : name).split(" ");
}

/** Packages with a program of their own name, which the simulator has. */
const named = new Set("bash curl jq openssl sqlite3 wget nodejs npm".split(" "));

/** Packages of builds that a running container does not show: compilers, headers, certificates and time zones. */
const unseen =
  /^(lib[a-z0-9.+-]+|[a-z0-9.+-]+-dev|build-essential|build-base|gcc|g\+\+|make|pkg-config|tzdata|locales|gnupg)$/;

/** Returns the programs that a package installs; undefined if the simulator does not have the package. */
export function knownPackage(name: string): readonly string[] | undefined {
  if (named.has(name) || Object.hasOwn(contents, name)) return programsOfPackage(name);
  return unseen.test(name) ? [] : undefined;
}
