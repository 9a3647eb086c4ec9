// Which hosts the hosted service calls: public ones. What is private to the machine, or to a network that it may stand in, is not asked.

/** Names, with all below them, that are of one network or machine, or reserved so that they never will be public. */
const privateNames = [
  ...["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "home.arpa", "lan"],
  ...["svc", "test", "invalid", "example", "onion", "alt"],
  // The one that says what a cloud's machine is, and is not below `internal`.
  "metadata.tencentyun.com",
];
const longestName = 253;
/** ASCII, as a URL has any name; underscores are in use. */
const label = /^[a-z0-9_-]{1,63}$/;

/** First address and bits of the IPv4 networks that are not public. */
const privateNetworks: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/**
 * `hostname` is a URL's: lower case, without escapes, in ASCII, IPv4 as four decimals whatever was written, IPv6 in brackets. A public
 * name may resolve to a private address all the same (`127.0.0.1.nip.io`): that is for whoever resolves it to refuse.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(groupsOf(hostname.slice(1, -1)));
  // One dot at the end makes a name absolute; what has more is none, and resolvers do not agree on what it means.
  const name = hostname.replace(/\.$/, "");
  const number = ipv4Number(name);
  if (number !== undefined) return isPublicIpv4(number);
  const labels = name.split(".");
  if (name.length > longestName || !labels.every((one) => label.test(one))) return false;
  // A number at the end is an address to some resolvers, and no name to any.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return false;
  // A name without a dot means something in one network only.
  return labels.length > 1 && !privateNames.some((one) => name === one || name.endsWith(`.${one}`));
}

function isPublicIpv4(number: number): boolean {
  return !privateNetworks.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    const start = ipv4Number(first) ?? 0;
    return number >= start && number < start + size;
  });
}

function ipv4Number(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.reduce((sum, part) => sum * 256 + part, 0);
}

/** Only what is handed out to the world (2000::/3), and of that nothing that stands for another network. */
function isPublicIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0, ...rest] = groups;
  // An IPv4 address in IPv6's clothes, as translators (64:ff9b::/96) and 6to4 (2002::/16) have it. A network's own translator
  // (64:ff9b:1::/48) is its own.
  if (first === 0x64 && second === 0xff9b) {
    return [third, ...rest.slice(0, 3)].every((group) => group === 0) && isPublicIpv4(embedded(groups[6], groups[7]));
  }
  if (first === 0x2002) return isPublicIpv4(embedded(second, third));
  // Teredo, and what documents and benchmarks use.
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first >= 0x2000 && first < 0x3fff;
}

function embedded(high = 0, low = 0): number {
  return high * 65_536 + low;
}

/** Eight numbers. */
function groupsOf(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const numbers = (part: string) =>
    part
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [before, after] = [numbers(head), numbers(tail ?? "")];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
