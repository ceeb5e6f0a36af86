import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RefusedError } from '../../core/errors.ts'

/** Beside the bundled command line, as seen from the library, or as seen from the source. */
const PLACES = {
  bin: ['bin.js', '../cli/bin.js', '../entry/bin.ts'],
  supervise: ['supervise.js', '../cli/supervise.js', '../supervisor/main.ts'],
} as const

/** The file of one of Holdpoint's own programs. @throws RefusedError `incomplete_installation` */
export function ownProgram(name: keyof typeof PLACES): string {
  const files = PLACES[name].map(place => join(import.meta.dirname, place))
  const found = files.find(file => existsSync(file))
  if (found) return found
  throw new RefusedError('incomplete_installation', `There is no ${files[0]}, so no task can be started.`, {
    hint: 'The installation of Holdpoint is not complete. Install it again.',
  })
}
