import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Set by the build. The source has no such constant. */
declare const HOLDPOINT_VERSION: string | undefined

/** The version of this package, also if it is bundled into a program in another directory. */
export function version(): string {
  return typeof HOLDPOINT_VERSION === 'string' ? HOLDPOINT_VERSION : versionOfSource()
}

function versionOfSource(): string {
  const manifest = readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')
  return String((JSON.parse(manifest) as { version: unknown }).version)
}
