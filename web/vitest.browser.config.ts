import { defineConfig } from "vitest/config";

// One file after the other: each starts a browser that draws with the processor alone. The limits are for a machine that is
// busy with other things; alone, all of it takes about a minute.
export default defineConfig({
  test: {
    include: ["browser/**/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
