import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** The suite of the inbox: the built page in a real Chromium, before a real server. */
const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/web/**/*.test.ts'],
    globalSetup: ['test/build.ts'],
    setupFiles: ['test/patient.ts'],
    env: {
      XDG_CONFIG_HOME: join(tmpdir(), 'holdpoint-no-configuration'),
      NODE_COMPILE_CACHE: join(tmpdir(), 'holdpoint-code'),
    },
  },
})

export default config
