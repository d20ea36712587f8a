import { defineConfig } from "vitest/config";

// Times are guards against hanging, not requirements: a busy machine may take
// many times as long as an idle one.
export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    expect: { poll: { timeout: 60_000 } },
  },
});
