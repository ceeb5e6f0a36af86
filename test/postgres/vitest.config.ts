/** What needs a large database: `npm run test:postgres`. The rest of this folder is part of `npm test`. */
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: { include: ['test/postgres/plans/*.test.ts'], setupFiles: ['test/patient.ts'], testTimeout: 120_000 },
})

export default config
