/**
 * Keeps the compiled code of the command line between its processes. V8 compiles a function at its first call, which is
 * a quarter of a resume, and Node's own cache holds only what is compiled as a file is loaded. So a process that finds no
 * kept code keeps its own as it ends.
 * C1  Code is kept for one build, one Node, its options, and one kind of command: another one never loads it.
 * C2  Only this user can write it, and a file that is not whole is not loaded: V8 would run it unseen. So a file has
 *     the code twice. To compare takes no time, and to load what computes a digest takes as long as the code does.
 * C3  Without it, the command takes longer and does the same.
 */
import { closeSync, lstatSync, openSync, readdirSync, readFileSync, renameSync, unlinkSync, writevSync } from 'node:fs'
import { createRequire, enableCompileCache } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { isOwn } from './code-directory.ts'

declare const HOLDPOINT_BUILD: string

const FORGOTTEN_AFTER_MS = 30 * 24 * 60 * 60 * 1000
const PART = /^\.\/([a-z]+)\.js$/
const BEFORE = '(function(exports,require,module,__filename,__dirname){'

/** The parts of a bundle in ASCII, files beside `path`, each loaded as `require` would load it. */
export class KeptCode {
  readonly #path: string
  readonly #directory: string
  readonly #name: (part: string) => string
  readonly #require: NodeJS.Require
  readonly #parts = new Map<string, { exports: unknown }>()

  constructor(path: string, { directory, kind }: { directory: string; kind: string }) {
    this.#path = path
    this.#directory = directory
    const suffix = `${process.version}-${process.arch}-${HOLDPOINT_BUILD.slice(0, 16)}${digestOfOptions()}`
    this.#name = part => `${kind}.${part}-${suffix}`
    this.#require = createRequire(path)
  }

  readonly require = (name: string): unknown => {
    const part = PART.exec(name)?.[1]
    if (part) return this.#parts.get(part)?.exports ?? this.#load(part)
    // Packages are kept by Node's own cache.
    if (name.startsWith('../vendor/')) enableCompileCache(this.#directory)
    return this.#require(name)
  }

  #load(part: string): unknown {
    const path = join(dirname(this.#path), `${part}.js`)
    const place = join(this.#directory, this.#name(part))
    const kept = keptAt(place)
    const script = new Script(`${BEFORE}${readFileSync(path, 'latin1')}\n})`, {
      filename: path,
      columnOffset: -BEFORE.length,
      ...(kept && { cachedData: kept }),
    })
    const loaded: { exports: unknown } = { exports: {} }
    this.#parts.set(part, loaded)
    script.runInThisContext()(loaded.exports, this.require, loaded, path, dirname(path))
    if (kept === null || script.cachedDataRejected)
      process.once('exit', () => keep(place, () => script.createCachedData()))
    return loaded.exports
  }
}

/** V8 compiles otherwise under other options. Most often there are none. */
function digestOfOptions(): string {
  const options = [process.env['NODE_OPTIONS'] ?? '', ...process.execArgv]
  if (options.join('') === '') return ''
  const { hash } = process.getBuiltinModule('node:crypto')
  return hash('sha256', JSON.stringify(options)).slice(0, 16)
}

/** `null` if there is none that can be trusted. */
function keptAt(place: string): Buffer | null {
  try {
    if (!isOwn(dirname(place)) || !isOwn(place)) return null
    const bytes = readFileSync(place)
    const code = bytes.subarray(0, bytes.length / 2)
    return code.equals(bytes.subarray(code.length)) ? code : null
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
    writevSync(file, [code, code])
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
