import { describe, expect, test } from 'vitest'
import { type Evidence, faultsIn, sha256, type Told } from './checker.ts'

interface Line {
  seq: number
  kind: string
  thread_id: string
  run_id: string
  hold_id: string | null
  call_id: string | null
  actor: string | null
  event_seq: number | null
  data: Record<string, string | number | null>
}

/** A cluster that was there: what the checker reads, still in parts. */
interface Scene {
  effects: string[]
  audit: Line[]
  told: Told[]
}

/** Three runs: an approved call, a rejected one beside a question, and one whose call was in doubt and ran again. */
function kept(): Scene {
  const audit: Line[] = []
  const newest = new Map<string, number>()
  const line = (run: string, kind: string, fields: Partial<Line> = {}) => {
    const event_seq = (newest.get(run) ?? 0) + 1
    newest.set(run, event_seq)
    const whole = {
      seq: 0,
      kind,
      thread_id: `th_${run}`,
      run_id: `run_${run}`,
      hold_id: null,
      call_id: null,
      actor: null,
    }
    audit.push({ ...whole, event_seq, data: {}, ...fields })
  }
  const hold = (run: string, call: string, kind: string, verdict: string) => {
    const about = { hold_id: `hold_${run}${call}${kind === 'in_doubt' ? '?' : ''}`, call_id: call }
    line(run, 'hold.opened', { ...about, data: { kind, digest: `d_${call}` } })
    const digest = verdict === 'approve' ? `d_${call}` : null
    line(run, 'hold.decided', { ...about, actor: 'ana', data: { verdict, digest } })
  }
  const call = (run: string, id: string) => {
    line(run, 'call.started', { call_id: id, data: { attempt: 1, digest: `d_${id}` } })
    line(run, 'call.finished', { call_id: id, data: { status: 'succeeded' } })
  }
  for (const run of ['1', '2', '3']) line(run, 'run.started')
  hold('1', 'c1', 'approval', 'approve')
  call('1', 'c1')
  call('1', 'c2')
  hold('2', 'q1', 'question', 'respond')
  hold('2', 'c1', 'approval', 'reject')
  hold('3', 'c1', 'approval', 'approve')
  line('3', 'call.started', { call_id: 'c1', data: { attempt: 1, digest: 'd_c1' } })
  hold('3', 'c1', 'in_doubt', 'approve')
  call('3', 'c1')
  for (const run of ['1', '2', '3']) line(run, 'run.finished', { data: { outcome: 'completed' } })
  return {
    effects: ['th_1/c1 g1', 'th_1/c2 f1', 'th_3/c1 g1', 'th_3/c1 g1'],
    audit,
    told: [
      { kind: 'started', run: 'run_1' },
      { kind: 'started', run: 'run_2' },
      { kind: 'started', run: 'run_3' },
      { kind: 'decided', hold: 'hold_1c1', actor: 'ana', verdict: 'approve' },
      { kind: 'decided', hold: 'hold_2c1', actor: 'ana', verdict: 'reject' },
    ],
  }
}

/** Whoever forges what is told makes a chain of it that fits. */
function evidence({ effects, audit, told }: Scene): Evidence {
  let before = '0'.repeat(64)
  const lines = audit.map((line, at) => {
    const text = JSON.stringify({ ...line, seq: at + 1 })
    before = sha256(`${before}\n${text}`)
    return `${text.slice(0, -1)},"hash":"${before}"}`
  })
  return { effects: effects.map(each => `${each}\n`).join(''), audit: lines.map(each => `${each}\n`).join(''), told }
}

const find = ({ audit }: Scene, kind: string, where: Partial<Line> = {}) => {
  const at = audit.findIndex(
    line => line.kind === kind && Object.entries(where).every(([k, v]) => line[k as keyof Line] === v),
  )
  if (at < 0) throw new Error(`The scene has no ${kind}.`)
  return at
}
const line = (scene: Scene, kind: string, where?: Partial<Line>) => scene.audit[find(scene, kind, where)] as Line
const drop = (scene: Scene, kind: string, where?: Partial<Line>) => void scene.audit.splice(find(scene, kind, where), 1)
const double = (scene: Scene, kind: string, where?: Partial<Line>) => {
  const at = find(scene, kind, where)
  scene.audit.splice(at + 1, 0, { ...(scene.audit[at] as Line) })
}
/** What was on record is put behind the end of the log. */
const delay = (scene: Scene, kind: string, where?: Partial<Line>) =>
  void scene.audit.push(...scene.audit.splice(find(scene, kind, where), 1))
const ONE = { thread_id: 'th_1', call_id: 'c1' }

/** What a broken Holdpoint, or a forger, would leave behind. */
const FAULTS: readonly (readonly [what: string, promise: string, (scene: Scene) => unknown])[] = [
  ['an effect that happened twice', 'P3', ({ effects }) => effects.push('th_1/c1 g1')],
  ['an effect that needs no approval, twice', 'P3', ({ effects }) => effects.push('th_1/c2 f1')],
  ['one run again more often than people asked for', 'P3', ({ effects }) => effects.push('th_3/c1 g1')],
  ['a call that succeeded without an effect', 'P3', ({ effects }) => effects.shift()],
  ['an effect of a call that was rejected', 'P1', ({ effects }) => effects.push('th_2/c1 g1')],
  ['an effect of a call that nobody knows', 'P5', ({ effects }) => effects.push('th_1/c9 f1')],
  ['an effect in a thread that nobody knows', 'P5', ({ effects }) => effects.push('th_9/c1 f1')],
  ['a call that began twice', 'P3', scene => double(scene, 'call.started', ONE)],
  ['a call that ended twice', 'P3', scene => double(scene, 'call.finished', ONE)],
  ['a call that has no end', 'P4', scene => drop(scene, 'call.finished', ONE)],
  ['a call that never began', 'P5', scene => drop(scene, 'call.started', ONE)],
  ['a call that nobody approved', 'P1', scene => drop(scene, 'hold.decided', ONE)],
  [
    'a call of which nobody was asked',
    'P1',
    scene => ['hold.opened', 'hold.decided'].map(kind => drop(scene, kind, ONE)),
  ],
  ['a call that ran before its approval', 'P1', scene => delay(scene, 'hold.decided', ONE)],
  [
    'a call that was rejected and ran',
    'P1',
    scene => Object.assign(line(scene, 'hold.decided', ONE).data, { verdict: 'reject' }),
  ],
  [
    'a call that ran with other arguments',
    'P1',
    scene => Object.assign(line(scene, 'call.started', ONE).data, { digest: 'd_x' }),
  ],
  [
    'an approval of something else than was asked',
    'P1',
    scene => Object.assign(line(scene, 'hold.decided', ONE).data, { digest: 'd_x' }),
  ],
  [
    'an approval of nothing that was asked',
    'P1',
    scene => Object.assign(line(scene, 'hold.decided', ONE).data, { digest: null }),
  ],
  [
    'a call that was approved and forgotten',
    'P4',
    scene => ['call.started', 'call.finished'].map(kind => drop(scene, kind, ONE)),
  ],
  ['a hold that was decided twice', 'P2', scene => double(scene, 'hold.decided', ONE)],
  ['a hold that was opened twice', 'P2', scene => double(scene, 'hold.opened', ONE)],
  ['a question that nobody answered', 'P4', scene => drop(scene, 'hold.decided', { call_id: 'q1' })],
  [
    'a decision of nobody',
    'P10',
    scene => Object.assign(line(scene, 'hold.decided', { call_id: 'q1' }), { actor: null }),
  ],
  [
    'a decision that was acknowledged and is another one',
    'P2',
    scene => Object.assign(line(scene, 'hold.decided', { thread_id: 'th_2', call_id: 'c1' }), { actor: 'ben' }),
  ],
  [
    'a decision that was acknowledged and is lost',
    'P2',
    scene => scene.told.push({ kind: 'decided', hold: 'hold_9', actor: 'ana', verdict: 'approve' }),
  ],
  [
    'two people who were both told that they decided',
    'P2',
    scene => scene.told.push({ kind: 'decided', hold: 'hold_1c1', actor: 'ben', verdict: 'approve' }),
  ],
  ['a run that was acknowledged and is lost', 'P4', scene => scene.told.push({ kind: 'started', run: 'run_9' })],
  ['a run that never ended', 'P4', scene => drop(scene, 'run.finished', { run_id: 'run_1' })],
  ['a run that ended twice', 'P4', scene => double(scene, 'run.finished', { run_id: 'run_1' })],
  ['a run that failed', 'P4', scene => Object.assign(line(scene, 'run.finished').data, { outcome: 'failed' })],
  ['a run that began twice', 'P4', scene => double(scene, 'run.started')],
  ['work after the end of a run', 'P4', scene => delay(scene, 'call.finished', ONE)],
  ['records of a journal in another order', 'P10', scene => delay(scene, 'hold.opened', { call_id: 'q1' })],
]

describe('the checker of clusters', () => {
  test('finds nothing where every promise was kept', () => {
    expect(faultsIn(evidence(kept()))).toEqual([])
  })

  test.each(FAULTS)('finds %s', (_what, promise, break_) => {
    const scene = kept()
    break_(scene)
    expect(faultsIn(evidence(scene)).map(fault => fault.slice(0, fault.indexOf(':')))).toContain(promise)
  })

  test.each([
    ['a record that was changed', (text: string) => text.replace('"actor":"ana"', '"actor":"eve"')],
    ['a record that was taken out', (text: string) => text.replace(/^.*\n/, '')],
    ['a record that is torn', (text: string) => text.slice(0, -20)],
  ])('finds %s', (_what, forge) => {
    const { effects, audit, told } = evidence(kept())
    expect(faultsIn({ effects, audit: forge(audit), told }).join()).toContain('P10')
  })
})
