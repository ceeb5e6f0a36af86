import { readFileSync } from 'node:fs'
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { RefusalCode } from '../../core/refusal-codes.ts'
import { projectRefusals } from '../refusals/project-refusals.ts'

export const UTF8: InstanceType<typeof TextDecoder> = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file, or stdin for `-`, byte for byte as text. @throws RefusedError `unreadable_file`, also if it is not UTF-8. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return UTF8.decode(path === '-' ? await stdin() : readFileSync(path))
  } catch (thrown) {
    if (thrown instanceof RefusedError) throw thrown
    const name = path === '-' ? 'stdin' : path
    throw projectRefusals.unreadableFile(what, name, messageOf(thrown), thrown)
  }
}

let stdinWasRead = false

async function stdin(): Promise<Buffer> {
  if (stdinWasRead) throw projectRefusals.stdinTwice()
  stdinWasRead = true
  return Buffer.concat(await process.stdin.toArray())
}

/**
 * JSON, with comments and trailing commas if it has them. A key that is written twice is refused, because one value
 * would silently win. @throws RefusedError with this `code`.
 */
export async function readJsonc(path: string, { code, what }: { code: RefusalCode; what: string }): Promise<unknown> {
  const text = await readText(path, what)
  const { createScanner, parse, printParseErrorCode, visit } = await import('jsonc-parser')
  const refuse = (problem: string, offset: number) => {
    const line = text.slice(0, offset).split('\n').length
    throw new RefusedError(code, `${what} in ${path} ${problem} in line ${line}.`, {
      hint: 'Correct the file; nothing was run.',
    })
  }
  const deep = firstTooDeep(createScanner(text, true))
  if (deep !== null) refuse(`is nested more than ${DEEPEST} levels deep`, deep)
  const errors: import('jsonc-parser').ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (error) refuse(`is not JSON: ${printParseErrorCode(error.error)}`, error.offset)
  const objects: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => {
      objects.push(new Set())
    },
    onObjectProperty: (name, offset) => {
      if (objects.at(-1)?.has(name)) refuse(`has the key ${JSON.stringify(name)} twice, again`, offset)
      objects.at(-1)?.add(name)
    },
    onObjectEnd: () => {
      objects.pop()
    },
  })
  return value
}

/** Far from the depth at which the parser fails. */
const DEEPEST = 100

/** `SyntaxKind` of jsonc-parser, which exists as a type alone. */
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, END] = [1, 2, 3, 4, 17]

/** The offset at which it gets too deep; `null` if it never does. */
function firstTooDeep(scanner: import('jsonc-parser').JSONScanner): number | null {
  let depth = 0
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth += 1
    if (token === CLOSE_BRACE || token === CLOSE_BRACKET) depth -= 1
    if (depth > DEEPEST) return scanner.getTokenOffset()
  }
  return null
}
