import { readFileSync } from 'node:fs'
import { messageOf, RefusedError } from '../../core/errors.ts'
import { isOwnAddress } from '../../core/fleet/fleet-host.ts'
import type { CommandContext } from '../command/command.ts'
import type { Given } from '../command/flags.ts'
import { type Address, isLoopback, type PrivateSockets, type Tls } from '../listening/listen.ts'
import { portIn } from '../listening/port-in.ts'
import { serverRefusals } from '../refusals/server-refusals.ts'
import { type LogFormat, readLogFormat } from '../telemetry/log/log-format.ts'
import { readTraceSettings, type TraceSettings } from '../telemetry/spans/trace-settings.ts'

export interface ServerSettings {
  readonly address: Address
  /** True if any free port will do when this one is taken. */
  readonly orAnyPort?: boolean
  /** Sockets to listen at instead of the address, for this user alone. */
  readonly sockets?: PrivateSockets
  readonly tls: Tls | null
  /** True if a proxy with TLS forwards the requests. */
  readonly isBehindProxy: boolean
  /** The URL at which other hosts reach it; `null` if it is for none. */
  readonly published: string | null
  /** Further names under which requests may address it. */
  readonly names: readonly string[]
  /** True if it also advances runs. */
  readonly works: boolean
  readonly log: LogFormat
  readonly metrics: MetricsSettings
  /** `null` if no collector of traces is named. */
  readonly traces: TraceSettings | null
}

export interface MetricsSettings {
  /** True for `/metrics` on the port of the other routes. */
  readonly isRoute: boolean
  /** A port that has nothing else; `null` without one. */
  readonly address: Address | null
}

const USUAL_HOST = '127.0.0.1'
const USUAL_PORT = 4747
/** The customary port of exporters for Prometheus. */
const USUAL_METRICS_PORT = 9464

/** @throws RefusedError `invalid_arguments`, `unreadable_file`, or `unsafe_address` */
export function readServerSettings(given: Given, env: CommandContext['env']): ServerSettings {
  if (given.words.length > 0)
    throw invalid(
      `serve takes no words, but was given ${JSON.stringify(given.words.join(' '))}.`,
      'See `holdpoint serve --help`.',
    )
  const address = { host: given.value('host') ?? USUAL_HOST, port: portIn(given, USUAL_PORT) }
  const tls = tlsIn(given)
  const isBehindProxy = given.has('behind-proxy')
  if (!isLoopback(address) && tls === null && !isBehindProxy) throw serverRefusals.unsafe(address.host)
  const names = given.values('name').map(name => name.toLowerCase())
  const reports = { log: readLogFormat(given), metrics: metricsIn(given), traces: readTraceSettings(given, env) }
  return { address, tls, isBehindProxy, published: publishedIn(given), names, works: !given.has('no-work'), ...reports }
}

/** @throws RefusedError `invalid_arguments` */
function publishedIn(given: Given): string | null {
  const text = given.value('address')
  if (text === null) return null
  const url = URL.parse(text)
  if (url && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.search === '') {
    if (!isOwnAddress(url.href)) return url.href
    throw invalid(
      `--address is ${JSON.stringify(text)}, with which each host reaches itself and not this one.`,
      'Write the URL at which other hosts reach it, such as --address https://web1.example.com.',
    )
  }
  throw invalid(
    `--address is ${JSON.stringify(text)}, which is no URL of a server.`,
    'Write the URL at which other hosts reach it, such as --address https://web1.example.com.',
  )
}

function metricsIn(given: Given): MetricsSettings {
  const [hasPort, host] = [given.has('metrics-port'), given.value('metrics-host')]
  if (host !== null && !hasPort)
    throw invalid(
      '--metrics-host goes with --metrics-port.',
      `Add --metrics-port ${USUAL_METRICS_PORT}, or leave it out.`,
    )
  const port = portIn(given, USUAL_METRICS_PORT, 'metrics-port')
  return { isRoute: given.has('metrics'), address: hasPort ? { host: host ?? USUAL_HOST, port } : null }
}

/** True if only processes of this machine reach it, and no proxy passes on the requests of others. */
export function isLocal({ address, isBehindProxy }: ServerSettings): boolean {
  return isLoopback(address) && !isBehindProxy
}

/** True if browsers reach it by HTTPS alone. */
export function isEncrypted({ tls, isBehindProxy }: ServerSettings): boolean {
  return tls !== null || isBehindProxy
}

function tlsIn(given: Given): Tls | null {
  const [cert, key] = [given.value('tls-cert'), given.value('tls-key')]
  if (cert === null && key === null) return null
  if (cert === null || key === null)
    throw invalid('--tls-cert and --tls-key go together.', 'Name the certificate and its key, in PEM.')
  const tls = { cert: readBytes(cert), key: readBytes(key) }
  try {
    process.getBuiltinModule('node:tls').createSecureContext(tls)
    return tls
  } catch (cause) {
    throw invalid(
      `--tls-cert and --tls-key cannot be used: ${messageOf(cause)}.`,
      'Name a certificate and its key, in PEM.',
    )
  }
}

function invalid(message: string, hint: string): RefusedError {
  return new RefusedError('invalid_arguments', message, { hint })
}

/** @throws RefusedError `unreadable_file` */
function readBytes(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw serverRefusals.unreadable(path, messageOf(cause), cause)
  }
}
