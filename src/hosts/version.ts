import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of the package that this file belongs to. */
export function version(): string {
  const manifest = join(import.meta.dirname, '../../package.json')
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: unknown }).version)
}
