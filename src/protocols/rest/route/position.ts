import type { Problem } from '../../http/problem.ts'

const IS_POSITION = /^\d{1,15}$/

/**
 * The last id that the client of a stream has. A browser whose connection broke sends `Last-Event-ID` with the URL that it
 * had, so the header beats `since`; without both it is `beginning`.
 */
export function positionOf(
  { headers }: Request,
  { since, beginning, newest }: Positions,
): { readonly since: number } | Problem {
  const last = headers.get('last-event-id') ?? ''
  if (last !== '' && !IS_POSITION.test(last)) return NO_POSITION
  const position = last === '' ? (since ?? beginning) : Number(last)
  return position > newest ? unknownPosition(position, newest) : { since: position }
}

interface Positions {
  readonly since: number | undefined
  readonly beginning: number
  readonly newest: number
}

const NO_POSITION: Problem = {
  status: 422,
  code: 'invalid_last_event_id',
  detail: 'Last-Event-ID is the id of an event of this stream, a whole number.',
  hint: 'Send the last id that you got, or none for the stream from its beginning.',
}

/** The store was replaced, or the id is that of another stream: what the client has is no beginning of what is here. */
function unknownPosition(since: number, newest: number): Problem {
  return {
    status: 409,
    code: 'unknown_position',
    detail: `There is no event ${since} here: the newest is ${newest}.`,
    hint: 'Forget what you have of this stream, and read it from its beginning.',
    more: { newest },
  }
}
