import { RefusedError } from '../../../core/errors.ts'
import type { Hold, HoldKind, HoldStatus } from '../../../core/hold/hold.ts'
import { isFor } from '../../../core/hold/may-decide.ts'
import type { HoldQuery } from '../../../ports/store/holds.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { actor } from '../../process/actor.ts'

/** Which holds are wanted. */
export interface HoldFilter {
  readonly query: Omit<HoldQuery, 'limit' | 'after'>
  /** Those that are assigned to this person, or that this person may decide; `null` for everybody's. */
  readonly mine: string | null
  readonly limit: number
  /** The last hold of the page before. */
  readonly after: string | null
}

const KINDS: readonly HoldKind[] = ['approval', 'question', 'input', 'client_tool', 'in_doubt']
const STATUSES: readonly (HoldStatus | 'all')[] = ['open', 'decided', 'expired', 'withdrawn', 'exported', 'all']

/** @throws RefusedError `invalid_arguments` */
export function readHoldFilter({ given, env }: Pick<CommandContext, 'given' | 'env'>): HoldFilter {
  const status = oneOf(given, 'status', STATUSES) ?? 'open'
  const asked = {
    status: status === 'all' ? null : status,
    kind: oneOf(given, 'kind', KINDS),
    agent: given.value('agent'),
    tool: given.value('tool'),
    run_id: given.value('run'),
    thread_id: given.value('session'),
    assignee: given.value('assignee'),
  }
  return {
    query: Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null)),
    mine: given.has('mine') ? actor(env) : null,
    limit: limitIn(given),
    after: given.value('after'),
  }
}

export interface HoldPage {
  readonly holds: readonly Hold[]
  /** The last hold of this page, if there are more. */
  readonly more: string | null
}

/** @throws RefusedError `unknown_hold` if the page is to follow a hold that does not exist. */
export async function pageOf(holdpoint: Pick<Holds, 'holds' | 'hold'>, filter: HoldFilter): Promise<HoldPage> {
  const { after, limit } = filter
  if (after !== null && (await holdpoint.hold(after)) === null) throw unknownPage(after)
  const holds: Hold[] = []
  for await (const hold of wantedHolds(holdpoint, filter)) {
    if (holds.length === limit) return { holds, more: holds.at(-1)?.id ?? null }
    holds.push(hold)
  }
  return { holds, more: null }
}

/** Every hold that is wanted, oldest first, from the page after `after` on. */
export async function* wantedHolds(
  holdpoint: Pick<Holds, 'holds'>,
  { query, mine, after }: Pick<HoldFilter, 'query' | 'mine' | 'after'>,
): AsyncGenerator<Hold, void, undefined> {
  for await (const page of pagesOf(holdpoint, query, after))
    yield* page.filter(hold => mine === null || isFor(hold, mine))
}

/** Read from the store at once. */
const PAGE = 200

async function* pagesOf(holdpoint: Pick<Holds, 'holds'>, query: HoldQuery, first: string | null) {
  let after = first
  for (let isLast = false; !isLast; ) {
    const page = await holdpoint.holds({ ...query, limit: PAGE, ...(after === null ? {} : { after }) })
    yield page
    after = page.at(-1)?.id ?? after
    isLast = page.length < PAGE
  }
}

function unknownPage(after: string): RefusedError {
  return new RefusedError('unknown_hold', `There is no hold ${JSON.stringify(after)} to go on behind.`, {
    hint: '--after takes the last hold of the page before.',
  })
}
