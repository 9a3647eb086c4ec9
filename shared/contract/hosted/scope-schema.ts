// Scopes and roles as the edge checks what is sent.
import { z } from "zod";
import { allScopes, roles } from "../scope.ts";

export const scope = z.enum(allScopes);

export const role = z.enum(roles);
