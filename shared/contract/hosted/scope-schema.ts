// Schemas of scopes and roles for the validation at the edge.
import * as z from "zod";
import { allScopes, roles } from "../scope.ts";

export const scope = z.enum(allScopes);

export const role = z.enum(roles);
