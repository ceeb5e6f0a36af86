/**
 * The packages that come inside this one: each is a file in `dist/vendor`, which the command line and the library load
 * when they use it. So nothing is installed twice, and no user has to install a package for a part that is there
 * (docs/decisions/0013-vendored-packages.md).
 */
import { relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'

export const PACKAGES: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'anthropic',
  '@ai-sdk/google': 'google',
  '@ai-sdk/openai': 'openai',
  '@ai-sdk/openai-compatible': 'openai-compatible',
  '@cfworker/json-schema': 'json-schema',
  '@hono/node-server': 'node-server',
  '@modelcontextprotocol/client': 'mcp-client',
  'jsonc-parser': 'jsonc-parser',
  unbash: 'unbash',
  yaml: 'yaml',
}

/** Parts of packages: files of ours that name what is used, so that the rest is left out. */
export const PARTS: Readonly<Record<string, string>> = {
  'src/protocols/mcp/offer/sdk.ts': 'mcp-server',
}

/** Leads imports of these packages from `dist/cli` and `dist/lib` to their files. An import that is not lazy is an error. */
export const vendored: Plugin = {
  name: 'packages-in-files-of-their-own',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^.]/ }, ({ path, kind, importer }) => {
      const name = PACKAGES[path]
      if (name === undefined) return null
      if (kind === 'dynamic-import') return { path: `../vendor/${name}.js`, external: true }
      return { errors: [{ text: `${importer} must import ${path} lazily: it is a file in dist/vendor` }] }
    })
    onResolve({ filter: /^\.\.?\/.*\/sdk\.ts$/ }, ({ path, resolveDir, kind }) => {
      const name = PARTS[relative('.', resolve(resolveDir, path))]
      return name && kind === 'dynamic-import' ? { path: `../vendor/${name}.js`, external: true } : null
    })
  },
}
