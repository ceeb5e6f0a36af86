import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import { wellFormed } from '../../core/text/kept-text.ts'
import { allParts, type Found, mapParts, type RequestRule, type Sent, type SentPart, withoutMessages } from './fault.ts'

export const TEXT_RULES = {
  half_character: {
    source: 'Anthropic: "The request body is not valid JSON: no low surrogate in string"',
    about: 'unknown',
    faults: sent => (wellFormed(sent) === sent ? [] : halfPlaces(sent)),
    repair: sent => wellFormed(sent),
    told: null,
  },
  blank_text: {
    source: 'Anthropic: "messages: text content blocks must be non-empty", "must contain non-whitespace text"',
    about: 'unknown',
    faults: sent =>
      allParts(sent).flatMap(({ value, message, part }) =>
        isBlank(value) || blankIn(value) ? { message, part, why: 'it has a text without a character' } : [],
      ),
    repair: sent => mapParts(sent, ({ value }) => (isBlank(value) ? [] : [withoutBlank(value)])),
    told: null,
  },
  empty_message: {
    source:
      'Anthropic: "all messages must have non-empty content"; OpenAI: "Invalid \'messages[1]\'"; Google: "contents.parts must not be empty"',
    about: 'unknown',
    faults: ({ prompt }) =>
      prompt.flatMap((each, message) =>
        each.content.length === 0 || (typeof each.content === 'string' && each.content.trim() === '')
          ? { message, why: 'it is empty' }
          : [],
      ),
    repair: withoutMessages,
    told: null,
  },
  no_message: {
    source: 'Anthropic: "messages: at least one message is required"; Google: "contents is not specified"',
    about: 'unknown',
    faults: ({ prompt }) =>
      prompt.some(({ role }) => role !== 'system') ? [] : [{ why: 'there is no message to answer' }],
    repair: () => null,
    told: null,
  },
} as const satisfies Readonly<Record<string, RequestRule>>

const HALF = 'it has half of a character'

function halfPlaces(sent: Sent): readonly Found[] {
  const places = sent.prompt.flatMap((each, message) => (wellFormed(each) === each ? [] : { message, why: HALF }))
  return places.length === 0 ? [{ why: HALF }] : places
}

function isBlank(part: SentPart): boolean {
  return part.type === 'text' && part.text.trim() === ''
}

type Output = Extract<LanguageModelV4ToolResultOutput, { type: 'content' }>

function isBlankItem(item: Output['value'][number]): boolean {
  return item.type === 'text' && item.text.trim() === ''
}

/** A list of parts in a result; a result that is one text may be empty. */
function contentOf(part: SentPart): Output | null {
  return part.type === 'tool-result' && part.output.type === 'content' ? part.output : null
}

function blankIn(part: SentPart): boolean {
  return contentOf(part)?.value.some(isBlankItem) ?? false
}

function withoutBlank(part: SentPart): SentPart {
  const content = contentOf(part)
  if (part.type !== 'tool-result' || content === null) return part
  const value = content.value.filter(item => !isBlankItem(item))
  return { ...part, output: value.length === 0 ? { type: 'text', value: '' } : { ...content, value } }
}
