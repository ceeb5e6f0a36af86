import { emptyThread } from '../../../core/journal/fold.ts'
import type { Lease } from '../../../ports/store/runs.ts'
import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import { aDecision, aHold, aStart, claimed, event, everything, NOTHING, note, said } from '../store-samples.ts'

export function reading({ test, expect, scene }: Kit): void {
  test('what nobody knows is absent', async () => {
    await using it = await scene()
    expect(await everything(it.store)).toEqual(NOTHING)
    expect([await it.store.run('run_9'), await it.store.hold('hold_9')]).toEqual([null, null])
  })

  test('a journal is read from any place on', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: Array.from({ length: 300 }, (_, n) => event(`line ${n}`)) }))
    const all = await it.store.journal('th_1')
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, n) => n + 1))
    expect(await it.store.journal('th_1', 298)).toEqual(all.slice(298))
    expect(await it.store.journal('th_1', 300)).toEqual([])
  })

  test('a fold is kept beside its journal, in the place of an older one, with all that it has', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    expect(await it.store.keptFold('th_1')).toBeNull()
    const at = '2030-01-01T00:00:00.000Z'
    const keep = async (seq: number) => {
      const thread = {
        ...emptyThread('th_1'),
        seq,
        call_ids: new Set(['call_1']),
        accepted: new Map([['openai', seq]]),
      }
      await it.store.keepFold({ thread, at })
      return { thread, at }
    }
    await keep(1)
    const newest = await keep(2)
    expect(await it.store.keptFold('th_1')).toStrictEqual(newest)
    expect([await it.store.keptFold('th_2'), await it.store.keptFold('th_9')]).toEqual([null, null])
    // There is no such thread, and no place to keep it.
    await it.store.keepFold({ thread: emptyThread('th_9'), at })
    expect(await it.store.keptFold('th_9')).toBeNull()
  })

  test('a fold that is too large is not kept', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const long = { role: 'user', content: 'x'.repeat(5_000_000), author: null } as const
    await it.store.keepFold({ thread: { ...emptyThread('th_1'), messages: [long] }, at: '2030-01-01T00:00:00.000Z' })
    expect(await it.store.keptFold('th_1')).toBeNull()
  })

  test('a journal is read in pieces of any size', async () => {
    await using it = await scene()
    await it.store.start(aStart({ events: Array.from({ length: 10 }, (_, n) => event(`line ${n}`)) }))
    const all = await it.store.journal('th_1')
    expect(await it.store.journal('th_1', 0, 4)).toEqual(all.slice(0, 4))
    expect(await it.store.journal('th_1', 4, 4)).toEqual(all.slice(4, 8))
    expect(await it.store.journal('th_1', 8, 4)).toEqual(all.slice(8))
    expect(await it.store.journal('th_1', 10, 4)).toEqual([])
  })

  test('the newest place of many threads is known at once, and unknown ones are left out', async () => {
    await using it = await scene()
    for (const n of [1, 2, 3]) {
      const events = Array.from({ length: n }, () => event('line'))
      await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n}`, events }))
    }
    const newest = await it.store.newest(['th_3', 'th_9', 'th_1'])
    expect(newest).toEqual(
      new Map([
        ['th_1', 1],
        ['th_3', 3],
      ]),
    )
    expect(await it.store.newest([])).toEqual(new Map())
  })

  test('a store has a secret of its own, which stays the same', async () => {
    await using it = await scene()
    await using another = await scene()
    const secret = await it.store.secret()
    expect(secret).toMatch(/^.{32,}$/)
    expect(await it.store.secret()).toBe(secret)
    expect(await another.store.secret()).not.toBe(secret)
  })

  test('a store that takes writes did not move', async () => {
    await using it = await scene()
    expect(await it.store.moved()).toBeNull()
  })

  test('journals of threads that grow by turns stay apart and dense', async () => {
    await using it = await scene()
    const leases: Lease[] = []
    for (const n of [1, 2, 3]) {
      await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n}` }))
      leases.push(await claimed(it.store, { run_id: `run_${n}` }))
    }
    const turns = Array.from({ length: 10 }, (_, n) => leases.map(lease => ({ lease, after: n + 2 }))).flat()
    for (const { lease, after } of turns) {
      await it.store.append(lease, after, note(`${lease.thread_id} ${after}`, lease.run_id))
    }
    for (const { thread_id } of leases) {
      const own = Array.from({ length: 10 }, (_, n) => ({ seq: n + 3, thread_id, data: said(`${thread_id} ${n + 2}`) }))
      expect(await it.store.journal(thread_id, 2)).toMatchObject(own)
    }
  })

  test('runs are listed newest first, by status and thread, in pages', async () => {
    await using it = await scene()
    const statuses = ['running', 'waiting', 'done', 'waiting', 'running', 'done', 'waiting'] as const
    for (const [n, status] of statuses.entries()) {
      await it.store.start(aStart({ run: `run_${n}`, thread: `th_${n % 2}`, status, after: 2 * Math.floor(n / 2) }))
    }
    const ids = async (query: Parameters<Store['runs']>[0]) => (await it.store.runs(query)).map(({ id }) => id)
    expect(await ids({})).toEqual(['run_6', 'run_5', 'run_4', 'run_3', 'run_2', 'run_1', 'run_0'])
    expect(await ids({ status: 'waiting' })).toEqual(['run_6', 'run_3', 'run_1'])
    expect(await ids({ status: 'done' })).toEqual(['run_5', 'run_2'])
    expect(await ids({ thread_id: 'th_1' })).toEqual(['run_5', 'run_3', 'run_1'])
    expect(await ids({ thread_id: 'th_0', status: 'running' })).toEqual(['run_4', 'run_0'])
    expect(await ids({ limit: 3 })).toEqual(['run_6', 'run_5', 'run_4'])
    expect(await ids({ limit: 3, after: 'run_4' })).toEqual(['run_3', 'run_2', 'run_1'])
    expect(await ids({ limit: 3, after: 'run_1' })).toEqual(['run_0'])
    expect(await ids({ status: 'waiting', limit: 1, after: 'run_6' })).toEqual(['run_3'])
    expect(await ids({ thread_id: 'th_9' })).toEqual([])
    expect(await ids({ run_id: 'run_3' })).toEqual(['run_3'])
    expect(await ids({ run_id: 'run_3', status: 'done' })).toEqual([])
    expect(await ids({ run_id: 'run_9' })).toEqual([])
  })

  test('the children of a run are listed newest first, by status, in pages', async () => {
    await using it = await scene()
    await it.store.start(aStart({ run: 'run_0', thread: 'th_0' }))
    const parents = ['run_0', 'run_0', 'run_1', 'run_0'] as const
    for (const [n, parent_run_id] of parents.entries())
      await it.store.start(
        aStart({ run: `run_${n + 1}`, thread: `th_${n + 1}`, parent_run_id, status: n ? 'done' : 'waiting' }),
      )
    const ids = async (query: Parameters<Store['runs']>[0]) => (await it.store.runs(query)).map(({ id }) => id)
    expect((await it.store.runs({})).map(({ parent_run_id }) => parent_run_id)).toEqual([...parents.toReversed(), null])
    expect(await ids({ parent_run_id: 'run_0' })).toEqual(['run_4', 'run_2', 'run_1'])
    expect(await ids({ parent_run_id: 'run_0', status: 'done' })).toEqual(['run_4', 'run_2'])
    expect(await ids({ parent_run_id: 'run_0', limit: 1, after: 'run_4' })).toEqual(['run_2'])
    expect(await ids({ parent_run_id: 'run_4' })).toEqual([])
    expect(await it.store.run('run_3')).toMatchObject({ parent_run_id: 'run_1' })
  })

  test('holds are listed oldest first, by status, run, thread and kind, in pages', async () => {
    await using it = await scene()
    const of = (n: number) =>
      aHold(`hold_${n}`, { run_id: `run_${n % 2}`, kind: n % 3 === 0 ? 'question' : 'approval' })
    await it.store.start(aStart({ run: 'run_0', thread: 'th_0', opens: [of(0), of(2), of(4)] }))
    await it.store.start(aStart({ run: 'run_1', thread: 'th_1', opens: [of(1), of(3), of(5)] }))
    await it.store.decide([aDecision('hold_2'), aDecision('hold_3')])
    const ids = async (query: Parameters<Store['holds']>[0]) => (await it.store.holds(query)).map(({ id }) => id)
    expect(await ids({})).toEqual(['hold_0', 'hold_2', 'hold_4', 'hold_1', 'hold_3', 'hold_5'])
    expect(await ids({ status: 'open' })).toEqual(['hold_0', 'hold_4', 'hold_1', 'hold_5'])
    expect(await ids({ status: 'decided' })).toEqual(['hold_2', 'hold_3'])
    expect(await ids({ run_id: 'run_1' })).toEqual(['hold_1', 'hold_3', 'hold_5'])
    expect(await ids({ thread_id: 'th_0', status: 'open' })).toEqual(['hold_0', 'hold_4'])
    expect(await ids({ kind: 'question' })).toEqual(['hold_0', 'hold_3'])
    expect(await ids({ limit: 4 })).toEqual(['hold_0', 'hold_2', 'hold_4', 'hold_1'])
    expect(await ids({ limit: 4, after: 'hold_1' })).toEqual(['hold_3', 'hold_5'])
    expect(await ids({ status: 'open', limit: 1, after: 'hold_4' })).toEqual(['hold_1'])
    expect(await ids({ status: 'expired' })).toEqual([])
  })

  test('holds are listed by deadline, and newest first, in pages', async () => {
    await using it = await scene()
    const due = (id: string, minute: number | null) =>
      aHold(id, { due_at: minute === null ? null : `2030-01-01T00:0${minute}:00.000Z` })
    await it.store.start(
      aStart({
        opens: [due('hold_0', null), due('hold_1', 5), due('hold_2', 1), due('hold_3', 5), due('hold_4', null)],
      }),
    )
    const ids = async (query: Parameters<Store['holds']>[0]) => (await it.store.holds(query)).map(({ id }) => id)
    const byDue = ['hold_2', 'hold_1', 'hold_3', 'hold_0', 'hold_4']
    expect(await ids({ order: 'due' })).toEqual(byDue)
    for (const [place, after] of byDue.entries())
      expect(await ids({ order: 'due', after, limit: 2 })).toEqual(byDue.slice(place + 1, place + 3))
    expect(await ids({ order: 'due', after: 'hold_9', status: 'open', limit: 1 })).toEqual(['hold_2'])
    expect(await ids({ order: 'newest', limit: 2 })).toEqual(['hold_4', 'hold_3'])
    expect(await ids({ order: 'newest', after: 'hold_3' })).toEqual(['hold_2', 'hold_1', 'hold_0'])
    expect(await ids({ order: 'opened', limit: 2 })).toEqual(['hold_0', 'hold_1'])
  })

  test('holds are listed by agent, tool and assignee, whatever else is asked for', async () => {
    await using it = await scene()
    const holds = [
      aHold('hold_1', { agent: 'writer', assignee: 'ana' }),
      aHold('hold_2', { tool: 'read', assignee: '@ops' }),
      aHold('hold_3', { agent: 'writer', tool: 'read' }),
      aHold('hold_4', { agent: 'writer', tool: null, kind: 'input', call_id: null, assignee: 'ana' }),
    ]
    await it.store.start(aStart({ opens: holds }))
    const ids = async (query: Parameters<Store['holds']>[0]) => (await it.store.holds(query)).map(({ id }) => id)
    expect(await ids({ agent: 'writer' })).toEqual(['hold_1', 'hold_3', 'hold_4'])
    expect(await ids({ tool: 'read' })).toEqual(['hold_2', 'hold_3'])
    expect(await ids({ assignee: 'ana' })).toEqual(['hold_1', 'hold_4'])
    expect(await ids({ agent: 'writer', tool: 'read', status: 'open' })).toEqual(['hold_3'])
    expect(await ids({ agent: 'writer', limit: 1, after: 'hold_1' })).toEqual(['hold_3'])
    expect(await ids({ assignee: 'nobody' })).toEqual([])
    await it.store.decide([aDecision('hold_1')])
    expect(await ids({ status: 'open', assignee: 'ana' })).toEqual(['hold_4'])
  })

  test('words are found in what was said, from the newest thread backwards, page by page', async () => {
    await using it = await scene()
    const lines = ['Deploy the shop', 'nothing', '50% off_now', 'deploy "it"\nagain']
    await it.store.start(aStart({ events: lines.map(line => event(line)) }))
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2', events: [event('never DEPLOY', 'run_2')] }))
    const seqs = async (words: string) => (await it.store.search({ words })).found.map(({ seq }) => seq)
    const all = await it.store.search({ words: 'deploy' })
    expect(all).toMatchObject({ found: [{ thread_id: 'th_2', run_id: 'run_2' }, { seq: 4 }, { seq: 1 }], next: null })
    expect(all.found[2]).toMatchObject({ before: '', found: 'Deploy', after: ' the shop', kind: 'message.received' })
    const first = await it.store.search({ words: 'deploy', limit: 2 })
    expect(first.found).toEqual(all.found.slice(0, 2))
    const rest = await it.store.search({ words: 'deploy', ...(first.next !== null && { after: first.next }) })
    expect(rest.found).toEqual(all.found.slice(2))
    expect([await seqs('50% OFF'), await seqs('50_ off'), await seqs('"it"'), await seqs('it"\nag')]).toEqual([
      ...[[3], [], [4], [4]],
    ])
    expect(await seqs('forced_by'), 'the name of a field').toEqual([])
  })

  test('everything that is asked of a person comes back as it was', async () => {
    await using it = await scene()
    const hold = aHold('hold_1', {
      kind: 'question',
      arguments: { question: 'Which?', choices: ['a', 'b'] },
      message: 'Which?',
      context: { deep: [1, { er: null }] },
      choices: ['a', 'b'],
      response_schema: { type: 'string' },
      resume_mode: 'pass_decision_to_tool',
      tool_schema: { type: 'object', properties: { question: { type: 'string' } } },
      due_at: '2030-01-02T03:04:05.678Z',
      on_due: 'escalate',
      remind_at: ['2030-01-01T03:04:05.678Z'],
      assignee: '@ops',
      escalation: [{ assignee: '@managers', seconds: 60, people: ['mia', 'max'] }],
      finally: 'reject',
      destructive: true,
      deciders: { people: ['ana', 'ben'], not_requester: true, quorum: 2 },
      requesters: ['cleo'],
    })
    await it.store.start(aStart({ opens: [hold] }))
    expect(await it.store.hold('hold_1')).toMatchObject(hold)
    expect(await it.store.holds({})).toEqual([await it.store.hold('hold_1')])
  })

  test.each(VALUES)('%s comes back as it was', async (_what, value) => {
    await using it = await scene()
    const hold = aHold('hold_1', { arguments: { value }, context: value })
    await it.store.start(aStart({ events: [event(value)], opens: [hold] }))
    await it.store.decide([aDecision('hold_1', { verdict: 'respond', value, reason: String(value) })])
    expect((await it.store.journal('th_1')).map(({ data }) => data)).toMatchObject([
      said(value),
      { decision: { value, reason: String(value) } },
    ])
    expect(await it.store.hold('hold_1')).toMatchObject({ arguments: { value }, context: value, decision: { value } })
  })

  test('its name tells where it is, without secrets', async () => {
    await using it = await scene()
    expect(it.store.location.display).toMatch(/^[a-z]+:/)
  })
}

const VALUES: readonly (readonly [what: string, value: string])[] = [
  ['text of a megabyte', 'ä€😀x'.repeat(100_000)],
  ['text in many scripts', 'Größe 日本語 עברית العربية 👩‍👩‍👧‍👦 \u{1F3F4}'],
  ['text that looks like SQL', `'; DROP TABLE events; -- "`],
  ['text with control characters', 'a\u0000b\u0007\r\n\t\u001b[31m\u2028\u2029\ufeff'],
  ['text of blanks', '   '],
]
