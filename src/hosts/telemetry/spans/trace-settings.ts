import { RefusedError } from '../../../core/errors.ts'
import type { Flag, Given } from '../../command/flags.ts'

export interface TraceSettings {
  /** The address of the traces at the collector, in full. */
  readonly url: string
  /** True for what was said, and for arguments and results. */
  readonly withContent: boolean
  readonly resource: Readonly<Record<string, string>>
}

type Environment = Readonly<Record<string, string | undefined>>

export const OTLP_FLAG: Flag = {
  name: 'otlp',
  value: 'URL',
  help: 'send traces to this collector (default OTEL_EXPORTER_OTLP_ENDPOINT)',
}

const PATH = 'v1/traces'

/** As OpenTelemetry names its variables. `null` if no collector is named. @throws RefusedError `invalid_arguments` */
export function readTraceSettings(given: Given, env: Environment): TraceSettings | null {
  const url = given.value(OTLP_FLAG.name) ?? (isOff(env) ? null : env['OTEL_EXPORTER_OTLP_ENDPOINT'] || null)
  const whole = given.has(OTLP_FLAG.name) || isOff(env) ? undefined : env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const address = whole ? checked(whole) : url && tracesAt(checked(url))
  if (!address) return null
  return {
    url: address,
    withContent: env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT']?.toLowerCase() === 'true',
    resource: { ...resourceIn(env['OTEL_RESOURCE_ATTRIBUTES'] ?? ''), 'service.name': serviceIn(env) },
  }
}

/** Without what may be a password in it. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function isOff(env: Environment): boolean {
  return env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none'
}

function serviceIn(env: Environment): string {
  return env['OTEL_SERVICE_NAME'] || resourceIn(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '')['service.name'] || 'holdpoint'
}

/** `name=value,name=value`, with values percent-encoded. */
function resourceIn(text: string): Record<string, string> {
  const pairs = text.split(',').map(pair => /^\s*([^=]+)=(.*)$/.exec(pair))
  return Object.fromEntries(pairs.flatMap(pair => (pair ? [[pair[1] ?? '', decoded(pair[2] ?? '')]] : [])))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return text.trim()
  }
}

function checked(url: string): string {
  if (['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')) return url
  throw new RefusedError('invalid_arguments', `The address of the collector, ${JSON.stringify(url)}, is no URL.`, {
    hint: 'Write --otlp http://127.0.0.1:4318, or set OTEL_EXPORTER_OTLP_ENDPOINT to that.',
  })
}

function tracesAt(url: string): string {
  return url.endsWith(`/${PATH}`) ? url : `${url.replace(/\/$/, '')}/${PATH}`
}
