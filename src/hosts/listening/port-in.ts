import type { Given } from '../command/flags.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'

const LAST_PORT = 65_535

/** @throws RefusedError `invalid_arguments` */
export function portIn(given: Given, usual: number, flag = 'port'): number {
  const text = given.value(flag) ?? String(usual)
  if (/^\d{1,5}$/.test(text) && Number(text) <= LAST_PORT) return Number(text)
  throw serverRefusals.invalidPort(flag, text, usual)
}
