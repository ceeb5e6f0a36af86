import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/build.ts'],
    // Stories start real processes, several each, on machines with two cores.
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})

export default config
