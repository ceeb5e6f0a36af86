import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A name of a file that is begun at the end of a text. */
const BEGUN = /(?<=^|[\s(])@([^\s"]*)$/

/** The text with the begun name as far as files of the directory agree on it; `null` if no name is begun, or none fits. */
export function completeName(text: string, directory: string): string | null {
  const begun = BEGUN.exec(text)?.[1]
  if (begun === undefined) return null
  const at = begun.lastIndexOf('/') + 1
  const [within, start] = [begun.slice(0, at), begun.slice(at)]
  const names = namesIn(join(directory, within)).filter(name => isMeant(name, start))
  const [first = ''] = names
  const common = names.reduce(commonStart, first)
  return common.length > start.length ? `${text.slice(0, text.length - start.length)}${common}` : null
}

function isMeant(name: string, start: string): boolean {
  return name.startsWith(start) && !/[\s"]/.test(name) && (start !== '' || !name.startsWith('.'))
}

function namesIn(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true })
    return entries.map(entry => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  } catch {
    return []
  }
}

function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
