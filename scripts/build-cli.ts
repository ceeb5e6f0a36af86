/** Bundles the command line into `dist/cli`: one small entry, and a chunk for each part that is loaded when it is used. */
import { chmod, rm } from 'node:fs/promises'
import { build } from 'esbuild'

await rm('dist/cli', { recursive: true, force: true })
await build({
  entryPoints: ['src/hosts/bin.ts'],
  outdir: 'dist/cli',
  bundle: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Packages in CommonJS form ask for `require`.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  external: ['holdpoint'],
  // Both ship ES modules beside the CommonJS that Node would be given; only those keep their names in a split bundle.
  mainFields: ['module', 'main'],
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  logLevel: 'warning',
  legalComments: 'linked',
})
await chmod('dist/cli/bin.js', 0o755)
