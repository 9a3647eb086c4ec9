// Values of single fields and parameters: amounts, times, addresses, names, selectors and paths.
import { parseCron } from "../../../shared/k8s/cron/cron.ts";
import { nextCronMs } from "../../../shared/k8s/cron/cron-next.ts";
import { parseCidr, parseIp, formatIp, parseIpv4Range } from "../../../shared/k8s/ip.ts";
import { parseJsonPath } from "../../../shared/k8s/json-path.ts";
import {
  dns1123Subdomain,
  domainPathErrors,
  envVarName,
  httpHeaderName,
  labelValue,
  qualifiedName,
  wildcardDns1123Subdomain,
} from "../../../shared/k8s/names.ts";
import { FieldPath } from "../../../shared/k8s/field.ts";
import { compareQuantities, formatQuantity, parseQuantity, addQuantities } from "../../../shared/k8s/quantity.ts";
import { parseFieldSelector } from "../../../shared/k8s/selectors/fields.ts";
import { parseSelector } from "../../../shared/k8s/selectors/labels.ts";
import { compareVersions } from "../../../shared/k8s/versions.ts";
import { canonicalTime } from "../../../shared/schema/timestamps.ts";
import { formatDuration, parseDuration } from "../../../shared/schema/durations.ts";
import { apiResultOf, holds, resultOf, sameJson, type Target } from "../target.ts";

const words = (text: string) => text.split(" ");
const nowMs = Date.UTC(2026, 0, 31, 23, 59, 59, 999);

const quantities: Target = {
  name: "quantity",
  corpus: words("1 100m 1.5Gi 12e6 -3k .5 5. 1E3 9223372036854775807 0.000000001 1Ki 12345678901234567890n +7u"),
  words: words("n u m k M G T P E Ki Mi Gi Ti Pi Ei e E + - . 0 1"),
  run: (input) => {
    const quantity = resultOf(() => parseQuantity(input));
    if (!quantity) return;
    const text = formatQuantity(quantity);
    const again = parseQuantity(text);
    holds(again !== undefined && compareQuantities(again, quantity) === 0, `${text} is not ${input.slice(0, 99)}`);
    formatQuantity(addQuantities(quantity, quantity));
  },
};

const durations: Target = {
  name: "duration",
  corpus: words("1h2m3.5s 100ms -1.5h 0 +5us 3µs 9223372036854775807ns 1ns1us1ms1s1m1h .5s 5.s"),
  words: words("h m s ms us µs ns . - + 1 0"),
  run: (input) => {
    const nanos = resultOf(() => parseDuration(input));
    if (typeof nanos !== "bigint") return;
    const text = formatDuration(nanos);
    holds(parseDuration(text) === nanos, `${text} is not ${nanos}`);
  },
};

const schedules: Target = {
  name: "cron schedule",
  corpus: [
    "*/5 * * * *",
    "0 9-17/2 * * mon-fri",
    "@daily",
    "@every 1h30m",
    "TZ=Europe/Berlin 30 2 29 2 ?",
    "1,2,3 4 5 jan 7",
    "CRON_TZ=UTC 0 0 31 2 *",
  ],
  words: words("* / - , @every @hourly TZ= CRON_TZ= jan sun ? 60 31 UTC America/Sao_Paulo L #"),
  share: 300,
  run: (input) => {
    const schedule = resultOf(() => parseCron(input));
    if (!schedule || "error" in schedule) return;
    const next = nextCronMs(schedule, nowMs, "Europe/Berlin");
    holds(next === undefined || next > nowMs - 1000, `the next moment ${String(next)} lies in the past`);
  },
};

const times: Target = {
  name: "timestamp",
  corpus: words(
    "2026-01-01T00:00:00Z 2026-02-29T23:59:60.999999999+05:30 0001-01-01T00:00:00Z 9999-12-31T23:59:59.1-23:59 null",
  ),
  words: words("T Z + - : . 00 99 24 60 2024-02-29"),
  run: (input) => {
    for (const isMicro of [true, false]) {
      const time = resultOf(() => canonicalTime(input, isMicro));
      if (!time || "error" in time || time.text === null) continue;
      // An offset may lead out of the years that can be read again, as it does upstream.
      if (!/^\d{4}-/.test(time.text)) holds(/^(?:10000-01-01|-0001-12-31)T/.test(time.text), time.text);
      else sameJson(canonicalTime(time.text, isMicro), time, "a canonical time is canonical");
    }
  },
};

const addresses: Target = {
  name: "address",
  corpus: words(
    "10.0.0.1 ::1 fe80::1:2 ::ffff:1.2.3.4 10.0.0.0/8 2001:db8::/32 1.2.3.4/33 10.0.0.1-10.0.0.9 v1beta2 v10",
  ),
  words: words(": :: . / 0 255 256 ffff fffff 01 %eth0 -"),
  run: (input) => {
    const ip = resultOf(() => parseIp(input));
    if (ip) sameJson(parseIp(formatIp(ip))?.bytes, ip.bytes, "an address that is printed");
    resultOf(() => parseCidr(input));
    resultOf(() => parseIpv4Range(input));
    const order = compareVersions(input, "v1");
    holds(Math.sign(order) === -Math.sign(compareVersions("v1", input)), "versions are ordered one way");
  },
};

const names: Target = {
  name: "name",
  corpus: words("a-b.c example.com/part *.example.com A_B x.y/z=1 kube-root-ca.crt X-Header example.com/a/b"),
  words: words("- . / * _ a 0 A = xn--"),
  run: (input) => {
    for (const check of [
      dns1123Subdomain,
      qualifiedName,
      labelValue,
      envVarName,
      httpHeaderName,
      wildcardDns1123Subdomain,
    ])
      resultOf(() => check(input));
    resultOf(() => domainPathErrors(input, new FieldPath("spec")));
  },
};

const labels = { app: "web", "a.b/c": "1", n: "7" };

const labelSelectors: Target = {
  name: "label selector",
  corpus: ["app=web", "a.b/c in (1,2), !x", "app!=web,n>5", "x notin (), y", "a==b,c=", "n<9,!n"],
  words: words("in notin ( ) , = == != > < ! app a.b/c exists x"),
  run: (input) => {
    const selector = apiResultOf(() => parseSelector(input));
    if (!selector) return;
    const text = String(selector);
    const again = parseSelector(text);
    sameJson([String(again), again.matches(labels)], [text, selector.matches(labels)], "a selector that is printed");
  },
};

const fieldSelectors: Target = {
  name: "field selector",
  corpus: ["metadata.name=a", "spec.nodeName!=b,status.phase==Running", "a\\=b=c\\,d", "reason=x,", "="],
  words: words("= == != , \\ \\, \\= metadata.name spec"),
  run: (input) => void apiResultOf(() => parseFieldSelector(input)),
};

const value = {
  a: [{ b: 1, c: "x" }, { b: 2, c: null }, [1, [2]]],
  "x.y": { __proto__: { z: 1 }, t: true },
  spec: { l: [{ a: "1", b: 2 }] },
};

const jsonPaths: Target = {
  name: "JSONPath of a printer column",
  corpus: [
    ".spec.l[?(@.a=='1')].b",
    ".a[*].b",
    "..c",
    ".a[0:2:1]",
    "['a','x.y']",
    ".a[-1]",
    ".x\\.y.t",
    ".a[?(@.b>1)].c",
    "$.a[?(@[?(@.b)])]",
  ],
  words: words(". .. [ ] * ?( @ ) == != < > ' \" , : -1 $ \\ true 1 a b"),
  nests: [
    ["[?(@", ")]"],
    ["[?(@.a[?(@", ")])]"],
    ["..", ""],
    ["[*]", ""],
    [".a", ""],
  ],
  run: (input) => {
    const path = resultOf(() => parseJsonPath(input));
    if (path) resultOf((meter) => path.first(value, (work) => meter.charge(work)));
  },
};

export const valueTargets: readonly Target[] = [
  ...[quantities, durations, schedules, times, addresses, names, labelSelectors, fieldSelectors, jsonPaths],
];
