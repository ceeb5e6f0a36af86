import { readFileSync } from 'node:fs'

/** Of the package that this file belongs to. */
export function version(): string {
  const here = import.meta.url
  const manifest = new URL(here.endsWith('.ts') ? '../../../package.json' : '../../package.json', here)
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: unknown }).version)
}
