/**
 * Keeps the compiled code of the command line between its processes. V8 compiles a function at its first call, which is
 * a quarter of a resume, and Node's own cache holds only what is compiled as a file is loaded. So a process that finds no
 * kept code keeps its own as it ends.
 * C1  Code is kept for one build, one Node, its options, and one kind of command: another one never loads it.
 * C2  Nobody but this user can write it, and a file that is not whole is not loaded: V8 would run it unseen.
 * C3  Without it, the command takes longer and does the same.
 */
import { type BinaryLike, hash } from 'node:crypto'
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, renameSync, unlinkSync, writevSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { isOwn } from './code-directory.ts'

declare const HOLDPOINT_BUILD: string

const DIGEST_BYTES = 32
const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60 * 1000
const BEFORE = '(function(exports,require,module,__filename,__dirname){'

/** The file at `path`, a bundle in ASCII, as `require` would load it. */
export function requireWithKeptCode(path: string, { directory, kind }: { directory: string; kind: string }): unknown {
  const place = join(directory, `${kind}-${digestOf([HOLDPOINT_BUILD, process.version, process.arch, ...options()])}`)
  const kept = keptAt(place)
  const script = new Script(`${BEFORE}${readFileSync(path, 'latin1')}\n})`, {
    filename: path,
    columnOffset: -BEFORE.length,
    ...(kept && { cachedData: kept }),
  })
  const loaded: { exports: unknown } = { exports: {} }
  script.runInThisContext()(loaded.exports, createRequire(path), loaded, path, dirname(path))
  if (kept === null || script.cachedDataRejected)
    process.once('exit', () => keep(place, () => script.createCachedData()))
  return loaded.exports
}

/** V8 compiles otherwise under other options. */
function options(): readonly string[] {
  return [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv]
}

function digestOf(parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 16)
}

/** `null` if there is none that can be trusted. */
function keptAt(place: string): Buffer | null {
  try {
    if (!isOwn(dirname(place)) || !isOwn(place)) return null
    const bytes = readFileSync(place)
    const code = bytes.subarray(DIGEST_BYTES)
    return sha256(code).equals(bytes.subarray(0, DIGEST_BYTES)) ? code : null
  } catch {
    return null
  }
}

/** A full disk, or a home that cannot be written, is no failure of the command. */
function keep(place: string, compiled: () => Buffer): void {
  try {
    if (!isOwn(dirname(place))) return
    const unfinished = `${place}.${process.pid}`
    const file = openSync(unfinished, 'wx', 0o600)
    const code = compiled()
    writevSync(file, [sha256(code), code])
    closeSync(file)
    renameSync(unfinished, place)
    forgetOld(dirname(place))
  } catch {
    // The next process tries again.
  }
}

/** Code of builds that are gone, and what a killed process left. */
function forgetOld(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name)
    if (Date.now() - lstatSync(path).mtimeMs > FORGOTTEN_AFTER_MS) unlinkSync(path)
  }
}

function sha256(bytes: BinaryLike): Buffer {
  return hash('sha256', bytes, 'buffer')
}
