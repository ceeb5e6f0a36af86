import { RefusedError } from '../../../core/errors.ts'
import { HOLD_KINDS, type Hold } from '../../../core/hold/hold.ts'
import { isFor } from '../../../core/hold/may-decide.ts'
import type { ResultLine } from '../../../core/hold-view/hold-result.ts'
import type { RunPath } from '../../../core/run/run-path.ts'
import type { HoldQuery } from '../../../ports/store/holds.ts'
import type { Holdpoint } from '../../../runtime/face/holdpoint.ts'
import type { Holds } from '../../../runtime/face/holds.ts'
import type { Runs } from '../../../runtime/face/runs.ts'
import { holdResults } from '../../../runtime/holds/hold-results.ts'
import type { CommandContext } from '../../command/command.ts'
import { limitIn, oneOf } from '../../command/flag-values.ts'
import { LISTED_HOLD_STATUSES } from '../../command/flag-words.ts'
import type { Given } from '../../command/flags.ts'
import { actor } from '../../process/actor.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { decidingRefusals } from '../../refusals/deciding-refusals.ts'

/** Which holds are wanted. */
export interface HoldFilter {
  readonly query: Omit<HoldQuery, 'limit' | 'after'>
  /** Only holds that are assigned to this person, or that this person may decide; `null` for everybody's. */
  readonly mine: string | null
  readonly limit: number
  /** The last hold of the page before. */
  readonly after: string | null
}

/** @throws RefusedError `invalid_arguments` */
export function readHoldFilter({ given, env }: Pick<CommandContext, 'given' | 'env'>): HoldFilter {
  const status = oneOf(given, 'status', LISTED_HOLD_STATUSES) ?? 'open'
  const asked = {
    status: status === 'all' ? null : status,
    kind: oneOf(given, 'kind', HOLD_KINDS),
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

interface HoldPage {
  readonly holds: readonly Hold[]
  /** The last hold of this page, if there are more. */
  readonly more: string | null
}

/** @throws RefusedError `unknown_hold` if the page is to follow a hold that does not exist. */
export async function pageOf(holdpoint: Pick<Holds, 'holds' | 'hold'>, filter: HoldFilter): Promise<HoldPage> {
  const { after, limit } = filter
  if (after !== null && (await holdpoint.hold(after)) === null) throw decidingRefusals.unknownPage(after)
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

/** A hold, and whose agent started the run that it holds up. */
export type PlacedHold = Hold & {
  readonly path: RunPath
  /** The newest pause of its run: what a resume takes to decide it; `null` if the run has not paused. */
  readonly checkpoint_id: string | null
}

/** A hold in a list for people: with what came of it. */
export type ListedHold = PlacedHold & { readonly result: ResultLine | null }

export async function listedHolds(
  holdpoint: Pick<Holdpoint, 'runPaths' | 'runs' | 'journal'>,
  holds: readonly Hold[],
): Promise<ListedHold[]> {
  const [placed, results] = await Promise.all([placedHolds(holdpoint, holds), holdResults(holdpoint, holds)])
  return placed.map(hold => ({ ...hold, result: results.get(hold.id) ?? null }))
}

export async function placedHolds(
  holdpoint: Pick<Runs, 'runPaths' | 'runs'>,
  holds: readonly Hold[],
): Promise<PlacedHold[]> {
  const ids = [...new Set(holds.map(({ run_id }) => run_id))]
  const [paths, rows] = await Promise.all([
    holdpoint.runPaths(ids),
    Promise.all(ids.map(run_id => holdpoint.runs({ run_id }))),
  ])
  const pauses = new Map(rows.flat().map(({ id, checkpoint_id }) => [id, checkpoint_id]))
  return holds.map(hold => ({
    ...hold,
    path: paths.get(hold.run_id) ?? [],
    checkpoint_id: pauses.get(hold.run_id) ?? null,
  }))
}

type Lookup = Pick<Holds, 'hold' | 'holds'>

/**
 * A hold by its id, or the newest one about a call by the call's id. Models name calls of every session alike, so a call's
 * id means the one session in which a hold about it is open. If several sessions have one, or if none is open any more and
 * several sessions had one, the id alone decides nothing. @throws RefusedError
 */
export async function holdNamed(holdpoint: Lookup, name: string): Promise<Hold> {
  const hold = await holdpoint.hold(name)
  if (hold) return hold
  const holds = await holdpoint.holds({ call_id: name })
  const open = holds.filter(({ status }) => status === 'open')
  const meant = open.length > 0 ? open : holds
  const newest = meant.at(-1)
  if (!newest) throw unknown(name, await holdpoint.holds({ status: 'open', limit: MOST_LISTED + 1 }))
  if (meant.some(({ thread_id }) => thread_id !== newest.thread_id)) throw ambiguous(name, holds)
  return newest
}

function unknown(name: string, open: readonly Hold[]): RefusedError {
  const listed = open.slice(0, MOST_LISTED).map(({ id, call_id, tool }) => {
    const about = [call_id, tool].filter(part => part !== null).join(' ')
    return about === '' ? id : `${id} (${about})`
  })
  const waits = open.length === 0 ? 'Nothing waits here' : `Open here: ${listed.join(', ')}`
  const more = open.length > MOST_LISTED ? ', …; `holdpoint holds` lists all' : ''
  return new RefusedError(
    'unknown_hold',
    `There is no hold ${JSON.stringify(name)} in this store, and no call of that name was held.`,
    {
      hint: `${waits}${more}. --store names another store.`,
      details: { holds: open.slice(0, MOST_LISTED).map(({ id }) => id) },
    },
  )
}

/** A model may name a call of every session alike. */
const MOST_LISTED = 10

function ambiguous(name: string, holds: readonly Hold[]): RefusedError {
  const open = holds.filter(({ status }) => status === 'open')
  const listed = (open.length > 0 ? open : holds).slice(-MOST_LISTED)
  const count =
    open.length === 0
      ? 'none of their holds is open'
      : `${open.length} of their ${holds.length} holds ${open.length === 1 ? 'is' : 'are'} open`
  const message = `Calls of several sessions are named ${JSON.stringify(name)}, ${count}, so the name alone decides nothing.`
  return new RefusedError('ambiguous_call', message, {
    hint: `Name the hold: ${listed.map(({ id, run_id, tool, status }) => `${id} (${status}, ${tool}, ${run_id})`).join('; ')}. \`holdpoint holds\` lists what waits.`,
    details: { holds: listed.map(({ id }) => id) },
  })
}

/** The holds, or calls, that a command is about: at least one. @throws RefusedError `invalid_arguments` */
export function holdNames({ words }: Pick<Given, 'words'>, usage: string): readonly string[] {
  if (words.length > 0) return words
  throw argumentRefusals.usage(usage, '`holdpoint holds` lists what waits.')
}
