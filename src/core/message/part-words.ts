import { cutText } from '../text/kept-text.ts'
import type { AnswerPart, Content, ContentPart, FileSource, ProviderCallPart, SourcePart } from './part.ts'

/** A content as people and programs read it: text as it is, an image or a file in words, thoughts left out. */
export function contentText(content: Content | readonly AnswerPart[]): string {
  if (typeof content === 'string') return content
  return content.flatMap(part => (hasNoWords(part) ? [] : [partWords(part)])).join('\n')
}

/** Thoughts, and the place of a call. */
type Wordless = Extract<AnswerPart, { type: 'reasoning' | 'tool_call' }>

function hasNoWords(part: ContentPart | AnswerPart): part is Wordless {
  return part.type === 'reasoning' || part.type === 'tool_call'
}

/** The parts of an answer beside its text, its thoughts and its calls: sources, files and calls of the provider. */
export type BesidePart = Exclude<AnswerPart, Wordless | { readonly type: 'text' }>

export function besideText(parts: readonly AnswerPart[] = []): readonly BesidePart[] {
  return parts.filter((part): part is BesidePart => part.type !== 'text' && !hasNoWords(part))
}

/** An answer as people read it: its text, and a line for each source, file and call of the provider. */
export function answerText({ text, parts }: { readonly text: string; readonly parts?: readonly AnswerPart[] }): string {
  const beside = besideText(parts)
  return beside.length === 0 ? text : [...(text === '' ? [] : [text]), ...beside.map(partWords)].join('\n')
}

/** `[image image/png, 12 KB]`: never the bytes themselves. */
export function partWords(part: ContentPart | BesidePart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'source') return sourceWords(part)
  if (part.type === 'provider_call') return `[${callWords(part)}]`
  const { type, name, media_type } = part
  return `[${type} ${[...(name === undefined ? [] : [name]), media_type, placeOf(part)].join(', ')}]`
}

function placeOf({ data, url }: FileSource): string {
  return data === undefined ? url : sizeText(base64Bytes(data))
}

function sourceWords({ id, url, title, name }: SourcePart): string {
  const place = url ?? name
  const named = [...(title === undefined || title === place ? [] : [title]), ...(place === undefined ? [] : [place])]
  return `[source ${onOneLine(named.length === 0 ? id : named.join(', '), LONGEST_WORDS)}]`
}

/** Characters of the arguments and of the result. */
const LONGEST_WORDS = 300

/** `the provider ran web_search {"query":"news"}`, on one line. */
export function callWords({ arguments: args, result, ...call }: ProviderCallPart): string {
  const given =
    args === null ? '' : ` ${onOneLine(typeof args === 'string' ? args : JSON.stringify(args), LONGEST_WORDS)}`
  const notes = [
    ...(call.permitted === false ? ['not permitted'] : []),
    ...(call.is_error ? ['it failed'] : result === undefined ? ['without a result here'] : []),
  ]
  return `the provider ran ${providerToolName(call)}${given}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}

/** `web_search`, or `docs/search` for the tool of a server. */
export function providerToolName({ name, server }: Pick<ProviderCallPart, 'name' | 'server'>): string {
  return server === undefined ? name : `${server}/${name}`
}

function onOneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= most ? line : `${cutText(line, most)}…`
}

/** The number of bytes that a base64 text encodes. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='))
  return Math.floor((data.length * 3) / 4) - padding
}

const UNITS: readonly (readonly [bytes: number, name: string])[] = [
  [1024 * 1024, 'MB'],
  [1024, 'KB'],
]

/** `700 bytes`, `12 KB`, `1.5 MB`. */
export function sizeText(bytes: number): string {
  const unit = UNITS.find(([size]) => bytes >= size)
  if (!unit) return `${bytes} bytes`
  const [size, name] = unit
  const count = bytes / size
  return `${count < 10 ? Number(count.toFixed(1)) : Math.round(count)} ${name}`
}
