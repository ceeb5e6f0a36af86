import type { ToldRequest } from '../request-observer.ts'
import type { JsonLog } from './json-log.ts'

/** Probes and scrapes come every few seconds: only one that fails is told. */
const PROBES: readonly string[] = ['/healthz', '/readyz', '/metrics']
const FIRST_ERROR = 400
const FIRST_FAULT = 500

export function logRequest(log: JsonLog, { method, route, status, ms, caller, ids }: ToldRequest): void {
  if (PROBES.includes(route) && status < FIRST_ERROR) return
  const level = status >= FIRST_FAULT ? 'error' : 'info'
  log.write(level, 'request.answered', { method, route, status, ms: Math.round(ms * 10) / 10, by: caller, ...ids })
}
