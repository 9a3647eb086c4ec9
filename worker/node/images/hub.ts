// Repositories of Docker Hub that lessons, charts and examples use, beside Docker's own: an organisation and its repositories a line.

/** `*`: of an organisation of which so many are used that each name is taken to be there. */
const repositories = `
alpine git helm k8s socat bombardier kubectl curl
amazon aws-cli cloudwatch-agent aws-efs-csi-driver aws-ebs-csi-driver dynamodb-local
amir20 dozzle
amouat identidock dnmonster
apache *
apachepulsar pulsar pulsar-all
aquasec *
argoproj *
atmoz sftp
authelia authelia
axllent mailpit
badouralix curl-jq
bitnami *
bitnamilegacy *
bitnamisecure *
bitnamicharts *
brancz kube-rbac-proxy
buoyantio *
byrnedo alpine-curl
caarlos0 *
calico *
ceph *
chartmuseum *
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
containous whoami
coredns coredns
crossplane *
curlimages curl
datadog *
debezium *
dgraph *
directxman12 *
dockersamples *
docker *
dpage pgadmin4
drone *
dtzar helm-kubectl
ealen echo-server
eclipse *
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
gitea *
gitlab *
goharbor *
gogs gogs
google cadvisor cloud-sdk
googlesamples *
grafana *
graviteeio *
gresearch *
guacamole *
hashicorp *
haproxytech *
headscale headscale
hidetatz *
homeassistant *
honeycombio *
humio *
ibmcom *
infinispan *
intel *
istio *
jaegertracing *
jboss keycloak wildfly
jenkins *
jenkinsci *
jeffmendoza *
jettech kube-webhook-certgen
jmalloc echo-server
jodogne *
jupyter *
jupyterhub *
k8spacket *
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
kubevious *
lachlanevenson *
langgenius *
learnk8s *
linkerd *
linuxserver *
litmuschaos *
locustio locust
longhornio *
louislam uptime-kuma
luksa *
mailhog mailhog
maildev maildev
mattermost *
mccutchen go-httpbin
mendhak http-https-echo
meltwater *
metallb *
milvusdb *
minio *
mirantis *
mreferre *
mysql mysql-server mysql-operator mysql-router
n8nio n8n
netboxcommunity *
newrelic *
nginx nginx-ingress nginx-prometheus-exporter unit
nginxdemos *
nginxinc *
nicolaka netshoot
nigelpoulton *
nodered node-red
nvidia *
ollama ollama
oliver006 redis_exporter
openebs *
openkruise *
openpolicyagent *
opensearchproject *
openzipkin *
oryd *
otel *
owncloud *
paketobuildpacks *
parseplatform *
paulbouwer hello-kubernetes
percona *
phpmyadmin phpmyadmin
pihole pihole
polinux stress
portainer *
postgis postgis
postgrest postgrest
prakhar1989 static-site catnip
praqma network-multitool
progrium stress consul
projectcontour *
prom *
prometheuscommunity *
provectuslabs kafka-ui
pytorch *
qdrant qdrant
radial *
rancher *
raesene *
rabbitmqoperator *
redis *
redislabs *
richardchesterwood *
rook *
sameersbn *
scylladb *
securego *
selenium *
semitechnologies *
sonatype *
splunk *
spotify *
stacksimplify *
stakater *
statsd statsd
stefanprodan podinfo podinfo-cli
strimzi *
sumologic *
supabase *
swaggerapi *
sysdig *
temporalio *
tensorflow *
thanosio *
thingsboard *
thomaspoignant *
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
victoriametrics *
vish stress
vllm *
wallabag wallabag
wbitt network-multitool
weaveworks *
weaveworksdemos *
wiremock wiremock
wurstmeister kafka zookeeper
yandex *
yugabytedb *
zabbix *
zalando *
`;

const byOrganisation: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  repositories
    .trim()
    .split("\n")
    .map((line) => {
      const [organisation = "", ...names] = line.split(" ");
      return [organisation, new Set(names)];
    }),
);

/** Whether there is such a repository: `grafana/loki`. Those of Docker itself are in `official.ts`. */
export function isOnHub(organisation: string, repository: string): boolean {
  const known = byOrganisation.get(organisation);
  return known !== undefined && (known.has(repository) || known.has("*"));
}
