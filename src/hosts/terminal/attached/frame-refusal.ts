import { RefusedError } from '../../../core/errors.ts'
import type { ErrorFrame } from '../../../core/fleet/frames.ts'
import { REFUSALS, type RefusalCode } from '../../../core/refusal-codes.ts'
import type { Answer } from './asked-frames.ts'

/** @throws RefusedError if the process refused it */
export function refuse(answer: Answer): void {
  if (answer.type === 'error') throw refusalOf(answer)
}

/** As the face would have refused it. */
export function refusalOf({ code, reason, message, hint }: ErrorFrame): RefusedError {
  const how = code === 'not_writer' ? '/writer takes the right to write; to decide needs no such right.' : hint
  return new RefusedError(refusalCode(reason ?? code), message, how === null ? {} : { hint: how })
}

function refusalCode(code: string): RefusalCode {
  return Object.hasOwn(REFUSALS, code) ? (code as RefusalCode) : 'not_attached'
}
