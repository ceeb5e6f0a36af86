import { RefusedError } from '../../../core/errors.ts'
import type { Json } from '../../../core/text/json.ts'
import type { CommandContext } from '../../command/command.ts'
import { jsonValue } from '../../command/json-value.ts'
import { readText } from '../../process/read-text.ts'
import { recordDecisions } from './record-decisions.ts'
import type { DecidingRequest } from './say-to-holds.ts'

export async function run(context: CommandContext): Promise<number> {
  const { given } = context
  const [name, ...words] = given.words
  const value = given.value('value')
  if (name === undefined || (value === null) === (words.length === 0)) throw usage()
  const decide =
    value === null
      ? inWords(await textOf(words, given.literal))
      : asValue(jsonValue(value, { what: '--value', hint: HINT }))
  return recordDecisions(context, { names: [name], decide })
}

function inWords(text: string): DecidingRequest['decide'] {
  if (text.trim() === '')
    throw new RefusedError('empty_answer', 'The answer is empty.', { hint: 'Give the answer as text.' })
  return (holds, by, holdpoint) => Promise.all(holds.map(({ id }) => holdpoint.answer(id, { text, ...by })))
}

function asValue(value: Json): DecidingRequest['decide'] {
  return (holds, by, holdpoint) =>
    holdpoint.decideMany(holds.map(({ id }) => ({ hold_id: id, verdict: 'respond', value, ...by })))
}

/** A single `-` is stdin, without the line ends behind it, as a shell would put it there. */
async function textOf(words: readonly string[], literal: boolean): Promise<string> {
  const isStdin = words.length === 1 && words[0] === '-' && !literal
  return isStdin ? (await readText('-', 'The answer')).replace(/\n+$/, '') : words.join(' ')
}

const HINT = 'Text is given as TEXT, without --value; as JSON it is in double quotes.'

function usage(): RefusedError {
  return new RefusedError('invalid_arguments', 'Usage: holdpoint answer HOLD TEXT, or answer HOLD --value JSON', {
    hint: 'Give one of them. `-` in place of TEXT reads it from stdin.',
  })
}
