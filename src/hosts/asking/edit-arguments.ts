/**
 * The arguments of a call in a person's editor. Keeps: no other user can read the file, and it is gone afterwards in
 * any case. Nothing goes through a shell. Invisible characters in the arguments are shown (P9).
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf, type RefusedError } from '../../core/errors.ts'
import { faultsText, readExactly } from '../../core/plain/exact-json.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../../core/text/json.ts'
import { visibleJson } from '../../core/text/visible-text.ts'
import { askLine, canAsk } from '../display/ask-line.ts'
import { watchForStop } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { readText } from '../process/read-text.ts'
import { argumentRefusals } from '../refusals/argument-refusals.ts'

export interface EditOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The editor then draws to stderr: stdout is for one document alone. */
  readonly json?: boolean
  /** Shows the problem and asks whether to edit once more; `null` if no person can be asked. */
  readonly askAgain: ((problem: string) => Promise<boolean>) | null
}

/**
 * The arguments after a person edited `before`; `null` if they left it as it was, emptied it or gave up. @throws
 * RefusedError `no_editor`, `editor_failed`, or `invalid_arguments` if it is no JSON object and no person can be asked.
 */
export async function editArguments(before: JsonObject, options: EditOptions): Promise<JsonObject | null> {
  const { askAgain } = options
  using file = temporaryFile(`${visibleJson(before)}\n`)
  for (;;) {
    await openEditor(options, file.path)
    const read = await readEdited(file.path)
    if (read.problem === null) return isSame(read.value, before) ? null : read.value
    if (askAgain === null) throw argumentRefusals.notAnObject(read.problem)
    if (!(await askAgain(read.problem))) return null
  }
}

/** Asks at the terminal; `null` if there is none. */
export function askAtTerminal({
  io,
  signal,
}: {
  readonly io: Io
  readonly signal?: AbortSignal
}): EditOptions['askAgain'] {
  if (!canAsk(io)) return null
  return async problem => {
    const answer = await askLine(`These arguments cannot be used: ${problem}. Edit again? [Y/n] `, signal)
    return answer !== null && !/^\s*n/i.test(answer)
  }
}

function isSame(value: JsonObject | null, before: JsonObject): boolean {
  return value !== null && canonicalJson(value) === canonicalJson(before)
}

type Read =
  | { readonly problem: null; readonly value: JsonObject | null }
  | { readonly problem: string; readonly value: null }

async function readEdited(path: string): Promise<Read> {
  const text = await readText(path, 'What was edited')
  if (text.trim() === '') return { problem: null, value: null }
  try {
    const { value, faults } = readExactly(text)
    if (faults.length > 0) return { problem: faultsText(faults, 'arguments').replace(/\.$/, ''), value: null }
    return isJsonObject(value) ? { problem: null, value } : { problem: 'they must be a JSON object', value: null }
  } catch (thrown) {
    return { problem: `they are no JSON: ${(await faultIn(text)) ?? messageOf(thrown)}`, value: null }
  }
}

async function faultIn(text: string): Promise<string | null> {
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  const errors: import('jsonc-parser').ParseError[] = []
  parse(text, errors, { disallowComments: true })
  const [error] = errors
  if (!error) return null
  const lines = text.slice(0, error.offset).split('\n')
  return `${printParseErrorCode(error.error)} in line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}

const HUNG_UP = 129

/**
 * A file in a directory of its own, because editors leave other files there. Deleted on disposal and at the end of the
 * process.
 */
function temporaryFile(text: string): Disposable & { readonly path: string } {
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-edit-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  // A closed terminal ends this process by a signal, and `exit` handlers do not run then.
  const leave = () => process.exit(HUNG_UP)
  process.once('exit', remove).once('SIGHUP', leave)
  const path = join(directory, 'arguments.json')
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
  return {
    path,
    [Symbol.dispose]: () => {
      process.off('exit', remove).off('SIGHUP', leave)
      remove()
    },
  }
}

/** @throws RefusedError `no_editor` or `editor_failed` */
async function openEditor({ env, json }: EditOptions, path: string): Promise<void> {
  const command = env['VISUAL']?.trim() || env['EDITOR']?.trim() || 'vi'
  const [program = '', ...words] = splitCommand(command)
  if (program === '') throw noEditor(command, 'it names no program')
  const { spawn } = await import('node:child_process')
  using stop = watchForStop()
  const out = json ? 2 : 'inherit'
  const child = spawn(program, [...words, path], { stdio: ['inherit', out, 'inherit'], env, signal: stop.signal })
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  child
    .on('error', reject)
    .on('close', (code, signal) => resolve(code === 0 ? null : `${signal ?? `exit code ${code}`}`))
  const failure = await promise.catch((thrown: unknown) => {
    if (stop.stoppedBy()) return `${stop.stoppedBy()}`
    throw noEditor(command, thrown)
  })
  if (failure !== null) throw argumentRefusals.editorFailed(command, failure)
}

function noEditor(command: string, cause: unknown): RefusedError {
  return argumentRefusals.noEditor(command, messageOf(cause), cause)
}

/** Blanks, then one word: of quoted parts, escaped characters and plain ones. */
const WORD = /\s*((?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+)/gsy
const PART = /'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|\\(?<escaped>.)|(?<plain>[^'"\\]+)/gs

const EDITOR_HINT = 'Correct VISUAL or EDITOR; it may be like `code --wait`.'

/**
 * A command in an environment variable, as a shell splits it: blanks, quotes and backslashes count, nothing is expanded
 * and nothing is run. `hint` says what to do about an open quote. @throws RefusedError `invalid_command` if a quote is left open.
 */
export function splitCommand(text: string, hint: string = EDITOR_HINT): string[] {
  const words = [...text.matchAll(WORD)]
  const end = words.reduce((length, [whole]) => length + whole.length, 0)
  if (text.slice(end).trim() === '') return words.map(([, word = '']) => unquoted(word))
  throw argumentRefusals.invalidCommand(text, hint)
}

function unquoted(word: string): string {
  const parts = [...word.matchAll(PART)].map(({ groups: { single, double, escaped, plain } = {} }) =>
    // Between double quotes a backslash is literal, except before these.
    double === undefined ? (single ?? escaped ?? plain ?? '') : double.replaceAll(/\\(["\\$`])/g, '$1'),
  )
  return parts.join('')
}
