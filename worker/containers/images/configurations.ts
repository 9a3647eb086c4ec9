// What the configuration of well-known images says: whom they run as, what they expose, where they begin, and their commands.
import { hub, type ImageReference } from "./reference.ts";

export interface ImageConfiguration {
  /** As the image says it: `101`, `1000:0`, `nobody`; empty where it says none, which is root. */
  readonly user: string;
  /** The numbers of that user and its group. */
  readonly uid: number;
  readonly gid: number;
  /** `80/tcp` */
  readonly exposedPorts: readonly string[];
  readonly workingDir: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/**
 * A line: the name (`*`: all of an organisation; Docker's own have none), the user (`-`: none; behind `=` its number, and its group where that is not its own), the ports
 * (`-`: none), the folder (`-`: none), the entry point and, behind `|`, the command. A blank in a word is `%20`.
 */
const table = `
adminer adminer=100 8080 /var/www/html entrypoint.sh docker-php-entrypoint | php -S [::]:8080 -t /var/www/html
alpine - - / | /bin/sh
busybox - - - | sh
caddy - 80,443,443/udp,2019 /srv | caddy run --config /etc/caddy/Caddyfile --adapter caddyfile
cassandra - 7000,7001,7199,9042,9160 - docker-entrypoint.sh | cassandra -f
consul - 8300,8301,8301/udp,8302,8302/udp,8500,8600,8600/udp - docker-entrypoint.sh | agent -dev -client 0.0.0.0
debian - - - | bash
elasticsearch 1000:0 9200,9300 /usr/share/elasticsearch /bin/tini -- /usr/local/bin/docker-entrypoint.sh | eswrapper
ghost - 2368 /var/lib/ghost docker-entrypoint.sh | node current/index.js
golang - - /go | bash
haproxy haproxy=99 - /var/lib/haproxy docker-entrypoint.sh | haproxy -f /usr/local/etc/haproxy/haproxy.cfg
hello-world - - - | /hello
httpd - 80 /usr/local/apache2 | httpd-foreground
influxdb - 8086 - /entrypoint.sh | influxd
kibana 1000 5601 /usr/share/kibana /bin/tini -- | /usr/local/bin/kibana-docker
mariadb - 3306 - docker-entrypoint.sh | mariadbd
memcached memcache=11211 11211 - docker-entrypoint.sh | memcached
mongo - 27017 - docker-entrypoint.sh | mongod
mongo-express - 8081 /app /sbin/tini -- /docker-entrypoint.sh | mongo-express
mysql - 3306,33060 - docker-entrypoint.sh | mysqld
nats - 4222,6222,8222 - docker-entrypoint.sh | nats-server --config nats-server.conf
nextcloud - 80 /var/www/html /entrypoint.sh | apache2-foreground
nginx - 80 - /docker-entrypoint.sh | nginx -g daemon%20off;
node - - - docker-entrypoint.sh | node
php - - /var/www/html docker-php-entrypoint | php -a
phpmyadmin - 80 /var/www/html /docker-entrypoint.sh | apache2-foreground
postgres - 5432 - docker-entrypoint.sh | postgres
python - - - | python3
rabbitmq - 4369,5671,5672,15691,15692,25672 - docker-entrypoint.sh | rabbitmq-server
redis - 6379 /data docker-entrypoint.sh | redis-server
registry - 5000 - /entrypoint.sh | /etc/distribution/config.yml
ruby - - - | irb
solr 8983 8983 /opt/solr docker-entrypoint.sh | solr-foreground
tomcat - 8080 /usr/local/tomcat | catalina.sh run
traefik - 80 - /entrypoint.sh | traefik
ubuntu - - - | /bin/bash
vault - 8200 - docker-entrypoint.sh | server -dev
wordpress - 80 /var/www/html docker-entrypoint.sh | apache2-foreground
zookeeper - 2181,2888,3888,8080 - /docker-entrypoint.sh | zkServer.sh start-foreground
apache/airflow 50000=50000:0 8080 /opt/airflow /usr/bin/dumb-init -- /entrypoint |
apache/kafka appuser=1000 9092 / /__cacert_entrypoint.sh | /etc/kafka/docker/run
apache/spark 185=185:0 - /opt/spark/work-dir /opt/entrypoint.sh |
bitnami/* 1001=1001:0 - - |
bitnamilegacy/* 1001=1001:0 - - |
bitnamisecure/* 1001=1001:0 - - |
bitnami/kubectl 1001=1001:0 - - kubectl | --help
bitnami/mariadb 1001=1001:0 3306 - /opt/bitnami/scripts/mariadb/entrypoint.sh | /opt/bitnami/scripts/mariadb/run.sh
bitnami/mongodb 1001=1001:0 27017 - /opt/bitnami/scripts/mongodb/entrypoint.sh | /opt/bitnami/scripts/mongodb/run.sh
bitnami/mysql 1001=1001:0 3306 - /opt/bitnami/scripts/mysql/entrypoint.sh | /opt/bitnami/scripts/mysql/run.sh
bitnami/nginx 1001=1001:0 8080,8443 /app /opt/bitnami/scripts/nginx/entrypoint.sh | /opt/bitnami/scripts/nginx/run.sh
bitnami/postgresql 1001=1001:0 5432 - /opt/bitnami/scripts/postgresql/entrypoint.sh | /opt/bitnami/scripts/postgresql/run.sh
bitnami/redis 1001=1001:0 6379 - /opt/bitnami/scripts/redis/entrypoint.sh | /opt/bitnami/scripts/redis/run.sh
chainguard/* 65532 - - |
confluentinc/cp-kafka appuser=1000 9092 /home/appuser | /etc/confluent/docker/run
coredns/coredns nonroot:nonroot=65532 53,53/udp / /coredns |
curlimages/curl curl_user=101 - - /entrypoint.sh | curl
elasticsearch/elasticsearch 1000:0 9200,9300 /usr/share/elasticsearch /bin/tini -- /usr/local/bin/docker-entrypoint.sh | eswrapper
envoyproxy/envoy - 10000 - /docker-entrypoint.sh | envoy -c /etc/envoy/envoy.yaml
grafana/grafana 472=472:0 3000 /usr/share/grafana /run.sh |
grafana/loki 10001 3100 - /usr/bin/loki | -config.file=/etc/loki/local-config.yaml
hashicorp/consul - 8300,8301,8301/udp,8302,8302/udp,8500,8600,8600/udp - docker-entrypoint.sh | agent -dev -client 0.0.0.0
hashicorp/vault - 8200 - docker-entrypoint.sh | server -dev
ingress-nginx/controller www-data=101 80,443 /etc/nginx /usr/bin/dumb-init -- | /nginx-ingress-controller
jenkins/jenkins jenkins=1000 8080,50000 - /usr/bin/tini -- /usr/local/bin/jenkins.sh |
keycloak/keycloak 1000=1000:0 8080,8443,9000 / /opt/keycloak/bin/kc.sh |
kibana/kibana 1000 5601 /usr/share/kibana /bin/tini -- | /usr/local/bin/kibana-docker
mailhog/mailhog mailhog=1000 1025,8025 - MailHog |
n8nio/n8n node=1000 5678 /home/node tini -- /docker-entrypoint.sh |
nginxinc/nginx-unprivileged 101 8080 - /docker-entrypoint.sh | nginx -g daemon%20off;
nicolaka/netshoot root=0 - /root | zsh
oliver006/redis_exporter 59000:59000 9121 - /redis_exporter |
openpolicyagent/opa 1000:1000 - - /opa | run
prom/alertmanager nobody=65534 9093 /alertmanager /bin/alertmanager | --config.file=/etc/alertmanager/alertmanager.yml --storage.path=/alertmanager
prom/node-exporter nobody=65534 9100 - /bin/node_exporter |
prom/prometheus nobody=65534 9090 /prometheus /bin/prometheus | --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus
prometheus/alertmanager nobody=65534 9093 /alertmanager /bin/alertmanager | --config.file=/etc/alertmanager/alertmanager.yml --storage.path=/alertmanager
prometheus/node-exporter nobody=65534 9100 - /bin/node_exporter |
prometheus/prometheus nobody=65534 9090 /prometheus /bin/prometheus | --config.file=/etc/prometheus/prometheus.yml --storage.tsdb.path=/prometheus
stefanprodan/podinfo app=100 - /home/app | ./podinfo
traefik/whoami - 80 - /whoami |
verdaccio/verdaccio 10001 4873 /opt/verdaccio uid_entrypoint |
registry.k8s.io/pause 65535:65535 - - /pause |
registry.k8s.io/e2e-test-images/agnhost - 80,8080,8081,9376 / /agnhost | pause
registry.k8s.io/e2e-test-images/nonroot 1234 - - |
registry.k8s.io/e2e-test-images/nginx - 80 - | nginx -g daemon%20off;
registry.k8s.io/e2e-test-images/busybox - - - | sh
`;

const byName: ReadonlyMap<string, ImageConfiguration> = new Map(table.trim().split("\n").map(parseLine));

function parseLine(line: string): [string, ImageConfiguration] {
  const [head = "", tail = ""] = line.split("|");
  const [name = "", who = "-", ports = "-", folder = "-", ...entrypoint] = words(head);
  const [user = "", number = user] = who === "-" ? ["", "0"] : who.split("=");
  const [uid = 0, gid = uid] = number.split(":").map(Number);
  const configuration = {
    user,
    uid,
    gid,
    exposedPorts: ports === "-" ? [] : ports.split(",").map((one) => (one.includes("/") ? one : `${one}/tcp`)),
    workingDir: folder === "-" ? "" : folder,
    entrypoint,
    cmd: words(tail),
  };
  return [name, configuration];
}

function words(text: string): string[] {
  const all = text.split(" ").filter((word) => word !== "");
  return all.map((word) => word.replaceAll("%20", " "));
}

/** Of Docker's own images by their name, of others by the whole name or its last two parts; undefined where it is not known. */
export function imageConfiguration({ name, base, tag = "" }: ImageReference): ImageConfiguration | undefined {
  const own = `${hub}/library/`;
  if (name.startsWith(own)) return byName.get(base);
  const parts = name.split("/");
  const near = parts.slice(-2).join("/");
  // Of these every image has the same user, by the tag.
  if (name.startsWith("gcr.io/distroless/") && /(^|-)nonroot$/.test(tag)) return byName.get("chainguard/*");
  return byName.get(name) ?? byName.get(near) ?? byName.get(`${parts.at(-2) ?? ""}/*`);
}
