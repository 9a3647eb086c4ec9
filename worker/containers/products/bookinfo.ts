// The four services of bookinfo: a page about a book with its details, and reviews, whose later versions request ratings.
import { before } from "../../../shared/base/trim.ts";
import { image } from "../images/known-image.ts";
import type { Program } from "../shell/program.ts";
import type { Page, Server, Visit } from "../shell/server.ts";
import { fetchText, html, json, textPage } from "./common/service-client.ts";
import { serving } from "./common/serving.ts";
import type { Product } from "./module.ts";

const details = {
  id: 0,
  author: "William Shakespeare",
  year: 1595,
  type: "paperback",
  pages: 200,
  publisher: "PublisherA",
  language: "English",
  "ISBN-10": "1234567890",
  "ISBN-13": "123-1234567890",
};
const ratings = { id: 0, ratings: { Reviewer1: 5, Reviewer2: 4 } };
const texts = [
  "An extremely entertaining play by Shakespeare. The slapstick humour is refreshing!",
  "Absolutely fun and entertaining. The play lacks thematic depth when compared to other plays by Shakespeare.",
];

/** Returns the answer of a service of bookinfo. Its health check always succeeds. */
function ofPath({ path }: Visit, prefix: string, value: object | (() => object)): Page {
  if (path.startsWith("/health")) return textPage('{"status":"healthy"}', json);
  if (!path.startsWith(prefix)) return textPage("not found", html, 404);
  return textPage(JSON.stringify(typeof value === "function" ? value() : value), json);
}

/** Returns the reviews. Later versions include ratings. */
function reviews(visit: Visit, color?: string): object {
  const ratingsText = color === undefined ? undefined : fetchText(visit, "ratings:9080", "ratings/0");
  const starsByReviewer = new Map(
    [...(ratingsText ?? "").matchAll(/"Reviewer(\d)":(\d)/g)].map(([, at, number]) => [at, Number(number)]),
  );
  const stars = (at: number) => {
    if (color === undefined) return {};
    const number = starsByReviewer.get(String(at)) ?? 0;
    return { rating: number > 0 ? { stars: number, color } : { error: "Ratings service is currently unavailable" } };
  };
  return {
    id: "0",
    podname: visit.host,
    clustername: "null",
    reviews: texts.map((text, at) => ({ reviewer: `Reviewer${at + 1}`, text, ...stars(at + 1) })),
  };
}

function productPage(visit: Visit): Page {
  const bare = before(visit.path, "?#");
  if (bare === "/health") return textPage("Product page is healthy");
  const head = "<!DOCTYPE html>\n<html>\n  <head>\n    <title>Simple Bookstore App</title>\n  </head>\n  <body>\n";
  if (bare !== "/productpage")
    return textPage(`${head}    <h3>Hello! This is a simple bookstore application</h3>\n  </body>\n</html>\n`);
  const book = fetchText(visit, "details:9080", "details/0");
  const reviewsText = fetchText(visit, "reviews:9080", "reviews/0");
  const author = /"author":"([^"]*)"/.exec(book ?? "")?.[1];
  const quotes = [...(reviewsText ?? "").matchAll(/"text":"([^"]*)"(?:,"rating":\{"stars":(\d),"color":"(\w+)"\})?/g)];
  const quoteBlocks = quotes.map(([, text = "", stars, color = ""]) => {
    const rating =
      stars === undefined
        ? ""
        : `      <font color="${color}">${'<span class="glyphicon glyphicon-star"></span>'.repeat(Number(stars))}</font>\n`;
    return `      <blockquote>${text}</blockquote>\n${rating}`;
  });
  return textPage(
    `${head}    <h3>The Comedy of Errors</h3>\n` +
      (author === undefined
        ? "    <h4>Error fetching product details!</h4>\n"
        : `    <h4>Book Details</h4>\n      <p>${author}</p>\n`) +
      (quoteBlocks.length === 0
        ? "    <h4>Error fetching product reviews!</h4>\n"
        : `    <h4>Book Reviews</h4>\n${quoteBlocks.join("")}`) +
      "  </body>\n</html>\n",
  );
}

function at9080(answer: Server["answer"]): Program {
  return serving({ ports: [9080], server: { answer } });
}

const withReviews = (color?: string) => at9080((visit) => ofPath(visit, "/reviews/", () => reviews(visit, color)));

export const bookinfo: Product = {
  names: ["bookinfo", "productpage"],
  images: {
    "examples-bookinfo-productpage-v1": image(60_204_112, "bookinfo-productpage"),
    "examples-bookinfo-details-v1": image(60_810_427, "bookinfo-details"),
    "examples-bookinfo-ratings-v1": image(55_114_902, "bookinfo-ratings"),
    "examples-bookinfo-reviews-v1": image(190_442_107, "bookinfo-reviews-v1"),
    "examples-bookinfo-reviews-v2": image(190_442_861, "bookinfo-reviews-v2"),
    "examples-bookinfo-reviews-v3": image(190_443_003, "bookinfo-reviews-v3"),
  },
  programs: {
    "bookinfo-productpage": at9080(productPage),
    "bookinfo-details": at9080((visit) => ofPath(visit, "/details/", details)),
    "bookinfo-ratings": at9080((visit) => ofPath(visit, "/ratings/", ratings)),
    "bookinfo-reviews-v1": withReviews(),
    "bookinfo-reviews-v2": withReviews("black"),
    "bookinfo-reviews-v3": withReviews("red"),
  },
};
