import type { NewPresence } from '../../../ports/store/fleet/presences.ts'
import type { Kit } from '../contract-kit.ts'
import { A_SECOND_LATER, ANA, aTaskThatIs, START } from '../tasks/sample-task.ts'

/** The time that a store on a busy machine may need. */
const PATIENCE = { timeout: 20_000 }

const OWNER = { task_id: 'task_1', invocation: 1 }

function aPresence(changes: Partial<NewPresence> = {}): NewPresence {
  const place = { process: 'here 7', endpoint: '/run/one.sock', protocol: 1, token: 'secret' }
  return { ...OWNER, ...place, ...changes }
}

export function beingPresent({ test, expect, scene }: Kit): void {
  const arrived = {
    ...{ ...OWNER, process: 'here 7', endpoint: '/run/one.sock', protocol: 1, clients: 0, writer: null, queued: 0 },
    ...{ last_error: null, last_input_at: null, last_left_at: null, updated_at: START },
  }

  test('a process that signs in is found by its task, and no list shows its token', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    expect(await it.store.presences.arrive(aPresence())).toEqual(arrived)
    expect(await it.store.presences.find('task_1')).toEqual(arrived)
    expect(await it.store.presences.list()).toEqual([arrived])
    const door = { process: 'here 7', endpoint: '/run/one.sock', protocol: 1, token: 'secret' }
    expect(await it.store.presences.door('task_1')).toEqual(door)
  })

  test('absent tasks have no presence, and take none', async () => {
    await using it = await scene()
    expect(await it.store.presences.arrive(aPresence())).toBeNull()
    expect(await it.store.presences.find('task_1')).toBeNull()
    expect(await it.store.presences.door('task_1')).toBeNull()
    expect(await it.store.presences.list()).toEqual([])
  })

  test('a change writes what it names, and leaves the rest', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    await it.store.presences.arrive(aPresence())
    await it.clock.advance(1000)
    const change = { clients: 2, writer: 'ana', last_input_at: A_SECOND_LATER }
    const changed = { ...arrived, ...change, updated_at: A_SECOND_LATER }
    expect(await it.store.presences.change(OWNER, change)).toEqual(changed)
    const last_error = { code: 'overloaded', message: 'The model is busy.' }
    const later = { queued: 3, last_error, last_left_at: A_SECOND_LATER, writer: null }
    expect(await it.store.presences.change(OWNER, later)).toEqual({ ...changed, ...later })
    expect(await it.store.presences.change(OWNER, { last_error: null })).toMatchObject({ queued: 3, last_error: null })
  })

  test('the next invocation takes the place of what the one before left behind, which then writes nothing', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'paused')
    await it.store.presences.arrive(aPresence())
    const next = { ...ANA, argv: ['again'] }
    await it.store.tasks.move({ task_id: 'task_1', invocation: 1, from: ['paused'], to: 'pending', next })
    expect(await it.store.presences.arrive(aPresence({ process: 'late 8' })), 'of the one before').toBeNull()
    const second = aPresence({ invocation: 2, process: 'here 8', endpoint: '/run/two.sock' })
    expect(await it.store.presences.arrive(second)).toMatchObject({ invocation: 2, clients: 0 })
    expect(await it.store.presences.change(OWNER, { clients: 5 })).toBeNull()
    await it.store.presences.leave(OWNER)
    expect(await it.store.presences.find('task_1')).toMatchObject({ process: 'here 8', clients: 0 })
    await it.store.presences.leave({ task_id: 'task_1', invocation: 2 })
    expect(await it.store.presences.find('task_1')).toBeNull()
  })

  test('watchers of tasks hear of presences that change', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'running')
    let heard = 0
    using _watch = it.store.tasks.watch(() => {
      heard++
    })
    await it.store.presences.arrive(aPresence())
    await expect.poll(() => heard, PATIENCE).toBeGreaterThan(0)
    const before = heard
    await it.store.presences.change(OWNER, { clients: 1 })
    await expect.poll(() => heard, PATIENCE).toBeGreaterThan(before)
  })

  test('a task that is pruned takes with it the presence that a killed process left behind', async () => {
    await using it = await scene()
    await aTaskThatIs(it.store.tasks, 'failed')
    await it.store.presences.arrive(aPresence())
    await it.clock.advance(1000)
    await it.store.prune({ before: A_SECOND_LATER, dry_run: false, by: 'ana', surface: 'test' })
    expect(await it.store.tasks.task('task_1')).toBeNull()
    expect(await it.store.presences.list()).toEqual([])
  })
}
