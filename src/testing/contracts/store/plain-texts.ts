import type { Store } from '../../../ports/store/store.ts'
import type { Kit } from '../contract-kit.ts'
import {
  aClaim,
  aDecision,
  aFinishedThread,
  aHold,
  aRequest,
  aScopedGrant,
  aStart,
  everything,
} from '../store-samples.ts'
import { aTask } from '../tasks/sample-task.ts'

const TOKEN = {
  id: 'token_1',
  name: 'ben',
  role: 'decider',
  digest: 'sha256:1',
  expires_at: null,
  by: 'ana',
  surface: 'cli',
} as const

type Write = (store: Store, text: string) => Promise<unknown>

/** By the name of the column in the refusal. */
const WRITES: readonly (readonly [what: string, field: string, write: Write])[] = [
  ['the id of a thread', 'id', (store, text) => store.start(aStart({ thread: text }))],
  ['the parent of a run', 'parent_run_id', (store, text) => store.start(aStart({ parent_run_id: text }))],
  [
    'the assignee of a hold',
    'assignee',
    (store, text) => store.start(aStart({ opens: [aHold('hold_1', { assignee: text })] })),
  ],
  ['the title of a task', 'title', (store, text) => store.tasks.create(aTask({ title: text }))],
  ['the directory of a task', 'workdir', (store, text) => store.tasks.create(aTask({ workdir: text }))],
  ['the author of a task', 'asked_by', (store, text) => store.tasks.create(aTask({ by: text }))],
  ['the name of a token', 'name', (store, text) => store.access.add({ ...TOKEN, name: text })],
  ['the author of a token', 'created_by', (store, text) => store.access.add({ ...TOKEN, by: text })],
]

/** Texts that a column keeps as they are, or refuses. Documents are JSON, which escapes any character. */
export function plainTexts({ test, expect, scene }: Kit): void {
  for (const [what, field, write] of WRITES)
    test.each([
      ['U+0000', 'a\0b'],
      ['U+D83D', 'a\ud83d'],
    ])(`${what} with %s is refused by its name, and leaves no trace`, async (character, text) => {
      await using it = await scene()
      const before = await everything(it.store)
      const refused = { code: 'store_text_refused', details: { field, character } }
      await expect(write(it.store, text)).rejects.toMatchObject(refused)
      expect(await everything(it.store)).toEqual(before)
      expect(await it.store.tasks.tasks({})).toEqual([])
      expect(await it.store.access.list()).toEqual([])
    })

  test('the owner of a lease and the author of a revocation are refused as well', async () => {
    await using it = await scene()
    await aFinishedThread(it.store, [aScopedGrant('grant_1', 'project')])
    await it.store.start(aStart({ run: 'run_2', thread: 'th_2' }))
    const claim = it.store.claim(aClaim({ run_id: 'run_2', owner: 'a\0b' }))
    await expect(claim).rejects.toMatchObject({ code: 'store_text_refused', details: { field: 'lease_owner' } })
    const revoked = it.store.revoke({ grant_id: 'grant_1', by: 'a\0b', surface: 'test' })
    await expect(revoked).rejects.toMatchObject({ code: 'store_text_refused', details: { field: 'revoked_by' } })
  })

  test('journals, decisions and the audit log keep each character', async () => {
    await using it = await scene()
    const odd = 'a\0b\ud83d c'
    await it.store.start(aStart({ opens: [aHold('hold_1', { message: odd })] }))
    const asked = aRequest({
      event: { ...aRequest().event, data: { content: odd, author: odd, supersede: false } } as never,
    })
    await it.store.request(asked)
    expect(await it.store.verifyAudit()).toMatchObject({ faults: [] })
    await it.store.decide([aDecision('hold_1', { reason: odd, decided_by: odd })])
    expect(await it.store.hold('hold_1')).toMatchObject({
      ...{ message: odd, decision: { reason: odd, decided_by: odd } },
    })
    expect((await it.store.journal('th_1', 2))[0]).toMatchObject({ data: { content: odd, author: odd } })
  })
}
