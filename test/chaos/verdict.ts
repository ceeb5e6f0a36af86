/**
 * The check of a campaign by other means than those of the product: lines that the tool wrote outside the store, against
 * rows and journals as SQLite gives them, against what the campaign's processes were told.
 */
import { disagreementsIn } from '../scenarios/agreement.ts'
import { eventsIn, type Written } from '../scenarios/journal.ts'
import type { Ledger } from './ledger.ts'
import type { Effect, Stage } from './stage.ts'

interface HoldRow {
  readonly id: string
  readonly thread_id: string
  readonly call_id: string | null
  readonly kind: string
  readonly status: string
  readonly decision: string | null
}

interface Decided {
  readonly verdict: string
  readonly decided_by: string
}

export async function faultsOf(stage: Stage, ledger: Ledger): Promise<string[]> {
  const holds = stage.rows<HoldRow>('SELECT id, thread_id, call_id, kind, status, decision FROM holds')
  const events = eventsIn(stage.store)
  return [
    ...ledger.oddities.map(odd => `a process told what none may: ${odd}`),
    ...twice(stage.effects(), holds),
    ...unapproved(stage.effects(), holds, ledger),
    ...lostEffects(stage.effects(), events),
    ...lostDecisions(holds, ledger),
    ...foreignDecisions(holds, ledger),
    ...orphans(stage),
    ...falseEnds(stage, ledger),
    ...(await disagreementsIn(stage.store, { asks: 'beside' })),
  ]
}

/** P3: once, and once more for each time that a person had a call in doubt run again. */
function twice(effects: readonly Effect[], holds: readonly HoldRow[]): string[] {
  const again = holds.filter(({ kind, decision }) => kind === 'in_doubt' && verdictIn(decision) === 'approve')
  const counts = new Map<string, number>()
  for (const { key } of effects) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...counts].flatMap(([key, count]) => {
    const allowed = 1 + again.filter(hold => keyOf(hold) === key).length
    return count > allowed ? [`P3: ${key} happened ${count} times, and may have ${allowed} times`] : []
  })
}

/** P1: nothing that is gated without the approval of a person who was told to approve it; nothing else than approved. */
function unapproved(effects: readonly Effect[], holds: readonly HoldRow[], ledger: Ledger): string[] {
  return effects
    .filter(({ label }) => label.startsWith('g'))
    .flatMap(({ key, label }) => {
      const theirs = holds.filter(hold => hold.kind === 'approval' && keyOf(hold) === key)
      const meant = label.startsWith('g-edited') ? 'edit' : 'approve'
      const isApproved = theirs.some(({ id, decision }) => {
        const { verdict, decided_by } = decided(decision)
        return (
          verdict === meant &&
          ledger.intents.some(each => each.hold === id && each.by === decided_by && each.verdict === meant)
        )
      })
      return isApproved ? [] : [`P1: ${key} (${label}) happened, and its holds are ${JSON.stringify(theirs)}`]
    })
}

/** A command that succeeded left its line. An answer of a person in doubt is no success of a command. */
function lostEffects(effects: readonly Effect[], events: readonly Written[]): string[] {
  const happened = new Set(effects.map(({ key }) => key))
  return events
    .filter(({ kind, data }) => kind === 'call.finished' && /^c\d+$/.test(data.call_id) && isSuccess(data))
    .map(({ thread, data }) => `${thread}/${data.call_id}`)
    .filter(key => !happened.has(key))
    .map(key => `${key} is finished with success, and did nothing`)
}

function isSuccess(data: unknown): boolean {
  const text = JSON.stringify(data)
  return text.includes('"exit_code":0') && !text.includes('"is_error":true')
}

/** P2: a decision that was reported as recorded is the one that counts. */
function lostDecisions(holds: readonly HoldRow[], { acknowledged }: Ledger): string[] {
  return acknowledged.flatMap(({ by, hold, verdict }) => {
    const row = holds.find(({ id }) => id === hold)
    const { decided_by, verdict: kept } = decided(row?.decision ?? null)
    if (row?.status === 'decided' && decided_by === by && kept === verdict) return []
    return [`P2: ${by} was told that ${verdict} of ${hold} is recorded, and it is ${JSON.stringify(row)}`]
  })
}

/** P1: each decision is one that was asked of its author. */
function foreignDecisions(holds: readonly HoldRow[], { intents }: Ledger): string[] {
  return holds.flatMap(({ id, decision }) => {
    if (decision === null) return []
    const { decided_by, verdict } = decided(decision)
    const isMeant = intents.some(({ by, hold, verdict: said }) => by === decided_by && hold === id && said === verdict)
    return isMeant ? [] : [`P1: ${id} was decided by ${decided_by} (${verdict}), of whom that was never asked`]
  })
}

/** A run that an agent started has its task. */
function orphans(stage: Stage): string[] {
  return stage
    .rows<{ id: string }>(
      'SELECT id FROM runs WHERE parent_run_id IS NOT NULL AND id NOT IN (SELECT subject FROM tasks WHERE subject IS NOT NULL)',
    )
    .map(({ id }) => `P3: the run ${id} of a sub-agent is no task's`)
}

/** P4: what a process told of a run is what the store says of it. */
function falseEnds(stage: Stage, { told, cancelled }: Ledger): string[] {
  const rows = new Map(
    stage.rows<{ id: string; ended: string | null }>('SELECT id, ended FROM runs').map(row => [row.id, row.ended]),
  )
  const unknown = told
    .filter(({ run }) => !rows.has(run))
    .map(({ run }) => `P4: the run ${run} was told of, and is not there`)
  const completed = told
    .filter(({ run, outcome }) => outcome === 'completed' && rows.get(run) !== 'natural_end')
    .map(({ run }) => `P4: the run ${run} was told to be completed, and is ${rows.get(run)}`)
  const uncancelled = cancelled
    .filter(run => rows.get(run) !== 'cancelled')
    .map(run => `P4: the run ${run} was told to be cancelled, and is ${rows.get(run)}`)
  return [...unknown, ...completed, ...uncancelled]
}

function keyOf({ thread_id, call_id }: HoldRow): string {
  return `${thread_id}/${call_id}`
}

function decided(decision: string | null): Decided {
  return decision === null ? { verdict: 'none', decided_by: 'none' } : (JSON.parse(decision) as Decided)
}

function verdictIn(decision: string | null): string {
  return decided(decision).verdict
}
