import { defineConfig, type ViteUserConfig } from 'vitest/config'

/** The suite of other people's clients: they have packages of their own, so that `npm test` needs none of them. */
const config: ViteUserConfig = defineConfig({
  test: {
    root: 'test/clients',
    include: ['**/*.test.{ts,tsx}'],
    globalSetup: ['../build.ts'],
    setupFiles: ['../patient.ts'],
    env: { COPILOTKIT_TELEMETRY_DISABLED: 'true' },
    // A page may still read when its test stops the server: then Node ends its stream with this word.
    onUnhandledError: ({ message }) => message !== 'terminated',
    // Its page imports style sheets, which Node cannot.
    server: { deps: { inline: [/@copilotkit\/react-core/] } },
  },
})

// biome-ignore lint/style/noDefaultExport: vitest asks for one
export default config
