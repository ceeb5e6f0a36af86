import type { BuildOptions, CommonOptions } from 'esbuild'

/**
 * What Node 24 runs as it is. `using` stays: as esbuild lowers it, all rounds of a loop share one error, so a round that
 * succeeds throws what an earlier one threw.
 */
export const SYNTAX: Pick<CommonOptions, 'target' | 'supported'> = {
  target: 'node24',
  supported: { using: true },
}

/** Of every CommonJS bundle that is shipped. */
export const BUNDLE: BuildOptions = {
  ...SYNTAX,
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: 'node',
  format: 'cjs',
  mainFields: ['module', 'main'],
  logLevel: 'warning',
  legalComments: 'linked',
}
