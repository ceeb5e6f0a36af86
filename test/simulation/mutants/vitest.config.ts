import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** What needs no build, for suites that look for a seeded bug. */
const config: ViteUserConfig = defineConfig({
  test: { include: ['src/**/*.test.ts'], setupFiles: ['test/patient.ts'], maxWorkers: 1 },
})

// biome-ignore lint/style/noDefaultExport: vitest asks for one
export default config
