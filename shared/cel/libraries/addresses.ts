// IP addresses and networks: `cidr("10.0.0.0/8").containsIP("10.1.2.3")`.
import { type Library, cidrType, ipType } from "../functions.ts";
import {
  type Address,
  type Network,
  addressText,
  isMapped,
  masked,
  networkHolds,
  parseAddress,
  parseNetwork,
  sameBytes,
} from "../ip-address.ts";
import { type OpaqueValue, type Value, fail, noSuchOverload } from "../values.ts";

type Problem = { readonly error: string };

export const addresses: Library = {
  "ip(string) IP": ip,
  ".ip(CIDR) IP": (value: OpaqueValue) => ipValue(networkOf(value).address),
  "isIP(string) bool": (text: string) => !("error" in read(text)),
  "ip.isCanonical(string) bool": (text: string) => {
    const address = read(text);
    return "error" in address ? fail(address.error) : addressText(address) === text;
  },
  "string(IP) string": (value: OpaqueValue) => addressText(addressOf(value)),
  ".family(IP) int": (value: OpaqueValue) => BigInt(addressOf(value).family),
  ".isUnspecified(IP) bool": (value: OpaqueValue) => addressOf(value).bytes.every((byte) => byte === 0),
  ".isLoopback(IP) bool": (value: OpaqueValue) => isLoopback(addressOf(value)),
  ".isLinkLocalMulticast(IP) bool": (value: OpaqueValue) => isLinkLocalMulticast(addressOf(value)),
  ".isLinkLocalUnicast(IP) bool": (value: OpaqueValue) => isLinkLocalUnicast(addressOf(value)),
  ".isGlobalUnicast(IP) bool": (value: OpaqueValue) => isGlobalUnicast(addressOf(value)),
  "cidr(string) CIDR": cidr,
  "isCIDR(string) bool": (text: string) => !("error" in readNetwork(text)),
  "string(CIDR) string": (value: OpaqueValue) => networkText(networkOf(value)),
  ".containsIP(CIDR, string) bool": (value: OpaqueValue, text: string) => {
    const address = read(text);
    return "error" in address ? noSuchOverload : networkHolds(networkOf(value), address);
  },
  ".containsIP(CIDR, IP) bool": (value: OpaqueValue, address: OpaqueValue) =>
    networkHolds(networkOf(value), addressOf(address)),
  ".containsCIDR(CIDR, string) bool": (value: OpaqueValue, text: string) => {
    const network = readNetwork(text);
    return "error" in network
      ? fail(`network address parse error during conversion from string: ${network.error}`)
      : holds(networkOf(value), network);
  },
  ".containsCIDR(CIDR, CIDR) bool": (value: OpaqueValue, network: OpaqueValue) =>
    holds(networkOf(value), networkOf(network)),
  ".prefixLength(CIDR) int": (value: OpaqueValue) => BigInt(networkOf(value).bits),
  ".masked(CIDR) CIDR": (value: OpaqueValue) => cidrValue(masked(networkOf(value))),
};

function ip(text: string): Value {
  const address = read(text);
  return "error" in address ? fail(address.error) : ipValue(address);
}

function cidr(text: string): Value {
  const network = readNetwork(text);
  if ("error" in network) return fail(`network address parse error during conversion from string: ${network.error}`);
  return cidrValue(network);
}

function ipValue(address: Address): OpaqueValue {
  const equal = (value: OpaqueValue) => sameBytes(address, addressOf(value));
  return { kind: "opaque", type: ipType, data: address, size: address.bytes.length, equal };
}

function cidrValue(network: Network): OpaqueValue {
  const equal = (value: OpaqueValue) => {
    const { address, bits } = networkOf(value);
    return bits === network.bits && sameBytes(network.address, address);
  };
  return { kind: "opaque", type: cidrType, data: network, size: Math.ceil((network.bits + 7) / 8), equal };
}

/** Only these functions create values of these types. */
function addressOf({ data }: OpaqueValue): Address {
  return data as Address;
}

function networkOf({ data }: OpaqueValue): Network {
  return data as Network;
}

function read(text: string): Address | Problem {
  const quoted = JSON.stringify(text);
  const address = parseAddress(text);
  if ("error" in address) {
    return { error: `IP Address ${quoted} parse error during conversion from string: ${address.error}` };
  }
  if (address.zone) return { error: `IP address ${quoted} with zone value is not allowed` };
  return isMapped(address) ? { error: `IPv4-mapped IPv6 address ${quoted} is not allowed` } : address;
}

function readNetwork(text: string): Network | Problem {
  const network = parseNetwork(text);
  if ("error" in network) {
    return { error: `network address parse error during conversion from string: ${network.error}` };
  }
  const isWrong = isMapped(network.address);
  return isWrong ? { error: `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed` } : network;
}

function networkText({ address, bits }: Network): string {
  return `${addressText(address)}/${bits}`;
}

function holds(network: Network, inner: Network): boolean {
  return network.bits <= inner.bits && networkHolds(network, inner.address);
}

function isLoopback({ family, bytes }: Address): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

function isLinkLocalMulticast({ family, bytes }: Address): boolean {
  if (family === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2;
}

function isLinkLocalUnicast({ family, bytes }: Address): boolean {
  if (family === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isMulticast({ family, bytes }: Address): boolean {
  return family === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isGlobalUnicast(address: Address): boolean {
  const { family, bytes } = address;
  if (family === 4 && bytes.every((byte) => byte === 255)) return false;
  if (bytes.every((byte) => byte === 0)) return false;
  return !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address);
}
