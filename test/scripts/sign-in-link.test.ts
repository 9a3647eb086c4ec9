// The sign-in link of a local run: validity and number of uses.
import { expect, test } from "vitest";
import { newSignInLink } from "../../scripts/local/sign-in-link.ts";

const minuteMs = 60_000;

test("H2: the link gives the key once, also after wrong guesses", () => {
  const link = newSignInLink("sbk_a", () => 0);
  expect(link.secret).toMatch(/^[0-9a-f]{48}$/);
  for (const wrong of ["", "x", link.secret.slice(1), `${link.secret}0`]) expect(link.exchange(wrong)).toBeUndefined();
  expect([link.exchange(link.secret), link.exchange(link.secret)]).toEqual(["sbk_a", undefined]);
});

test("H2: the link is valid for ten minutes, and each run has another", () => {
  let nowMs = 5;
  const [first, second] = [newSignInLink("sbk_a", () => nowMs), newSignInLink("sbk_a", () => nowMs)];
  expect(first.exchange(second.secret)).toBeUndefined();
  nowMs += 10 * minuteMs - 1;
  expect(first.exchange(first.secret)).toBe("sbk_a");
  nowMs += 1;
  expect(second.exchange(second.secret)).toBeUndefined();
});
