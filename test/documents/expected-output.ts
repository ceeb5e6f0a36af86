/** What a page says that a command prints, with ids and times of its own. */

const ID = /\b(?:cp|th|run|hold|task|grant|call)_[0-9a-z]{16,}\b/
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/
const DIGEST = /sha256:[0-9a-f]{64}/
const VARYING = new RegExp(`(${[ID, TIME, DIGEST].map(({ source }) => source).join('|')})`)

/** The ids of a page and those that stood in their place when it was played. */
export type Bound = Map<string, string>

/** Why `output` is not what was expected; `null` if it is. Binds the ids that are new. A line `…` stands for any lines. */
export function differenceOf(expected: string, output: string, bound: Bound): string | null {
  const names: string[] = []
  const pattern = expected
    .split('\n')
    .map(line => (line.trim() === '…' ? '(?:.*\\n)*?.*' : patternOf(line.trimEnd(), names, bound)))
    .join('\n')
  const trimmed = output.replaceAll(/[ \t]+$/gm, '').trimEnd()
  const match = new RegExp(`^${pattern}$`, 'u').exec(trimmed)
  if (!match) return `expected:\n${indented(expected)}\nprinted:\n${indented(trimmed)}`
  for (const [at, name] of names.entries()) bound.set(name, match[at + 1] ?? '')
  return null
}

function patternOf(line: string, names: string[], bound: Bound): string {
  return line
    .split(VARYING)
    .map((part, at) => (at % 2 === 0 ? literal(part) : varying(part, names, bound)))
    .join('')
}

function varying(part: string, names: string[], bound: Bound): string {
  if (TIME.test(part)) return TIME.source
  if (DIGEST.test(part)) return DIGEST.source
  const known = bound.get(part)
  if (known !== undefined) return literal(known)
  const again = names.indexOf(part)
  if (again >= 0) return `\\${again + 1}`
  names.push(part)
  return `(${part.split('_')[0]}_[0-9a-z]+)`
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** `text` with the ids that stood in place of those of the page. */
export function withBound(text: string, bound: Bound): string {
  return [...bound].reduce((changed, [name, actual]) => changed.replaceAll(name, actual), text)
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
