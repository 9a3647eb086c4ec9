// Well-known organisations and repositories of Docker Hub, besides Docker's own. A name one edit away from them counts as misspelled.
import { once } from "../../../shared/base/once.ts";
import { knownNames } from "./catalogue.ts";
import { products } from "../products/catalogue.ts";
import { isMisspelled } from "./misspelled.ts";
import { officialNames } from "./official.ts";

/** Organisations without a list of repositories. */
const organisations = `
amd64 apache aquasec argoproj arm32v7 arm64v8 azuredocs bde2020 bitnami bitnamicharts bitnamilegacy bitnamisecure bmuschko bretfisher
buoyantio caarlos0 calico centos ceph chartmuseum cilium clickhouse cloudflare cockroachdb codecentric codercom collabora confluentinc
crossplane crunchydata datadog datawire debezium dgkanatsios dgraph directxman12 docker dockercloud dockersamples drone dynatrace
eclipse elastic emberstack envoyproxy externalsecrets falcosecurity flant fluent fluxcd fnproject functions gitea gitlab goharbor
googlesamples graviteeio gresearch guacamole haproxytech hashicorp hidetatz hivemq hjacobs homeassistant honeycombio humio i386 ibmcom
infinispan instana intel istio jaegertracing jeffmendoza jenkins jenkinsci jimmidyson jodogne jpetazzo jupyter jupyterhub jwilder
k8spacket kalilinux kasmweb kedacore kicbase kindest kodekloud kong kubebuilder kubegoldenguide kubeovn kubernetes kubernetesui
kubescape kubeshark kubevious lachlanevenson langgenius learnk8s linkerd linuxserver litmuschaos longhornio luksa mattermost meltwater
metallb milvusdb minio mirantis mmumshad mreferre netboxcommunity newrelic nigelpoulton nvidia okteto openebs openfaas openkruise
openpolicyagent opensearchproject opensuse openzipkin oryd otel owncloud paketobuildpacks parrotsec parseplatform percona portainer
projectcontour pytorch radial raesene rancher richardchesterwood robusta rook sameersbn schoolofdevops scylladb securego selenium
semitechnologies siddharth67 soloio sonatype splunk spotify stacksimplify stakater strapi strimzi sumologic supabase swaggerapi sysdig
temporalio tensorflow thanosio thingsboard thomaspoignant timescale tonistiigi traefik trinodb tutum tykio ubuntu unguiculus velero
vfarcic victoriametrics vllm wardviaene weaveworks weaveworksdemos wernight yandex yobasystems yugabytedb zabbix zalando
`;

/** An organisation and its well-known repositories in each line; `*` stands for many. */
const repositories = `
alpine git helm k8s socat bombardier kubectl curl
amazon aws-cli cloudwatch-agent aws-efs-csi-driver aws-ebs-csi-driver dynamodb-local
amir20 dozzle
amouat identidock dnmonster
apachepulsar pulsar pulsar-all
appropriate curl
atmoz sftp
authelia authelia
axllent mailpit
badouralix curl-jq
brancz kube-rbac-proxy
byrnedo alpine-curl
chentex random-logger
chrislusf seaweedfs
cloudnativelabs kube-router
containrrr watchtower
crccheck hello-world
curlimages curl
danielqsj kafka-exporter
dpage pgadmin4
dtzar helm-kubectl
edoburu pgbouncer
errm cheese
excalidraw excalidraw
filebrowser filebrowser
fortio fortio
gogs gogs
google cadvisor cloud-sdk
headscale headscale
infoblox dnstools
jboss keycloak wildfly
jettech kube-webhook-certgen
karthequian helloworld
kennethreitz httpbin
kiwigrid k8s-sidecar
localstack localstack
locustio locust
louislam uptime-kuma
maildev maildev
mailhog mailhog
mccutchen go-httpbin
mingrammer flog
mitmproxy mitmproxy
mockserver mockserver
monachus rancher-demo
motoserver moto
n8nio n8n
nicolaka netshoot
nodered node-red
obsidiandynamics kafdrop
ollama ollama
paulbouwer hello-kubernetes
pgvector pgvector
phpmyadmin phpmyadmin
pihole pihole
polinux stress
postgis postgis
prakhar1989 static-site catnip
praqma network-multitool
progrium stress consul
provectuslabs kafka-ui
pstauffer curl
qdrant qdrant
statsd statsd
stilliard pure-ftpd
superseb rancher-demo
timberio vector
vaultwarden server
verdaccio verdaccio
vish stress
wallabag wallabag
wbitt network-multitool
wiremock wiremock
wurstmeister kafka zookeeper
yauritux busybox-curl
yeasy simple-web
`;

const byOrganisation: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [organisations.trim().split(/\s+/).join("\n"), repositories, ...products.map(({ hub = "" }) => hub)]
    .flatMap((text) => text.split("\n"))
    .filter((line) => line !== "")
    .map((line) => {
      const [organisation = "", ...names] = line.split(" ");
      return [organisation, new Set(names)];
    }),
);

/** Repositories whose misspellings are detected in every well-known organisation. */
const wellKnownNames = once((): ReadonlySet<string> => new Set([...officialNames(), ...knownNames]));

/** Reports whether a name such as `curlimages/curl` is one edit away from a well-known one. */
export function isMisspelledOnHub(organisation: string, repository: string): boolean {
  const repositories = byOrganisation.get(organisation);
  if (!repositories) return isMisspelled(organisation, byOrganisation.keys());
  if (repositories.has(repository)) return false;
  return isMisspelled(repository, repositories) || isMisspelled(repository, wellKnownNames());
}
