/**
 * The packages that come inside this one: each is a file in `dist/vendor`, which the command line and the library load
 * when they use it. So nothing is installed twice, and no user has to install a package for a part that is there
 * (docs/decisions/0012-bundled-library.md#0013-packages-come-inside).
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
  '@opentelemetry/exporter-trace-otlp-http': 'otlp-exporter',
  htmlparser2: 'htmlparser2',
  ignore: 'ignore',
  jose: 'jose',
  'jsonc-parser': 'jsonc-parser',
  nodemailer: 'nodemailer',
  'openid-client': 'openid-client',
  'prom-client': 'prom-client',
  unbash: 'unbash',
  yaml: 'yaml',
}

/** Parts of packages: files of ours that name what is used, so that the rest is left out. */
export const PARTS: Readonly<Record<string, string>> = {
  'src/protocols/mcp/offer/sdk.ts': 'mcp-server',
}

/** Who uses one of these installs it beside Holdpoint. */
export const PEERS: string[] = ['pg', 'graphile-worker']

/** Leads imports of these packages from the command line to their files. */
export const vendored: Plugin = {
  name: 'packages-in-files-of-their-own',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^.]|\/sdk\.ts$/ }, ({ path, resolveDir, kind }) => {
      const file = vendorOf(path, resolveDir, kind === 'dynamic-import')
      return file === null ? null : { path: file, external: true }
    })
  },
}

/**
 * The file of an import as `dist/cli` and `dist/lib` reach it; `null` if it is not of `dist/vendor`.
 * @throws Error if a package is not imported lazily
 */
export function vendorOf(path: string, directory: string, isLazy: boolean): string | null {
  const name = PACKAGES[path] ?? (path.startsWith('.') && PARTS[relative('.', resolve(directory, path))])
  if (!name) return null
  if (isLazy) return `../vendor/${name}.js`
  if (path in PACKAGES) throw new Error(`${directory} must import ${path} lazily: it is a file in dist/vendor`)
  return null
}
