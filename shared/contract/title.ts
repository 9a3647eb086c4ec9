// A title for people: one line of text.
import * as z from "zod";
import { limits } from "../base/limits.ts";

export const title = z
  .string()
  .trim()
  .min(1)
  .max(limits.titleCharacters)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "must be a line of visible characters");
