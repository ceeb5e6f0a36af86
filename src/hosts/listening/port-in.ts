import { RefusedError } from '../../core/errors.ts'
import type { Given } from '../command/flags.ts'

const LAST_PORT = 65_535

/** @throws RefusedError `invalid_arguments` */
export function portIn(given: Given, usual: number, flag = 'port'): number {
  const text = given.value(flag) ?? String(usual)
  if (/^\d{1,5}$/.test(text) && Number(text) <= LAST_PORT) return Number(text)
  throw new RefusedError('invalid_arguments', `--${flag} ${JSON.stringify(text)} is no port.`, {
    hint: `Write --${flag} ${usual}, or --${flag} 0 for any free one.`,
  })
}
