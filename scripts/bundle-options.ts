import type { BuildOptions } from 'esbuild'

/** Of every CommonJS bundle that is shipped. */
export const BUNDLE: BuildOptions = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  legalComments: 'linked',
}
