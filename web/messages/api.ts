// The texts of the reference of the API.
import { ofReader } from "./language.ts";

const en = {
  apiPage: {
    apiReference: "API reference",
    filter: "Filter",
    filterHint: "Filter by path, name or words",
    unknownOperation: "There is no operation of that name.",
    allOperations: "All operations",
    openApiDocument: "The document",
    noMatch: "No operation matches. Try a word of its path, such as sandboxes.",
  },
  operationPage: {
    allOperations: "All operations",
    access: "For",
    scope: "scope",
    parameters: "Parameters",
    body: "Body",
    fieldsOf: (status: string | number) => `Fields of ${status}`,
    name: "Name",
    type: "Type",
    description: "What it is",
    required: ", required",
  },
  document: {
    serviceName: "the service",
    accessPublic: "whoever comes",
    accessOperator: "the operator, with the operator's key",
    accessKeyOrUser: "a key, or a signed-in user",
    accessUser: "a person who has signed in",
    oneOf: (text: string | number) => `one of ${text}`,
    listOf: (text: string | number) => `list of ${text}`,
    atMostCharacters: (maxLength: string | number) => `at most ${maxLength} characters`,
    atMost: (maxItems: string | number) => `at most ${maxItems}`,
  },
};

export const texts = ofReader({ en });
