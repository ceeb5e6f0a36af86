/**
 * The library's inside, bundled as it is shipped, so that the figures are those of users. It starts the command line and
 * the supervisor in `dist/cli`.
 */
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { BUNDLE } from '../scripts/bundle-options.ts'
import { DEFINED } from '../scripts/defined.ts'
import { vendored } from '../scripts/vendor.ts'

const outfile = resolve(import.meta.dirname, '../dist/bench/app.js')
await build({
  ...BUNDLE,
  entryPoints: [resolve(import.meta.dirname, '../src/hosts/compose/compose.ts')],
  outfile,
  format: 'esm',
  packages: 'external',
  plugins: [vendored],
  define: DEFINED,
})

const app: typeof import('../src/hosts/compose/compose.ts') = await import(outfile)
export const openApp: typeof app.openApp = app.openApp
