// The bounds of the images that a sandbox, a template or a lesson defines, each with its unit and its reason.
const KiB = 1024;

export const imageLimits = {
  /** Images of a list, and the bytes of all of them as JSON: they stand in one row beside the other settings, which holds 2 MB. */
  imageDefinitions: 20,
  imageBytes: 384 * KiB,
  /** Files of an image, and the bytes of one: each start of a container copies them. */
  imageFiles: 500,
  imageFileBytes: 128 * KiB,
  /** Characters and parts of a path; Linux holds 4,096 characters. */
  imagePathCharacters: 1_024,
  imagePathParts: 32,
  /** Characters of a reference, as registries bound them, and tags of an image. */
  imageReferenceCharacters: 255,
  imageTags: 20,
  /** Characters of names (of users, variables, headers and programs) and of values. */
  imageNameCharacters: 128,
  imageValueCharacters: 8 * KiB,
  /** Entries of the lists of an image. */
  imageWords: 100,
  imagePackages: 100,
  imageVariables: 100,
  imageUsers: 20,
  imagePorts: 20,
  /** Responses of an image, their headers, the characters of a method, and the milliseconds of a delay. */
  imageResponses: 100,
  imageHeaders: 20,
  imageMethodCharacters: 16,
  imageDelayMsMax: 600_000,
} as const;
