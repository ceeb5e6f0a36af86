import { fstatSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { messageOf } from '../../core/errors.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'
import { UTF8 } from './read-text.ts'

const STDIN = 0
const MOST_BYTES = 1024 * 1024
/** A program in a pipeline may take so long to its first byte. */
const PATIENCE_MS = 3_000
/** Programs that start this one often leave a pipe open to which they never write; a text is there at once. */
const PROMPT_MS = 150

/** `silent`: a pipe is open, and had not a byte within the patience. */
export type Piped = { readonly text: string } | 'nothing' | 'silent'

/**
 * What the caller piped to this process. A terminal, `/dev/null` and an empty file are nothing.
 * @throws RefusedError `message_too_large`, or `unreadable_file`, also if it is not UTF-8.
 */
export async function pipedStdin(): Promise<Piped> {
  const kind = fstatSync(STDIN)
  const isPipe = kind.isFIFO() || kind.isSocket()
  const giver = giverOfStdin()
  if ((!isPipe && !kind.isFile()) || giver === 'script') return 'nothing'
  const absent = isPipe ? await absence(kind.isFIFO() && giver === 'caller') : null
  if (absent !== null) return absent
  const bytes = await read().catch(unreadable)
  if (bytes.length > MOST_BYTES) throw argumentRefusals.stdinTooLarge()
  return bytes.length === 0 ? 'nothing' : { text: decoded(bytes) }
}

/** `null` if something came. Only of a pipeline it is told that nothing did. */
async function absence(isPipeline: boolean): Promise<'nothing' | 'silent' | null> {
  if (await hasBegun(isPipeline ? PATIENCE_MS : PROMPT_MS)) return null
  return isPipeline ? 'silent' : 'nothing'
}

/**
 * Whose stdin it is. `script`: a shell reads its commands there, so what is left of it is the script's. `shared`: another
 * process that started this one has it too, as npx or a script. Where that is not known it is the caller's.
 */
function giverOfStdin(): 'caller' | 'shared' | 'script' {
  try {
    const parent = `/proc/${process.ppid}`
    if (readlinkSync(`/proc/self/fd/${STDIN}`) !== readlinkSync(`${parent}/fd/${STDIN}`)) return 'caller'
    return readsCommands(readFileSync(`${parent}/cmdline`, 'utf8').split('\0').slice(0, -1)) ? 'script' : 'shared'
  } catch {
    return 'caller'
  }
}

/** True for a shell without `-c` and without a file. */
function readsCommands([program = '', ...words]: readonly string[]): boolean {
  const isShell = /(?:^|[/-])(?:ba|da|k|z|a)?sh$/.test(program)
  return isShell && words.every(word => /^-(?!-)[^c]*$|^--[a-z]/.test(word))
}

/** True once it has a byte, or its end. */
async function hasBegun(patienceMs: number): Promise<boolean> {
  const { stdin } = process
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const began = () => resolve(true)
  stdin.once('readable', began).once('error', began)
  const late = new AbortController()
  // A busy process may have overslept: what is in the pipe by then counts.
  const wait = delay(patienceMs, null, { signal: late.signal }).then(() => nextTurn())
  const hasBegun = await Promise.race([promise, wait.then(() => false)])
  late.abort()
  await wait.catch(() => {})
  stdin.off('readable', began).off('error', began)
  // Without this, the open pipe would keep the process from its end.
  if (!hasBegun) stdin.destroy()
  return hasBegun
}

/** A byte too many is enough to know. */
async function read(): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MOST_BYTES) break
  }
  return Buffer.concat(chunks)
}

function decoded(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch (thrown) {
    return unreadable(thrown)
  }
}

function unreadable(thrown: unknown): never {
  throw projectRefusals.unreadableFile('What goes with the prompt', 'stdin', messageOf(thrown), thrown)
}
