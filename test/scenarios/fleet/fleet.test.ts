import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Random } from '../../chaos/random.ts'
import { openDatabase } from '../../open-database.ts'
import { patienceMs } from '../../patience.ts'
import { disagreementsIn } from '../agreement.ts'
import { isWhole } from '../crash-table.ts'
import { aProject, command, type Project } from '../project.ts'
import { Decider, type Person } from './decider.ts'
import { Fleet } from './fleet.ts'

/** The key of a call names its thread and the call. */
const script = [{ text: 'I act.', calls: [command('c1', 'echo "$HOLDPOINT_IDEMPOTENCY_KEY" >> effects.log')] }, 'Done.']
const SIZE = isWhole
  ? { runs: 200, clients: 10, restMs: [200, 1_500], kills: Number.POSITIVE_INFINITY, timeout: 30 * patienceMs() }
  : { runs: 12, clients: 4, restMs: [150, 600], kills: 6, timeout: 3 * patienceMs() }

interface HoldRow {
  readonly id: string
  readonly key: string
  readonly kind: string
  readonly verdict: string | null
  readonly decided_by: string | null
}

async function people(project: Project): Promise<Person[]> {
  const names = Array.from({ length: SIZE.clients }, (_, n) => `person-${n}`)
  const added = async (name: string) => ({
    name,
    token: (await project.holdpoint('tokens', 'add', name, '--role', 'operator')).stdout.trim(),
  })
  const all: Person[] = []
  for (const name of names) all.push(await added(name))
  return all
}

/** Read behind the back of the product. */
function holdsIn(project: Project): HoldRow[] {
  using database = openDatabase(project.path('.holdpoint', 'holdpoint.db'), { readOnly: true })
  return database
    .prepare(
      `SELECT id, thread_id || '/' || call_id AS key, kind, decision ->> 'verdict' AS verdict,
              decision ->> 'decided_by' AS decided_by FROM holds`,
    )
    .all() as unknown as HoldRow[]
}

function runsIn(project: Project): { readonly status: string; readonly ended: string | null }[] {
  using database = openDatabase(project.path('.holdpoint', 'holdpoint.db'), { readOnly: true })
  return database.prepare('SELECT status, ended FROM runs').all() as never
}

function isDone(project: Project): boolean {
  const runs = runsIn(project)
  return runs.length >= SIZE.runs && runs.every(({ status }) => status === 'done')
}

/** How often each effect may have happened: once, and again if a person in doubt had it run again. */
function allowed(holds: readonly HoldRow[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { key, verdict } of holds) if (verdict === 'approve') counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}

test('P2, P3, P4: two servers and a worker are killed again and again while clients decide: each effect once, no decision lost, and each client was told the truth', {
  timeout: SIZE.timeout,
}, async () => {
  const seed = Date.now() % 1_000_000_000
  const random = new Random(seed)
  await using project = await aProject({ script, policy: { default: 'prompt' } })
  const persons = await people(project)
  const effects = async () => new Set(await project.effects())
  await using fleet = new Fleet(project, random)
  const deciders = persons.map(
    (person, n) => new Decider(person, { fleet, random, protocol: n % 2 === 0 ? 'REST' : 'MCP' }),
  )
  let left = SIZE.runs
  const work = deciders.map(async decider => {
    while (left > 0) {
      left -= 1
      await decider.start()
      await decider.decide(effects)
    }
    while (!isDone(project)) await decider.decide(effects)
  })
  const storm = (async () => {
    const [from = 0, to = 0] = SIZE.restMs
    while (fleet.kills < SIZE.kills && !isDone(project)) {
      await delay(random.between(from, to))
      fleet.strike()
    }
  })()
  await Promise.all([...work, storm])

  const context = `seed ${seed}, ${fleet.kills} kills`
  const holds = holdsIn(project)
  const truth = new Map(holds.map(({ id, verdict, decided_by }) => [id, { verdict, decided_by }]))
  for (const { acknowledged, told, person, oddities } of deciders) {
    expect(oddities, context).toEqual([])
    for (const [id, { verdict, decided_by }] of told) expect({ verdict, decided_by }, context).toEqual(truth.get(id))
    for (const [id] of acknowledged) expect(truth.get(id)?.decided_by, context).toBe(person.name)
  }
  const counts = Map.groupBy(await project.effects(), key => key)
  const most = allowed(holds)
  for (const [key, times] of counts) expect(times.length, `${context}: ${key}`).toBeLessThanOrEqual(most.get(key) ?? 0)
  const meant = holds.filter(({ kind, verdict }) => kind === 'approval' && verdict === 'approve')
  expect(
    meant.filter(({ key }) => !counts.has(key)),
    context,
  ).toEqual([])
  expect(new Set(runsIn(project).map(({ ended }) => ended)), context).toEqual(new Set(['natural_end']))
  expect(fleet.oddities, context).toEqual([])
  expect(await disagreementsIn(project.path('.holdpoint', 'holdpoint.db'), { asks: 'beside' }), context).toEqual([])
  const { person } = deciders[0] as Decider
  const last = new Decider(person, { fleet, random, protocol: 'REST' })
  for (const [id, { verdict, decided_by }] of [...truth].slice(-20))
    expect((await last.ask(`/v1/holds/${id}`)).decision, context).toMatchObject({ verdict, decided_by })
})
