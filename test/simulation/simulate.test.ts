import { beforeAll, expect, test } from 'vitest'
import { Choices } from './choices.ts'
import { warmUp } from './process.ts'
import { Totals } from './report.ts'
import { type Lived, simulate } from './simulate.ts'

// A slice of what `npm run simulate` explores, the same in each run, and three more lives with what is rare in them.
const SEEDS = [...Array.from({ length: 250 }, (_, seed) => 40_410 + seed), 60_023, 60_197, 60_395]

/** As many on a model of PostgreSQL as show all that only it has. */
const DATABASE_SEEDS = [...SEEDS.slice(0, 60), 60_043, 60_056, 60_105]

const lives: Lived[] = []
const onDatabase: Lived[] = []

beforeAll(async () => {
  await warmUp()
  for (const seed of SEEDS) lives.push(await simulate(Choices.fromSeed(seed)))
  for (const seed of DATABASE_SEEDS) onDatabase.push(await simulate(Choices.fromSeed(seed), 'database'))
})

test('no promise is broken in any of these lives', () => {
  const broken = lives.flatMap(({ failure }, place) => (failure ? [`seed ${SEEDS[place]}: ${failure.message}`] : []))
  expect(broken).toEqual([])
})

test('no promise is broken where answers to commits and notices are lost, and hosts have another time than the store', () => {
  const broken = onDatabase.flatMap(({ failure }, n) =>
    failure ? [`seed ${DATABASE_SEEDS[n]}: ${failure.message}`] : [],
  )
  expect(broken).toEqual([])
  const totals = new Totals()
  for (const lived of onDatabase) totals.take(lived)
  const { counts } = totals.coverage
  const lost = ['start', 'claim', 'append', 'request', 'decide'].map(method => `lost answer at ${method}:after`)
  const wanted = [
    ...lost,
    'skew in all',
    'jump in all',
    'crash in all',
    'advance threw store_commit_unknown',
    'decisions said again',
  ]
  expect(wanted.filter(what => !counts.has(what))).toEqual([])
})

test('these lives have something of everything in them', () => {
  const totals = new Totals()
  for (const lived of lives) totals.take(lived)
  const { counts } = totals.coverage
  const wanted = [
    ...['crash', 'stall', 'failure', 'interrupt', 'jump', 'skew'].map(what => `${what} in all`),
    ...['effects', 'followed events'],
    ...['decision recorded', 'decision duplicate', 'decision already_decided', 'decision refused: hold_withdrawn'],
    ...['message queued', 'message superseded', 'message answered', 'advance busy', 'advance threw lease_lost'],
    ...['end: natural_end', 'end: cancelled', 'end: blocked', 'end: behavior_requested', 'end: error model_error'],
    ...['max_rounds', 'timeout', 'token_budget', 'consecutive_errors'].map(code => `end: stopped ${code}`),
    ...['stop_on_tool', 'content_match', 'loop_detection', 'empty_answer'].map(code => `end: stopped ${code}`),
    ...['approve', 'reject', 'edit', 'respond', 'cancel'].map(verdict => `verdict: ${verdict}`),
    ...['hold.reminded', 'hold.escalated', 'hold.expired', 'hold.voted', 'hold.unclear', 'hold.assigned'],
    ...['hold.withdrawn', 'reminder 2', 'level 2', 'swept hold.reminded', 'swept hold.escalated', 'swept hold.expired'],
    ...['cancel', 'reject', 'auto_approve'].map(action => `nobody: ${action}`),
    ...['hold_expired', 'not_a_decider', 'is_requester', 'requester_unknown', 'own_hold'].map(refused),
    ...['edit_needs_quorum', 'unclear_answer', 'needs_verdict', 'invalid_grant'].map(refused),
    ...['let pass by a grant', 'let pass by an approval in words', 'verdict: approve for good', 'a grant was revoked'],
    ...[
      'hold: in_doubt, its process ended before it wrote down what came of it',
      'hold: approval, it changed after it was approved',
    ],
  ]
  expect(wanted.filter(what => !counts.has(what))).toEqual([])
  expect(totals.interleavings.size).toBe(SEEDS.length)
})

function refused(code: string): string {
  return `decision refused: ${code}`
}

test('a seed gives the same life each time', async () => {
  const [first] = lives
  const again = await simulate(Choices.fromSeed(SEEDS[0] ?? 0))
  expect(again.trace).toEqual(first?.trace)
})

test('what was chosen gives the same life again', async () => {
  const [first] = lives
  const again = await simulate(Choices.again(first?.choices ?? []))
  expect(again.trace).toEqual(first?.trace)
})
