import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { programName } from '../programs/programs.ts'
import { literalWord, type ReadWord } from '../text/read-word.ts'

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

/** A program by its path, its name, and the names to which links lead. */
export function namesOf(program: ReadWord, workdir: string): ReadWord[] {
  const { text, literal } = program
  const name = programName(text)
  const linked = literal ? linkedPrograms(text, workdir) : []
  const names = new Set([text, name || text, name.toLowerCase() || text, ...linked])
  return [...names].map(each => (literal || each !== text ? literalWord(each) : program))
}

/**
 * True if a path below `workdir` leads out of it, to a program of another name: a rule that permits `./build.sh` does
 * not mean `/bin/rm`. `.venv/bin/python` may lead to `/usr/bin/python3.12`.
 */
export function isAnotherProgram(program: string, workdir: string): boolean {
  if (!program.includes('/')) return false
  const path = resolve(workdir, program)
  if (!isBelow(path, resolve(workdir)) || targetOf(path) === null) return false
  try {
    const real = realpathSync(path)
    return !isBelow(real, realpathSync(workdir)) && unversioned(real) !== unversioned(path)
  } catch {
    return false
  }
}

function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

function unversioned(path: string): string {
  return basename(path).replace(/[-.\d]+$/, '')
}

/** `null` if it is no link. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
