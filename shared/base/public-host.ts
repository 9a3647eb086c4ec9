// Public hosts, the only ones that the hosted service calls. Hosts of the machine or of a private network are refused.

/** The names, with their subdomains, of one network or machine, or reserved so that they never become public. */
const privateNames = [
  ...["localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "home.arpa", "lan"],
  ...["svc", "test", "invalid", "example", "onion", "alt"],
  // The metadata service of a cloud, which is not below `internal`.
  "metadata.tencentyun.com",
];
const longestName = 253;
/** A label in ASCII, as in URLs; underscores are in use. */
const label = /^[a-z0-9_-]{1,63}$/;

/** The first address and the prefix length of IPv4 networks that are not public. */
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
 * Reports whether a host is public. `hostname` is a URL's: lower-case ASCII without escapes, IPv4 as four decimals, IPv6 in brackets. A
 * public name may resolve to a private address (`127.0.0.1.nip.io`), which the resolver must refuse.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(groupsOf(hostname.slice(1, -1)));
  // One trailing dot makes a name absolute. More dots are invalid, and resolvers treat them differently.
  const name = hostname.replace(/\.$/, "");
  const number = ipv4Number(name);
  if (number !== undefined) return isPublicIpv4(number);
  const labels = name.split(".");
  if (name.length > longestName || !labels.every((labelText) => label.test(labelText))) return false;
  // Some resolvers treat a trailing number as an address.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "")) return false;
  // A name without a dot has a meaning only in one network.
  return (
    labels.length > 1 && !privateNames.some((privateName) => name === privateName || name.endsWith(`.${privateName}`))
  );
}

function isPublicIpv4(number: number): boolean {
  return !privateNetworks.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    const start = ipv4Number(first) ?? 0;
    return number >= start && number < start + size;
  });
}

function ipv4Number(text: string): number | undefined {
  const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return octets?.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** Accepts only global unicast (2000::/3) that does not embed another network. */
function isPublicIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0, ...rest] = groups;
  // Checks the embedded IPv4 address of translators (64:ff9b::/96) and 6to4 (2002::/16). A network's own translator (64:ff9b:1::/48) is
  // private.
  if (first === 0x64 && second === 0xff9b) {
    return [third, ...rest.slice(0, 3)].every((group) => group === 0) && isPublicIpv4(embedded(groups[6], groups[7]));
  }
  if (first === 0x2002) return isPublicIpv4(embedded(second, third));
  // Teredo, documentation and benchmarking.
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first >= 0x2000 && first < 0x3fff;
}

function embedded(high = 0, low = 0): number {
  return high * 65_536 + low;
}

/** Returns eight numbers. */
function groupsOf(text: string): number[] {
  const [head = "", tail] = text.split("::");
  const numbers = (groupText: string) =>
    groupText
      .split(":")
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [before, after] = [numbers(head), numbers(tail ?? "")];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
