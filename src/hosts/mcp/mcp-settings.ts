import { RefusedError } from '../../core/errors.ts'
import type { Given } from '../command/flags.ts'
import { portIn } from '../listening/port-in.ts'

/** The bounds of agents that are started here, from the command line; `null` for each that was not given. */
export interface Bounds {
  /** A file. */
  readonly agent: string | null
  readonly model: string | null
  readonly tools: readonly string[] | null
  /** A file. */
  readonly policy: string | null
  readonly maxSteps: number | null
  readonly workdir: string | null
}

export interface McpSettings {
  /** `null`: one client, on stdin and stdout. */
  readonly http: { readonly host: string; readonly port: number } | null
  readonly bounds: Bounds
}

const USUAL_HOST = '127.0.0.1'
/** HOLD, on a telephone. */
export const USUAL_PORT = 4653
const ONLY_HTTP: readonly string[] = ['port', 'host']

/** @throws RefusedError `invalid_arguments` */
export function readMcpSettings(given: Given): McpSettings {
  if (given.words.length > 0)
    throw invalid(`mcp takes no words, but was given ${JSON.stringify(given.words.join(' '))}.`)
  const alone = ONLY_HTTP.find(name => given.has(name) && !given.has('http'))
  if (alone) throw invalid(`--${alone} goes with --http alone: without it, the client is on stdin and stdout.`)
  const tools = given.values('tool')
  return {
    http: given.has('http') ? { host: given.value('host') ?? USUAL_HOST, port: portIn(given, USUAL_PORT) } : null,
    bounds: {
      agent: given.value('agent'),
      model: given.value('model'),
      tools: tools.length > 0 ? tools : null,
      policy: given.value('policy'),
      maxSteps: maxStepsIn(given),
      workdir: given.value('workdir'),
    },
  }
}

function maxStepsIn(given: Given): number | null {
  const text = given.value('max-steps')
  if (text === null) return null
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw invalid(`--max-steps ${JSON.stringify(text)} is no whole number from 1.`)
}

function invalid(message: string, hint = 'See `holdpoint mcp --help`.'): RefusedError {
  return new RefusedError('invalid_arguments', message, { hint })
}
