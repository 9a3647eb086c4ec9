// Well-known organisations and repositories of Docker Hub, beside Docker's own. Names that are one edit away from them are typing errors.
import { knownNames } from "./catalogue.ts";
import { products } from "../products/catalogue.ts";
import { isMisspelled } from "./misspelled.ts";
import { officialNames } from "./official.ts";

/** An organisation and its well-known repositories a line; `*` stands for many. */
const repositories = `
alpine git helm k8s socat bombardier kubectl curl
amazon aws-cli cloudwatch-agent aws-efs-csi-driver aws-ebs-csi-driver dynamodb-local
amd64 *
amir20 dozzle
amouat identidock dnmonster
apache *
apachepulsar pulsar pulsar-all
appropriate curl
aquasec *
argoproj *
arm32v7 *
arm64v8 *
atmoz sftp
authelia authelia
axllent mailpit
azuredocs *
badouralix curl-jq
bde2020 *
bitnami *
bitnamicharts *
bitnamilegacy *
bitnamisecure *
bmuschko *
brancz kube-rbac-proxy
bretfisher *
buoyantio *
byrnedo alpine-curl
caarlos0 *
calico *
centos *
ceph *
chartmuseum *
chentex random-logger
chrislusf seaweedfs
cilium *
clickhouse *
cloudflare *
cloudnativelabs kube-router
cockroachdb *
codecentric *
codercom *
collabora *
confluentinc *
containrrr watchtower
crccheck hello-world
crossplane *
crunchydata *
curlimages curl
danielqsj kafka-exporter
datadog *
datawire *
debezium *
dgkanatsios *
dgraph *
directxman12 *
docker *
dockercloud *
dockersamples *
dpage pgadmin4
drone *
dtzar helm-kubectl
dynatrace *
eclipse *
edoburu pgbouncer
elastic *
emberstack *
envoyproxy *
errm cheese
excalidraw excalidraw
externalsecrets *
falcosecurity *
filebrowser filebrowser
flant *
fluent *
fluxcd *
fnproject *
fortio fortio
functions *
gitea *
gitlab *
gogs gogs
goharbor *
google cadvisor cloud-sdk
googlesamples *
graviteeio *
gresearch *
guacamole *
haproxytech *
hashicorp *
headscale headscale
hidetatz *
hivemq *
hjacobs *
homeassistant *
honeycombio *
humio *
i386 *
ibmcom *
infinispan *
infoblox dnstools
instana *
intel *
istio *
jaegertracing *
jboss keycloak wildfly
jeffmendoza *
jenkins *
jenkinsci *
jettech kube-webhook-certgen
jimmidyson *
jodogne *
jpetazzo *
jupyter *
jupyterhub *
jwilder *
k8spacket *
kalilinux *
karthequian helloworld
kasmweb *
kedacore *
kennethreitz httpbin
kicbase *
kindest *
kiwigrid k8s-sidecar
kodekloud *
kong *
kubebuilder *
kubegoldenguide *
kubeovn *
kubernetes *
kubernetesui *
kubescape *
kubeshark *
kubevious *
lachlanevenson *
langgenius *
learnk8s *
linkerd *
linuxserver *
litmuschaos *
localstack localstack
locustio locust
longhornio *
louislam uptime-kuma
luksa *
maildev maildev
mailhog mailhog
mattermost *
mccutchen go-httpbin
meltwater *
metallb *
milvusdb *
mingrammer flog
minio *
mirantis *
mitmproxy mitmproxy
mmumshad *
mockserver mockserver
monachus rancher-demo
motoserver moto
mreferre *
n8nio n8n
netboxcommunity *
newrelic *
nicolaka netshoot
nigelpoulton *
nodered node-red
nvidia *
obsidiandynamics kafdrop
okteto *
ollama ollama
openebs *
openfaas *
openkruise *
openpolicyagent *
opensearchproject *
opensuse *
openzipkin *
oryd *
otel *
owncloud *
paketobuildpacks *
parrotsec *
parseplatform *
paulbouwer hello-kubernetes
percona *
pgvector pgvector
phpmyadmin phpmyadmin
pihole pihole
polinux stress
portainer *
postgis postgis
prakhar1989 static-site catnip
praqma network-multitool
progrium stress consul
projectcontour *
provectuslabs kafka-ui
pstauffer curl
pytorch *
qdrant qdrant
radial *
raesene *
rancher *
richardchesterwood *
robusta *
rook *
sameersbn *
schoolofdevops *
scylladb *
securego *
selenium *
semitechnologies *
siddharth67 *
soloio *
sonatype *
splunk *
spotify *
stacksimplify *
stakater *
statsd statsd
stilliard pure-ftpd
strapi *
strimzi *
sumologic *
supabase *
superseb rancher-demo
swaggerapi *
sysdig *
temporalio *
tensorflow *
thanosio *
thingsboard *
thomaspoignant *
timberio vector
timescale *
tonistiigi *
traefik *
trinodb *
tutum *
tykio *
ubuntu *
unguiculus *
vaultwarden server
velero *
verdaccio verdaccio
vfarcic *
victoriametrics *
vish stress
vllm *
wallabag wallabag
wardviaene *
wbitt network-multitool
weaveworks *
weaveworksdemos *
wernight *
wiremock wiremock
wurstmeister kafka zookeeper
yandex *
yauritux busybox-curl
yeasy simple-web
yobasystems *
yugabytedb *
zabbix *
zalando *
`;

const byOrganisation: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [repositories, ...products.map(({ hub = "" }) => hub)]
    .flatMap((text) => text.split("\n"))
    .filter((line) => line !== "")
    .map((line) => {
      const [organisation = "", ...names] = line.split(" ");
      return [organisation, new Set(names)];
    }),
);

/** The repositories of which a typing error is recognised in any well-known organisation. */
const wellKnownNames: ReadonlySet<string> = new Set([...officialNames, ...knownNames]);

/** Reports whether a name as `curlimages/curl` is one edit away from a well-known one. */
export function isMisspelledOnHub(organisation: string, repository: string): boolean {
  const repositories = byOrganisation.get(organisation);
  if (!repositories) return isMisspelled(organisation, byOrganisation.keys());
  if (repositories.has(repository)) return false;
  return isMisspelled(repository, repositories) || isMisspelled(repository, wellKnownNames);
}
