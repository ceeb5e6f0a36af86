import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/clients/**', 'test/web/**', 'test/postgres/plans/**'],
    globalSetup: ['test/build.ts', 'test/postgres/shared-server.ts'],
    setupFiles: ['test/patient.ts'],
    // Stories wait for processes more than they compute.
    maxWorkers: 2 * availableParallelism(),
    // Stories start real processes, several each, on machines with two cores.
    // The configuration of the developer is none of theirs, and code that one compiled the next one loads.
    env: {
      XDG_CONFIG_HOME: join(tmpdir(), 'holdpoint-no-configuration'),
      NODE_COMPILE_CACHE: join(tmpdir(), 'holdpoint-code'),
    },
  },
})

export default config
