// The projects whose types `npm test` leaves out, because another project checks the same files.
import { dirname, join, resolve } from "node:path";
import { parseJsonConfigFileContent, readConfigFile, sys } from "typescript";
import { describe, expect, test } from "vitest";
import { checkedProjects, coveredProjects } from "../../scripts/type-projects.ts";

const root = resolve(import.meta.dirname, "../..");

function projectAt(path: string) {
  // The compiler's types say `any`; a configuration is an object.
  const config = readConfigFile(join(root, path), sys.readFile).config as object;
  const { fileNames, options } = parseJsonConfigFileContent(config, sys, dirname(join(root, path)));
  return { fileNames, options };
}

describe("the projects whose types are checked", () => {
  test.each(Object.entries(coveredProjects))(
    "the types of %s are checked by %s with the same options",
    (covered, covering) => {
      const [leftOut, checked] = [projectAt(covered), projectAt(covering)];
      expect(leftOut.fileNames.length).toBeGreaterThan(0);
      expect(leftOut.fileNames.filter((name) => !checked.fileNames.includes(name))).toEqual([]);
      expect(leftOut.options).toEqual(checked.options);
      expect(checkedProjects(root)).toContain(covering);
    },
  );

  test("the types of all other projects are checked", () => {
    const checked = checkedProjects(root);
    expect(checked).toEqual(expect.arrayContaining(["shared/tsconfig.json", "web/tsconfig.json"]));
    expect(checked.filter((project) => coveredProjects[project] !== undefined)).toEqual([]);
  });
});
