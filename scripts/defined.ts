/** The constants of a build: a bundle that lies elsewhere has no package.json to read its version from. */
import { readFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }

export const DEFINED: Readonly<Record<string, string>> = { HOLDPOINT_VERSION: JSON.stringify(version) }
