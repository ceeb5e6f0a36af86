import { readFile } from 'node:fs/promises'
import { messageOf } from '../core/errors.ts'
import { isTooDeepToParse, treeFault } from '../core/text/tree-fault.ts'
import { asScript, invalidScript, type Script } from './script.ts'

/** @throws RefusedError `invalid_script` for a file that cannot be read or is no script. */
export async function readScript(file: string): Promise<Script> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw invalidScript(file, `it cannot be read (${messageOf(error)})`, error)
  })
  const value = await parsed(text.replace(/^\uFEFF/, ''), file)
  const fault = treeFault(value)
  if (fault) throw invalidScript(file, `it ${fault}`)
  return asScript(value, file)
}

/** YAML takes a tenth of a second to load, and JSON scripts do not need it. */
async function parsed(text: string, file: string): Promise<unknown> {
  if (text.trimStart().startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      // A YAML list may start with a bracket too, and for broken JSON the YAML parser names the place.
    }
  }
  const { parse } = await import('yaml')
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    if (isTooDeepToParse(error)) throw invalidScript(file, 'it is nested too deeply', error)
    const [what = ''] = messageOf(error).split('\n', 1)
    throw invalidScript(file, what.replace(/[.:]$/, ''), error)
  }
}
