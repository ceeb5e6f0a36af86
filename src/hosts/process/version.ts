import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Seen from `dist/cli` and `dist/lib`, then from the source. */
const PLACES = ['../../package.json', '../../../package.json']

/** Of the package that this file belongs to. */
export function version(): string {
  const manifest = PLACES.map(place => join(import.meta.dirname, place)).find(file => existsSync(file)) as string
  return String((JSON.parse(readFileSync(manifest, 'utf8')) as { version: unknown }).version)
}
