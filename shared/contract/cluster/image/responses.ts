// The table of responses by which an image serves HTTP without a program of its own.
import * as z from "zod";
import { limits } from "../../../base/limits.ts";

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const imageResponse = z.strictObject({
  /** The method. Default: any method. */
  method: z
    .string()
    .max(limits.imageMethodCharacters)
    .regex(/^[A-Z]+$/, "must be a method of HTTP such as GET")
    .optional(),
  /** The path of a request without its query. With `*` at the end it is a prefix. */
  path: z
    .string()
    .max(limits.imagePathCharacters)
    .regex(/^\/[^\s?#*]*\*?$/, "must begin with a slash, and may end with *"),
  status: z.int().min(200).max(599).default(200),
  headers: z
    .record(
      z.string().max(limits.imageNameCharacters).regex(headerName, "must be the name of a header"),
      z
        .string()
        .max(limits.imageValueCharacters)
        .regex(/^[^\r\n\0]*$/, "must be one line"),
    )
    .refine(
      (headers) => Object.keys(headers).length <= limits.imageHeaders,
      `must have at most ${limits.imageHeaders} entries`,
    )
    .default({}),
  body: z.string().max(limits.imageFileBytes).default(""),
  /** Milliseconds until the answer is sent. */
  delayMs: z.int().min(0).max(limits.imageDelayMsMax).default(0),
  /** The share of requests, from 0 to 1, that are answered with `failureStatus`. */
  failureShare: z.number().min(0).max(1).default(0),
  failureStatus: z.int().min(400).max(599).default(503),
});

export type ImageResponse = z.output<typeof imageResponse>;

export const imageResponses = z.array(imageResponse).min(1).max(limits.imageResponses);

/** The path of the table in a container, which is also the path of the program that serves it. */
export const responsesPath = "/etc/sandbar/responses.json";
export const responsesProgram = "sandbar-responses";

/** The content of that file. */
export const responsesFile = z.strictObject({
  ports: z.array(z.int().min(1).max(65_535)).min(1).max(limits.imagePorts),
  responses: imageResponses,
});

export type ResponsesFile = z.output<typeof responsesFile>;
