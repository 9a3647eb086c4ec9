// Docker's official images on Docker Hub and their tags: the existing versions, and the words in tags.
import { once } from "../../../shared/base/once.ts";
import { products } from "../products/catalogue.ts";
import type { ImageReference } from "./reference.ts";

/** Each line has a name, its size in MB (`-`: unknown or elsewhere), and for each major version the highest minor one (`8-12`: no minors). */
const table = `
adminer 44 4.17 5.5 6.0
adoptopenjdk - 8 11.0 12.0 13.0 14.0 15.0 16.0
aerospike - 3.16 4.9 5.5 6.2
almalinux - 8.10 9.8 10.2
alpine - 2.7 3.24
alt -
amazoncorretto 200 8 11.0 15.0 16.0 17.0 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0
amazonlinux 55 1 2.0 2016.9 2017.12 2018.3 2022.0 2023.12
api-firewall - 0.9
arangodb - 2.8 3.12
archlinux 170
azul-zulu - 8.96 11.90 17.68 21.52 25.36 26.32
backdrop - 1.34
bash - 3.2 4.4 5.3
bonita - 7.15 8.0 9.0 10.4 11.1 2021.2 2022.2 2023.2 2024.3 2025.2 2026.2
buildpack-deps 340 14.4 16.4 17.10 18.10 19.10 20.10 21.10 22.10 23.10 24.10 25.10 26.10
busybox - 1.38
cassandra 150 2.2 3.11 4.1 5.0 6.0
celery - 3.1 4.0
centos 80 5.11 6.10 7.9 8.4
chronograf - 0.13 1.11
cirros - 0.6
clearlinux -
clefos - 7.7
clickhouse 180 24.12 25.12 26.7
clojure 260 2.5
composer 65 1.10 2.10
consul 58 0.9 1.15
convertigo - 7.9 8.4
couchbase 600 2.5 3.1 4.6 5.5 6.6 7.6 8.0
couchdb 95 1.7 2.3 3.5
couchdb-nouveau - 3.4
crate - 0.57 1.1 2.3 3.3 4.8 5.10 6.4
crux - 3.4
dart - 2.19 3.14
debian - 6.0 7.11 8.11 9.13 10.13 11.11 12.15 13.6
django - 1.10
docker 130 1.13 17.12 18.9 19.3 20.10 22.6 23.0 24.0 25.0 26.1 27.5 28.5 29.7
docker-dev - 0.12 1.9
drupal 200 7.103 8.9 9.5 10.6 11.4
eclipse-mosquitto 11 1.6 2.1
eclipse-temurin 190 8 11.0 16.0 17.0 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0
eggdrop - 1.10
elasticsearch 640 1.7 2.4 5.6 6.8 7.17 8.19 9.5
elixir 590 1.20
emqx 130 4.4 5.8
erlang 560 17.5 18.3 19.3 20.3 21.3 22.3 23.3 24.3 25.3 26.2 27.3 28.5 29.0
espocrm - 10.0
euleros - 2.3
express-gateway - 1.16
fedora - 20-45
flink 360 1.20 2.3
fluentd 20 1.19
friendica - 2019.12 2020.12 2021.12 2022.12 2023.12 2024.12 2025.7 2026.8
fsharp - 4.1 10.10
gazebo -
gcc 530 4.9 5.5 6.5 7.5 8.5 9.5 10.5 11.5 12.5 13.4 14.4 15.3 16.2
geonetwork - 3.12 4.4
ghost 190 0.11 1.26 2.38 3.42 4.48 5.130 6.59
glassfish - 4.1
golang - 1.27
gradle 330 3.5 4.10 5.6 6.9 7.6 8.14 9.7
groovy 250 2.6 3.0 4.0 5.1 6.0
haproxy 42 1.9 2.9 3.5
haskell 560 7.10 8.10 9.14
haxe - 3.4 4.3 5.0
hello-seattle -
hipache - 0.3
hitch - 1.8
hola-mundo -
hylang - 0.29 1.3
ibm-semeru-runtimes -
ibmjava - 8-9 11
influxdb 130 0.13 1.13 2.9 3.11
iojs - 1.8 2.5 3.3
irssi - 0.8 1.4
java - 6-9
jenkins - 1.651 2.60
jetty 200 7.6 8.1 9.4 10.0 11.0 12.1
jobber - 1.4
joomla 240 3.10 4.4 5.4 6.1
jruby 190 1.7 9.4 10.1
julia 250 0.7 1.13
kaazing-gateway - 5.6
kapacitor - 0.13 1.8
kibana 480 4.6 5.6 6.8 7.17 8.19 9.5
known - 0.9
kong 110 0.15 1.5 2.8 3.9
krakend - 2.13
lightstreamer - 6.1 7.4
lightstreamer-server - 6.0
liquibase - 4.33 5.0
logstash 420 1.5 2.4 5.6 6.8 7.17 8.19 9.5
mageia - 3-4 5.1 6-10
matomo 200 3.14 4.16 5.13
maven 240 3.9 4.0
mediawiki 270 1.46
monica - 2.22 3.7 4.1 5.0
mono - 3.12 4.8 5.20 6.12
mosquitto - 1.4
nats 8 0.9 1.4 2.14
nats-streaming - 0.25
neo4j 280 2.3 3.5 4.4 5.26 2025.12 2026.7
neurodebian -
nextcloud 470 9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0 17.0 18.0 19.0 20.0 21.0 22.2 23.0 24.0 25.0 26.0 27.1 28.0 29.0 30.0 31.0 32.0 33.0 34.0
nim - 2.2
node - 0.12 4.9 5.12 6.17 7.10 8.17 9.11 10.24 11.15 12.22 13.14 14.21 15.14 16.20 17.9 18.20 19.9 20.20 21.7 22.23 23.11 24.19 25.9 26.7
notary -
notary-server - 0.2
notary-signer - 0.2
nuxeo - 6.0 7.10 8.10 9.10 10.10
odoo 580 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0 17.0 18.0 19.0
open-liberty - 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0
openjdk 240 6-8 9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0 17.0 18.0 19-28
opensuse - 13.2 42.3
oraclelinux 85 5.11 6.10 7.9 8.10 9-10
orientdb - 2.2 3.2
owncloud - 6.0 7.0 8.2 9.1 10.0
percona 180 5.7 8.0
perl - 5.45
photon - 1.0 2.0 3.0 4.0 5.0
php 180 5.6 7.4 8.6
php-zendserver - 5.6 7.0 8.6 9.1 2018.0 2019.0 2021.0
phpmyadmin 200 5.2
piwik - 2.17 3.6
plone - 4.3 5.2
postfixadmin - 3.3 4.0
pypy 370 2.7 3.11
python - 2.7 3.15
r-base 320 3.6 4.6
rails - 4.2 5.0
rakudo-star - 2015.11 2016.11 2017.10 2018.10 2019.3 2020.10 2021.4 2022.12 2023.8 2024.12 2025.12 2026.6
rapidoid - 5.4
redmine 200 2.6 3.4 4.2 5.1 6.1 7.0
registry 10 0.9 2.8 3.1
rethinkdb 54 1.16 2.4
rocket.chat 400 0.74 1.3 2.4 3.18 4.8 5.4 6.13 7.13 8.5
rockylinux 70 8.9 9.3
ros 280
ruby - 1.9 2.7 3.5 4.0
rust 560 1.98
sapmachine - 11.0 12.0 13.0 14.0 15.0 16.0 17.0 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0
satosa - 8.5
sentry - 6.4 7.7 8.22 9.1
silverpeas - 6.4
sl - 6-7
solr 300 5.5 6.6 7.7 8.11 9.10 10.0
sonarqube 380 4.5 5.6 6.7 7.9 8.9 9.9 10.8 24.12 25.12 26.8 2025.6 2026.4
sourcemage - 0.62
spark 400 3.5 4.1
spiped - 1.6
storm 180 0.10 1.2 2.8 3.0
swarm - 0.4 1.2
swift 800 3.1 4.2 5.10 6.3
swipl - 7.7 8.5 9.3 10.1
teamspeak - 3.13
telegraf 140 0.13 1.39
thrift - 0.12
tomcat 200 6.0 7.0 8.5 9.0 10.1 11.0
tomee 220 6 7.1 8.0 9.1 10.2 11.0 17
traefik 48 1.7 2.11 3.7
ubuntu - 10.4 12.10 13.10 14.10 15.10 16.10 17.10 18.10 19.10 20.10 21.10 22.10 23.10 24.10 25.10 26.10
ubuntu-debootstrap - 10.4 12.4 14.10 15.10
ubuntu-upstart - 12.10 13.10 14.10
unit 300 1.34
varnish 90 6.6 7.7 8.0 9.0
vault 140 0.11 1.13
websphere-liberty - 8.5 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0
xwiki 500 8.4 9.11 10.11 11.10 12.11 13.10 14.10 15.10 16.10 17.10 18.6
yourls 170 1.10
zend-php - 5.5
znc - 1.10
zookeeper 110 3.9
`;

/** The words of tags beside numbers, for all images: `1.31-alpine3.23-slim`. */
const vocabulary = new Set(
  `
Beta FT GA LTS M OpenJDK RC Semeru Temurin adoptopenjdk aks al almalinux alpha alpine alpline amazoncorretto amazonlinux apache
app ardent argon artful azul b backports banon base beaufort beta binary bionic bookworm boot boron bottle bouncy branched bridge
brie buggy build builder buildroot bullseye buster camembert cancoillotte cantal carbon cauldron ce centos chabichou chakracore
chaource chevrotin cli common community comte connector core corretto cosmic couchperuser cross crystal curl current dashing data
datacenter debian deps dev devel develop developer dind disco docs dp dubnium ea eclipse edge ee eloquent enterprise eoan epoisses
erbium experimental faisselle fastcgi fedora fermium fips focal forky foxy fpm free fresh full galactic gallium generic git glibc
go graal groovy gzserver h hadoop harlequin headful headless heisenbug hirsute hotspot humble hydrogen ibm ibmjava ibmsfj impish
indigo innovation iron jade jammy java javaee jaxrs jazzy jd jdk jessie jod jre jsc kernel kilted kinetic kitten krypton langres
latest leap legacy legacylts lein libgazebo linux lite livarot lta lts ltsc lucid lunar lyrical m mainline management mantic
maroilles master melodic meta micro microProfile microprofile mimolette minimal modular montdor morbier multilib munster
musl nanoserver native nd netcore noble node noetic non nouveau old oldoldstable oldstable onbuild open openj openjdk
openssl oracle oraclelinux oracular otel otp p passenger perception perl php picodon plucky plume plus precise preview
production ps psmdb pypy python quantal questing r raclette ramequin raring rawhide rc reblochon resolute rhel robot rocamadour
rolling rootless roquefort ros ruby sac saintmarcelin saintnectaire sapmachine saucy scala scm scratch sdk search semeru server
sfj sid signer sim sisyphus slim small sources spatial springBoot squeeze stable standalone stonking stretch techpreview temurin
test testing tetedemoine threaded tip tomcat tools tp trixie trusty tumbleweed u ubi ubuntu uclibc unstable utopic vacherin vivid
wasm web webProfile webprofile weekly wheezy wily windowsservercore with xenial yakkety zesty zts zulu
`
    .trim()
    .split(/\s+/),
);

interface Official {
  readonly sizeBytes: number | undefined;
  /** The highest minor version by major version; -1 if no tag has one. */
  readonly minors: ReadonlyMap<number, number>;
}

const byName = once(
  (): ReadonlyMap<string, Official> =>
    new Map(
      [table, ...products.map(({ official = "" }) => official)]
        .flatMap((text) => text.split("\n"))
        .filter((line) => line !== "")
        .map(parseLine),
    ),
);

function parseLine(line: string): [string, Official] {
  const [name = "", size = "-", ...versions] = line.split(" ");
  const minors = new Map<number, number>();
  for (const version of versions) {
    const [major = "", minor] = version.split(".");
    const [first = 0, last = first] = major.split("-").map(Number);
    for (let each = first; each <= last; each++) minors.set(each, minor === undefined ? -1 : Number(minor));
  }
  return [name, { sizeBytes: size === "-" ? undefined : Number(size) * 1_000_000, minors }];
}

export const officialNames = once((): readonly string[] => [...byName().keys()]);

/** Reports whether Docker has an official image of this name. */
export function isOfficial(name: string): boolean {
  return byName().has(name);
}

export function officialSize(name: string): number | undefined {
  return byName().get(name)?.sizeBytes;
}

/**
 * The number of versions that may have been released since this table was written. Minor ones follow the newest major version; major ones
 * follow if an image had some already.
 */
const laterMinors = 5;
const laterMajors = 2;
const someMajors = 4;

/** Reports whether a tag can exist: `1.161` is a misspelling of `1.16.1`, and `latst` of `latest`. */
export function hasOfficialTag({ base, tag = "latest" }: ImageReference): boolean {
  const official = byName().get(base);
  if (!official) return false;
  const [first = "", ...rest] = tag.split(/[-_+]/);
  const version = /^v?(\d+)(?:\.(\d+))?/.exec(first);
  const words = version ? rest : [first, ...rest];
  if (!words.every(isWord)) return false;
  return !version || hasVersion(official.minors, Number(version[1]), Number(version[2] ?? 0));
}

/** Reports whether a text is a word of tags. Numbers may follow it. Names of other official images are words too: `8.3-alpine`. */
function isWord(text: string): boolean {
  const [stem = ""] = text.split(/[\d.]/, 1);
  return /^v?\d/.test(text) || vocabulary.has(stem) || byName().has(stem);
}

/** The least number that is a date or a build, such as `20260127`, not a major version. */
const firstBuildNumber = 10_000;

function hasVersion(minors: ReadonlyMap<number, number>, major: number, minor: number): boolean {
  if (major >= firstBuildNumber) return true;
  const newest = Math.max(...minors.keys());
  const highest = minors.get(major);
  const latest = newest + (minors.size < someMajors ? 0 : laterMajors);
  if (highest === undefined) return major > newest && major <= latest && minor <= laterMinors;
  return minor <= highest + (major === newest ? laterMinors : 0) || highest === -1;
}
