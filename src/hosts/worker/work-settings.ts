import type { Amount } from '../../core/count.ts'
import type { Given } from '../command/flags.ts'
import { ENGINES, type EngineName } from '../compose/engines.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'
import { type LogFormat, readLogFormat } from '../telemetry/log/log-format.ts'

export interface WorkSettings {
  readonly concurrency: Amount
  readonly graceMs: number
  readonly once: boolean
  /** False: the runs of tasks are left to their own processes. Default: true. */
  readonly tasks?: boolean
  readonly verbose: boolean
  readonly log: LogFormat
}

const USUAL_CONCURRENCY = 4
const USUAL_GRACE_SECONDS = 20

/** The engine that spreads the work; `null` for none. @throws RefusedError `invalid_arguments` */
export function readEngine(given: Given): EngineName | null {
  const name = given.value('engine')
  if (name === null) return null
  if (!Object.hasOwn(ENGINES, name)) {
    throw serverRefusals.unknownEngine(name, Object.keys(ENGINES))
  }
  if (given.has('once')) {
    throw serverRefusals.onceWithEngine()
  }
  return name as EngineName
}

/** @throws RefusedError `invalid_arguments` */
export function readWorkSettings(given: Given): WorkSettings {
  return {
    concurrency: wholeNumber(given, { flag: 'concurrency', usual: USUAL_CONCURRENCY, least: 1 }),
    graceMs: wholeNumber(given, { flag: 'grace', usual: USUAL_GRACE_SECONDS, least: 0 }) * 1000,
    once: given.has('once'),
    verbose: given.has('verbose'),
    log: readLogFormat(given),
  }
}

function wholeNumber(given: Given, { flag, usual, least }: { flag: string; usual: number; least: number }): number {
  const text = given.value(flag)
  if (text === null) return usual
  if (/^\d{1,5}$/.test(text) && Number(text) >= least) return Number(text)
  throw serverRefusals.invalidCount(flag, text, least, usual)
}
