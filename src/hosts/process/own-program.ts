import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { projectRefusals } from '../refusals/project-refusals.ts'

/** Paths relative to the bundled command line, to the library, or to the source. */
const PLACES = {
  bin: ['bin.js', '../cli/bin.js', '../entry/bin.ts'],
  supervise: ['supervise.js', '../cli/supervise.js', '../supervisor/main.ts'],
} as const

/** The file of one of Holdpoint's own programs. @throws RefusedError `incomplete_installation` */
export function ownProgram(name: keyof typeof PLACES): string {
  const files = PLACES[name].map(place => join(import.meta.dirname, place))
  const program = files.find(file => existsSync(file))
  if (program) return program
  throw projectRefusals.incompleteInstallation(files[0])
}
