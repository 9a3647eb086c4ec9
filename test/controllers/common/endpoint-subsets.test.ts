// Endpoints as subsets.
import { describe, expect, test } from "vitest";
import {
  type Offer,
  addressCount,
  repackSubsets,
  truncateEndpoints,
} from "../../../worker/controllers/common/endpoints/subsets.ts";

const offer = (ip: string, port: number | undefined, ready = true): Offer => ({
  address: { ip, targetRef: { kind: "Pod", uid: `uid-${ip}` } },
  port: port === undefined ? undefined : { port, protocol: "TCP" },
  ready,
});
const ips = (list: readonly { ip: string }[] = []) => list.map(({ ip }) => ip);

describe("packing of subsets", () => {
  test("ports of the same addresses share a subset; addresses are sorted, and unready ones are separate", () => {
    const offers = [
      offer("10.0.0.2", 80),
      offer("10.0.0.2", 443),
      offer("10.0.0.1", 80, false),
      offer("10.0.0.1", 443, false),
    ];
    const [subset, ...otherSubsets] = repackSubsets(offers);
    expect(otherSubsets).toEqual([]);
    expect(ips(subset?.addresses)).toEqual(["10.0.0.2"]);
    expect(ips(subset?.notReadyAddresses)).toEqual(["10.0.0.1"]);
    expect(subset?.ports?.map(({ port }) => port)).toEqual([80, 443]);
  });
  test("addresses with other ports are in another subset", () => {
    const subsets = repackSubsets([offer("10.0.0.1", 80), offer("10.0.0.2", 8080)]);
    expect(
      subsets.map((endpointSubset) => [ips(endpointSubset.addresses), endpointSubset.ports?.map(({ port }) => port)]),
    ).toEqual([
      [["10.0.0.1"], [80]],
      [["10.0.0.2"], [8080]],
    ]);
  });
  test("the order of pods does not matter", () => {
    const offers = [offer("10.0.0.1", 80), offer("10.0.0.2", 8080), offer("10.0.0.3", 80)];
    expect(repackSubsets([...offers].reverse())).toEqual(repackSubsets(offers));
  });
  test("a headless Service needs no ports", () => {
    expect(repackSubsets([offer("10.0.0.1", undefined)])).toEqual([{ addresses: [offer("10.0.0.1", 1).address] }]);
  });
});

describe("truncation to 1000 addresses", () => {
  const many = (count: number, ready: boolean, from = 0) =>
    Array.from({ length: count }, (_, at) =>
      offer(`10.1.${Math.floor((from + at) / 250)}.${(from + at) % 250}`, 80, ready),
    );
  test("ready addresses come first", () => {
    const [subset] = truncateEndpoints(repackSubsets([...many(800, true), ...many(400, false, 800)]));
    expect(subset?.addresses?.length).toBe(800);
    expect(subset?.notReadyAddresses?.length).toBe(200);
  });
  test("with too many ready addresses, no others are included", () => {
    const [subset] = truncateEndpoints(repackSubsets([...many(1200, true), ...many(10, false, 1200)]));
    expect(subset?.addresses?.length).toBe(1000);
    expect(subset?.notReadyAddresses).toBeUndefined();
  });
  test("each subset is truncated in proportion", () => {
    const otherPort = many(500, true, 1500).map((portOffer) => ({ ...portOffer, port: { port: 81 } }));
    const subsets = truncateEndpoints(repackSubsets([...many(1500, true), ...otherPort]));
    expect(addressCount(subsets)).toBe(1000);
    expect(subsets.map(({ addresses = [] }) => addresses.length).sort()).toEqual([250, 750]);
  });
});
