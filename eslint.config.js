// Lint: what the compiler does not find. Format is biome's; structure is held by test/tidy.test.ts.
import regexp from "eslint-plugin-regexp";
import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      "dist/**",
      "node_modules/**",
      "shared/k8s/api/**",
      ".sandbar/**",
      ".wrangler/**",
      "**/*.d.ts",
      "**/*.cjs",
      "**/*.mjs",
      "*.config.*",
      "eslint.config.js",
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  // Each file is looked for in few projects: each that is opened takes memory and time.
  ...[
    [["shared/**"], ["shared"]],
    [["worker/**"], ["worker"]],
    [["web/**"], ["web"]],
    [["client/**"], ["client"]],
    [["bench/**"], ["bench", "bench/worker"]],
    [["test/**"], ["test", "test/edge", "test/workerd"]],
    [["scripts/**", "*.ts"], ["."]],
  ].map(([files, projects]) => ({
    files,
    languageOptions: { parserOptions: { project: projects.map((project) => `${project}/tsconfig.json`) } },
  })),
  {
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "TSEnumDeclaration", message: "a union of literals says the same" },
      ],
      // Interfaces here are values with functions; none of them uses `this`.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        {
          allowNumber: true,
          allow: ["FieldPath", "URLSearchParams", "Error"],
        },
      ],
      // An asynchronous function's throw is a rejection, also where nothing is awaited: what implements a promise needs that.
      "@typescript-eslint/require-await": "off",
      eqeqeq: "error",
    },
  },
  {
    // What strangers send is matched by these: work grows with the length of the text and no faster.
    files: ["worker/**", "shared/**", "web/**", "scripts/**"],
    plugins: { regexp },
    rules: {
      "regexp/no-super-linear-backtracking": "error",
      "regexp/no-super-linear-move": "error",
    },
  },
  {
    // What a test reads back is checked by what it expects of it.
    files: ["test/**"],
    rules: {
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
