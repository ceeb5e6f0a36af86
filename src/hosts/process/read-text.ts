import { readFileSync } from 'node:fs'
import { messageOf, RefusedError } from '../../core/errors.ts'
import type { RefusalCode } from '../../core/refusal-codes.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A file, or stdin for `-`, byte for byte as text. @throws RefusedError `unreadable_file`, also if it is not UTF-8. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return UTF8.decode(path === '-' ? await stdin() : readFileSync(path))
  } catch (thrown) {
    if (thrown instanceof RefusedError) throw thrown
    const name = path === '-' ? 'stdin' : path
    throw new RefusedError('unreadable_file', `${what} cannot be read from ${name}: ${messageOf(thrown)}.`, {
      hint: 'Check the path; text must be UTF-8.',
      cause: thrown,
    })
  }
}

let stdinWasRead = false

async function stdin(): Promise<Buffer> {
  if (stdinWasRead)
    throw new RefusedError('stdin_twice', 'stdin was named twice, but it can be read once.', {
      hint: 'Give one of the texts in a file.',
    })
  stdinWasRead = true
  return Buffer.concat(await process.stdin.toArray())
}

/** JSON, with comments and trailing commas if it has them. @throws RefusedError with this `code`. */
export async function readJsonc(path: string, { code, what }: { code: RefusalCode; what: string }): Promise<unknown> {
  const text = await readText(path, what)
  const { parse, printParseErrorCode } = await import('jsonc-parser')
  const errors: import('jsonc-parser').ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (!error) return value
  const line = text.slice(0, error.offset).split('\n').length
  throw new RefusedError(code, `${what} in ${path} is not JSON: ${printParseErrorCode(error.error)} in line ${line}.`, {
    hint: 'Correct the file; nothing was run.',
  })
}
