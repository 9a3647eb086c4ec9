// The configurations of well-known images: user, exposed ports, working directory, and commands.
import { once } from "../../../shared/base/once.ts";
import { products } from "../products/catalogue.ts";
import { hub, type ImageReference } from "./reference.ts";

export interface ImageConfiguration {
  /** The user as the image names it: `101`, `1000:0`, `nobody`; empty for root. */
  readonly user: string;
  /** The numbers of that user and its group. */
  readonly uid: number;
  readonly gid: number;
  /** The exposed ports, such as `80/tcp`. */
  readonly exposedPorts: readonly string[];
  readonly workingDir: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/**
 * The images, each in a line: `acme/web web=1000:0 8080,53/udp /srv /entry.sh | serve --all`. The columns are:
 *
 * 1. The name. `organisation/*` stands for all images of an organisation. Docker's own images have no organisation.
 * 2. The user: `user`, `user=uid` or `user=uid:gid`. Without a uid, the user is the number. Without a gid, the group is the uid.
 * 3. The exposed ports, separated by commas. Without a protocol, it is TCP.
 * 4. The working directory.
 * 5. The words of the entry point, and after `|` those of the command. `%20` is a blank in a word.
 *
 * `-` stands for none in the columns 2 to 4.
 */
const table = `
adminer adminer=100 8080 /var/www/html entrypoint.sh docker-php-entrypoint | php -S [::]:8080 -t /var/www/html
alpine - - / | /bin/sh
busybox - - - | sh
cassandra - 7000,7001,7199,9042,9160 - docker-entrypoint.sh | cassandra -f
consul - 8300,8301,8301/udp,8302,8302/udp,8500,8600,8600/udp - docker-entrypoint.sh | agent -dev -client 0.0.0.0
debian - - - | bash
elasticsearch 1000:0 9200,9300 /usr/share/elasticsearch /bin/tini -- /usr/local/bin/docker-entrypoint.sh | eswrapper
ghost - 2368 /var/lib/ghost docker-entrypoint.sh | node current/index.js
golang - - /go | bash
haproxy haproxy=99 - /var/lib/haproxy docker-entrypoint.sh | haproxy -f /usr/local/etc/haproxy/haproxy.cfg
influxdb - 8086 - /entrypoint.sh | influxd
kibana 1000 5601 /usr/share/kibana /bin/tini -- | /usr/local/bin/kibana-docker
nats - 4222,6222,8222 - docker-entrypoint.sh | nats-server --config nats-server.conf
node - - - docker-entrypoint.sh | node
php - - /var/www/html docker-php-entrypoint | php -a
python - - - | python3
registry - 5000 - /entrypoint.sh | /etc/distribution/config.yml
ruby - - - | irb
solr 8983 8983 /opt/solr docker-entrypoint.sh | solr-foreground
tomcat - 8080 /usr/local/tomcat | catalina.sh run
traefik - 80 - /entrypoint.sh | traefik
ubuntu - - - | /bin/bash
vault - 8200 - docker-entrypoint.sh | server -dev
zookeeper - 2181,2888,3888,8080 - /docker-entrypoint.sh | zkServer.sh start-foreground
apache/airflow 50000=50000:0 8080 /opt/airflow /usr/bin/dumb-init -- /entrypoint |
apache/kafka appuser=1000 9092 / /__cacert_entrypoint.sh | /etc/kafka/docker/run
apache/spark 185=185:0 - /opt/spark/work-dir /opt/entrypoint.sh |
bitnami/* 1001=1001:0 - - |
bitnamilegacy/* 1001=1001:0 - - |
bitnamisecure/* 1001=1001:0 - - |
bitnami/kubectl 1001=1001:0 - - kubectl | --help
chainguard/* 65532 - - |
confluentinc/cp-kafka appuser=1000 9092 /home/appuser | /etc/confluent/docker/run
curlimages/curl curl_user=101 - - /entrypoint.sh | curl
elasticsearch/elasticsearch 1000:0 9200,9300 /usr/share/elasticsearch /bin/tini -- /usr/local/bin/docker-entrypoint.sh | eswrapper
envoyproxy/envoy - 10000 - /docker-entrypoint.sh | envoy -c /etc/envoy/envoy.yaml
hashicorp/consul - 8300,8301,8301/udp,8302,8302/udp,8500,8600,8600/udp - docker-entrypoint.sh | agent -dev -client 0.0.0.0
hashicorp/vault - 8200 - docker-entrypoint.sh | server -dev
jenkins/jenkins jenkins=1000 8080,50000 - /usr/bin/tini -- /usr/local/bin/jenkins.sh |
keycloak/keycloak 1000=1000:0 8080,8443,9000 / /opt/keycloak/bin/kc.sh |
kibana/kibana 1000 5601 /usr/share/kibana /bin/tini -- | /usr/local/bin/kibana-docker
mailhog/mailhog mailhog=1000 1025,8025 - MailHog |
n8nio/n8n node=1000 5678 /home/node tini -- /docker-entrypoint.sh |
nicolaka/netshoot root=0 - /root | zsh
openpolicyagent/opa 1000:1000 - - /opa | run
verdaccio/verdaccio 10001 4873 /opt/verdaccio uid_entrypoint |
registry.k8s.io/e2e-test-images/busybox - - - | sh
`;

const byName = once(
  (): ReadonlyMap<string, ImageConfiguration> =>
    new Map(
      [table, ...products.map(({ configurations = "" }) => configurations)]
        .flatMap((text) => text.split("\n"))
        .filter((line) => line !== "")
        .map(parseLine),
    ),
);

function parseLine(line: string): [string, ImageConfiguration] {
  const [head = "", tail = ""] = line.split("|");
  const [name = "", userField = "-", ports = "-", workingDir = "-", ...entrypoint] = words(head);
  const [user = "", number = user] = userField === "-" ? ["", "0"] : userField.split("=");
  const [uid = 0, gid = uid] = number.split(":").map(Number);
  const configuration = {
    user,
    uid,
    gid,
    exposedPorts: ports === "-" ? [] : ports.split(",").map((port) => (port.includes("/") ? port : `${port}/tcp`)),
    workingDir: workingDir === "-" ? "" : workingDir,
    entrypoint,
    cmd: words(tail),
  };
  return [name, configuration];
}

function words(text: string): string[] {
  const all = text.split(" ").filter((word) => word !== "");
  return all.map((word) => word.replaceAll("%20", " "));
}

/** Returns the configuration of an image: Docker's own by their base name, others by the whole name or its last two parts; undefined if unknown. */
export function imageConfiguration({ name, base, tag = "" }: ImageReference): ImageConfiguration | undefined {
  const officialPrefix = `${hub}/library/`;
  if (name.startsWith(officialPrefix)) return byName().get(base);
  const segments = name.split("/");
  const lastTwoParts = segments.slice(-2).join("/");
  // The images of distroless whose tag ends in `nonroot` have the same user as those of Chainguard: 65532.
  if (name.startsWith("gcr.io/distroless/") && /(^|-)nonroot$/.test(tag)) return byName().get("chainguard/*");
  return byName().get(name) ?? byName().get(lastTwoParts) ?? byName().get(`${segments.at(-2) ?? ""}/*`);
}
