// An origin as browsers send it.
import * as z from "zod";

const form = /^https?:\/\/([a-z0-9]([-a-z0-9.]*[a-z0-9])?|\[[0-9a-f:]+\])(:[0-9]{1,5})?$/;

export const origin = z
  .string()
  .max(255)
  .regex(form, "must be an origin such as https://course.example.org, in lower case");
