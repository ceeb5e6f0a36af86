import { extname, join } from 'node:path'

/**
 * The command that runs one of Holdpoint's own programs with the Node of this process. They lie beside this file in the
 * bundle, in the library and in the source alike.
 */
export function ownProgram(name: 'bin' | 'supervise'): readonly [string, string] {
  return [process.execPath, join(import.meta.dirname, `${name}${extname(import.meta.filename)}`)]
}
