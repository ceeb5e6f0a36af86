/** Standing grants: which there are, and whether what they let pass was covered when somebody looked. */
import { isDeepStrictEqual } from 'node:util'
import type { NewGrant } from '../../src/core/hold/grant.ts'
import type { JournalEvent } from '../../src/core/journal/event.ts'
import { must, shown } from './broken.ts'
import type { Seen } from './ledger.ts'
import type { ThreadWatch } from './thread-watch.ts'
import { DESTRUCTIVE } from './tool-names.ts'

type Asked = Extract<Seen, { is: 'grants asked' }>

/** What one advance saw of the grants for a tool. */
interface Look {
  readonly tool: string | undefined
  readonly valid: ReadonlySet<string>
}

export class GrantWatch {
  readonly #grants = new Map<string, NewGrant>()
  readonly #revoked = new Set<string>()
  /** By whoever looks, since they wrote something. */
  readonly #looks = new Map<object, Look[]>()

  take(event: JournalEvent): void {
    const grant = event.kind === 'hold.decided' ? event.data.decision.grant : null
    if (grant) this.#grants.set(grant.id, grant)
  }

  /** It is durable. */
  revoked(id: string): void {
    this.#revoked.add(id)
  }

  asked({ by, query, at, found }: Asked): void {
    if (query.valid_at === undefined) return
    must(Date.parse(query.valid_at) === at, 'grants', () => `at ${at} it is asked what counts at ${query.valid_at}`)
    const counting = [...this.#grants.values()].filter(
      ({ id, tool, expires_at }) =>
        tool === query.tool && !this.#revoked.has(id) && (expires_at === null || Date.parse(expires_at) > at),
    )
    const valid = counting.map(({ id }) => id)
    must(isDeepStrictEqual(found.toSorted(), valid.toSorted()), 'grants', () => `${found} are found, ${valid} count`)
    this.#looks.set(by, [...(this.#looks.get(by) ?? []), { tool: query.tool, valid: new Set(valid) }])
  }

  /** What is let pass by a grant, and what starts by it, was covered when it was looked at for the last time. */
  wrote({ by, events }: Extract<Seen, { is: 'wrote' }>, watch: ThreadWatch): number {
    const looks = this.#looks.get(by) ?? []
    this.#looks.delete(by)
    let used = 0
    for (const { seq } of events) {
      const passed = watch.byGrant.get(seq)
      if (!passed) continue
      used += 1
      const { grant_id, tool } = passed
      const counted = looks.some(look => look.tool === tool && look.valid.has(grant_id))
      must(counted, 'grants', () => `${shown(passed)} goes by a grant that did not count`)
      must(
        this.#covers(passed),
        'grants',
        () => `${shown(passed)} is not covered by ${shown(this.#grants.get(grant_id))}`,
      )
    }
    return used
  }

  #covers({ grant_id, tool, args, run_id, thread_id }: PassedByGrant): boolean {
    const grant = this.#grants.get(grant_id)
    if (!grant || DESTRUCTIVE.has(tool) || grant.tool !== tool) return false
    const places = { run: run_id, thread: thread_id, project: '' }
    if (places[grant.scope] !== grant.scope_id) return false
    if (grant.match === null) return isDeepStrictEqual(grant.arguments, args)
    const pattern = grant.match['n']
    return pattern === '*' || pattern === String((args as { n: unknown }).n)
  }
}

/** A call that a grant let pass, or that starts by it. */
export interface PassedByGrant {
  readonly grant_id: string
  readonly call_id: string
  readonly tool: string
  readonly args: unknown
  readonly run_id: string
  readonly thread_id: string
}
