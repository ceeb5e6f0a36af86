import { readlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { programName } from './command-wrappers.ts'

const MOST_LINKS = 8
/** There one program may have many names: `/bin/ls` leads to `busybox`. */
const SYSTEM = /^\/(usr\/(local\/)?)?s?bin\//

/** The names to which a path leads by links as they are now: `x` may be `rm`. A program without a path is itself. */
export function linkedPrograms(program: string, workdir: string): string[] {
  if (!program.includes('/')) return []
  const names: string[] = []
  for (let path = resolve(workdir, program); names.length < MOST_LINKS && !SYSTEM.test(path); ) {
    const target = targetOf(path)
    if (target === null) break
    path = resolve(dirname(path), target)
    names.push(programName(path))
  }
  return names
}

/** `null` if it is no link. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
