/** Parts of the JSON Schemas of the table. */
import type { GrantInput } from '../../../core/hold/grant.ts'
import type { Content, ContentPart } from '../../../core/message/part.ts'
import { described, OBJECT, object, type Schema, TEXT, whole } from '../../../core/text/json-schema.ts'

/** An id or a name. */
export const NAME: Schema<string> = { type: 'string', minLength: 1, maxLength: 500 }
export const TIME: Schema<string> = { type: 'string', format: 'date-time' }

const MOST = 500

/** How lists are read page by page. */
export const PAGE = {
  limit: { type: 'integer', minimum: 1, maximum: MOST, default: 50 } as Schema<number>,
  after: described(NAME, 'The `next` of the page before.'),
}

/** The version of a hold that its decider had in view. */
export const SEEN = object({
  digest: described(NAME, 'If the hold has another digest by now, nothing is recorded.'),
  level: described(whole(0), 'The same, if it was escalated since.'),
})

/** Patterns of a rule or grant. */
export const MATCH: Schema<NonNullable<GrantInput['match']>> = {
  ...{ type: 'object', additionalProperties: TEXT, minProperties: 1 },
  description: 'Patterns by argument, as in a grant.',
}

/** Images, files and texts; the face checks them. */
const PARTS: Schema<readonly ContentPart[]> = { type: 'array', items: OBJECT, minItems: 1 }

export const WORDS: Schema<string> = { ...TEXT, minLength: 1 }

/** The content that begins a run: a text, or parts. */
export const CONTENT: Schema<Content> = { anyOf: [WORDS, PARTS] }

/** The content of a message: a text, parts, or both. */
export const SAID = { text: WORDS, parts: PARTS }
