import { HoldpointError } from '../../../core/errors.ts'
import { problemResponse } from '../../http/problem.ts'
import { type RestRoute, type RestSite, route } from '../route/rest-route.ts'

export const HEALTH_ROUTES: readonly RestRoute[] = [
  route('GET /healthz', null, {
    summary: 'Whether the process answers',
    answers: { 200: '#Health' },
    call: async () => ({ status: 'ok' }),
  }),
  route('GET /readyz', null, {
    summary:
      'Whether the store answers and takes writes, and the server is not about to end. `degraded` names what fails meanwhile',
    answers: { 200: '#Health', 503: 'It takes no requests now.' },
    call: async (_, { holdpoint, stopping, degraded, lastWriteFailure }) => {
      if (stopping.aborted)
        return problemResponse({ status: 503, code: 'server_ending', detail: 'This server is ending.' })
      const failure = lastWriteFailure()
      if (failure !== null) return notReady(failure, 'The newest write to the store failed.')
      try {
        const parts = await inTime(look({ holdpoint, degraded }))
        if (parts === null) return notReady('store_unavailable', `The store did not answer within ${MOST_MS / 1000} s.`)
        return { status: 'ready', ...(parts.length > 0 && { degraded: parts }) }
      } catch (thrown) {
        // The reason may name files; the log has it.
        return notReady(codeOf(thrown) ?? 'store_unavailable', 'The store does not answer.')
      }
    },
  }),
]

/** Readers are patient with a database that restarts. A probe is not. */
const MOST_MS = 1_500

type Looked = Promise<readonly string[]>

const underway = new WeakMap<object, Looked>()

/** Probes that come while a look is under way share it, so that they take no connections from requests. */
function look({ holdpoint, degraded }: Pick<RestSite, 'holdpoint' | 'degraded'>): Looked {
  const known = underway.get(holdpoint)
  if (known) return known
  const looked = (async () => {
    await holdpoint.runs({ limit: 1 })
    return degraded()
  })().finally(() => underway.delete(holdpoint))
  underway.set(holdpoint, looked)
  return looked
}

/** `null` if it takes longer. */
async function inTime<T>(work: Promise<T>): Promise<T | null> {
  const { promise: over, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), MOST_MS)
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}

function codeOf(thrown: unknown): string | null {
  return thrown instanceof HoldpointError && thrown.code.startsWith('store_') ? thrown.code : null
}

function notReady(code: string, detail: string): Response {
  return problemResponse({ status: 503, code, detail })
}
