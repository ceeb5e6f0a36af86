/** The preview of a tool's code, in a form that a hold takes. */
import { ToolError } from '../../core/errors.ts'
import { sizeText } from '../../core/message/part-words.ts'
import { plain } from '../../core/plain/plain.ts'
import { lineDiff } from '../../core/preview/line-diff.ts'
import type { Preview, PreviewImage, PreviewPart } from '../../core/preview/preview.ts'
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../../core/text/json.ts'

type Usable = Pick<Preview, 'parts' | 'basis'>

/** Characters of JSON: the row of the hold is read each time that people look at it. */
const MOST = 1024 * 1024

/** `null` if the tool shows nothing. @throws ToolError that explains the fault */
export async function usablePreview(given: unknown): Promise<Usable | null> {
  if (given === null) return null
  const json = asJson(hasLateParts(given) ? { ...given, parts: await given.parts() } : given)
  const { parts, basis } = split(json)
  const read = parts.map((part, index) => readPart(part, `parts[${index}]`))
  if (read.length === 0) throw unusable('it has no parts')
  const size = JSON.stringify(read).length + (basis === undefined ? 0 : JSON.stringify(basis).length)
  if (size > MOST) throw unusable(`it has ${sizeText(size)}, and the limit is ${sizeText(MOST)}`)
  return { parts: read, basis: basis === undefined ? (read as readonly Json[]) : basis }
}

/** The basis alone, without the parts if they are a function; `null` if the tool shows nothing. @throws ToolError */
export async function usableBasis(given: unknown): Promise<Pick<Preview, 'basis'> | null> {
  if (!hasLateParts(given)) return usablePreview(given)
  const { basis } = split(asJson({ ...given, parts: [] }))
  return basis === undefined ? usablePreview(given) : { basis }
}

interface LateParts {
  readonly parts: () => unknown
}

function hasLateParts(given: unknown): given is LateParts {
  return typeof (given as Partial<LateParts> | null)?.parts === 'function'
}

function asJson(given: unknown): Json {
  if (isTooDeep(given as Json)) throw unusable('it is nested too deeply')
  try {
    return plain(given as Json)
  } catch {
    throw unusable('it is no JSON')
  }
}

function split(json: Json): { readonly parts: readonly Json[]; readonly basis?: Json } {
  if (typeof json === 'string') return { parts: [{ type: 'text', text: json }] }
  if (Array.isArray(json)) return { parts: json }
  if (!isJsonObject(json) || !Array.isArray(json['parts']))
    throw unusable('it is no text, no list of parts, and no object with `parts`')
  const unknown = Object.keys(json).find(key => key !== 'parts' && key !== 'basis')
  if (unknown !== undefined) throw unusable(`it has a field ${JSON.stringify(unknown)}; known: parts, basis`)
  const { basis } = json
  return { parts: json['parts'], ...(basis !== undefined && { basis }) }
}

type Read = (part: JsonObject, at: string) => PreviewPart

const READERS: Record<PreviewPart['type'], Read> = {
  text: (part, at) => ({ type: 'text', ...titleOf(part, at), text: textIn(part, 'text', at) }),
  diff: (part, at) => {
    const title = textIn(part, 'title', at)
    if (!('diff' in part)) return compared(part, at, title)
    const diff = textIn(part, 'diff', at)
    return { type: 'diff', title, diff, added: marks(diff, '+'), removed: marks(diff, '-') }
  },
  image: (part, at) => {
    const [media_type, data] = [textIn(part, 'media_type', at), textIn(part, 'data', at)]
    if (!isImage(media_type)) throw unusable(`${at}.media_type is not one of ${IMAGES.join(', ')}`)
    if (!/^[a-zA-Z0-9+/]+={0,2}$/.test(data)) throw unusable(`${at}.data is no base64`)
    return { type: 'image', ...titleOf(part, at), media_type, data }
  },
  table: (part, at) => {
    const columns = textsIn(part['columns'], `${at}.columns`)
    const rows = listIn(part['rows'], `${at}.rows`).map((row, index) => textsIn(row, `${at}.rows[${index}]`))
    const odd = rows.findIndex(row => row.length !== columns.length)
    if (odd !== -1) throw unusable(`${at}.rows[${odd}] has not as many cells as there are columns`)
    return { type: 'table', ...titleOf(part, at), columns, rows }
  },
  link: (part, at) => {
    const url = textIn(part, 'url', at)
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw unusable(`${at}.url is no http(s) address`)
    return { type: 'link', ...titleOf(part, at), url }
  },
}

function compared(part: JsonObject, at: string, title: string): PreviewPart {
  const diff = lineDiff(textIn(part, 'before', at), textIn(part, 'after', at))
  if (diff === null) throw unusable(`${at} is too long to compare`)
  return { type: 'diff', title, ...diff }
}

function readPart(part: Json, at: string): PreviewPart {
  const type = isJsonObject(part) ? part['type'] : undefined
  if (!isJsonObject(part) || typeof type !== 'string' || !isKind(type))
    throw unusable(`${at} has no type of ${Object.keys(READERS).join(', ')}`)
  return READERS[type](part, at)
}

function isKind(type: string): type is PreviewPart['type'] {
  return Object.hasOwn(READERS, type)
}

const IMAGES: readonly PreviewImage['media_type'][] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

function isImage(type: string): type is PreviewImage['media_type'] {
  return (IMAGES as readonly string[]).includes(type)
}

function titleOf(part: JsonObject, at: string): { readonly title?: string } {
  return part['title'] === undefined ? {} : { title: textIn(part, 'title', at) }
}

function textIn(part: JsonObject, key: string, at: string): string {
  const text = part[key]
  if (typeof text !== 'string') throw unusable(`${at}.${key} is no text`)
  return text
}

function listIn(value: Json | undefined, at: string): readonly Json[] {
  if (!Array.isArray(value)) throw unusable(`${at} is no list`)
  return value
}

function textsIn(value: Json | undefined, at: string): readonly string[] {
  return listIn(value, at).map((text, index) => {
    if (typeof text !== 'string') throw unusable(`${at}[${index}] is no text`)
    return text
  })
}

function marks(diff: string, mark: '+' | '-'): number {
  return diff.split('\n').filter(line => line.startsWith(mark)).length
}

function unusable(problem: string): ToolError {
  return new ToolError('UNUSABLE_PREVIEW', `its preview cannot be used: ${problem}.`)
}
