// Lint: what the compiler does not find. Format is biome's; structure is held by test/tidy.test.ts.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/**", "node_modules/**", "shared/k8s/api/**", ".sandbar/**", ".wrangler/**", "**/*.d.ts", "**/*.cjs", "*.config.*", "eslint.config.js"] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: ["shared/tsconfig.json", "worker/tsconfig.json", "web/tsconfig.json", "test/tsconfig.json", "test/edge/tsconfig.json", "test/workerd/tsconfig.json", "tsconfig.json"] } },
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true }],
      "no-restricted-syntax": ["error", { selector: "TSEnumDeclaration", message: "a union of literals says the same" }],
      eqeqeq: "error",
    },
  },
  // Fakes answer at once where the real thing waits.
  { files: ["test/**"], rules: { "@typescript-eslint/require-await": "off" } },
);
