import type { Kit } from '../contract-kit.ts'
import { aStart, claimed } from '../store-samples.ts'

/** Who advances runs, and why a run could not be advanced. */
export function working({ test, expect, scene }: Kit): void {
  test('a worker is there from its first sign of life until it leaves', async () => {
    await using it = await scene()
    expect(await it.store.workers.list()).toEqual([])
    await it.store.workers.isHere({ process: 'here 1', agents: ['default', 'déployer'] })
    await it.store.workers.isHere({ process: 'here 2', agents: [] })
    await it.clock.advance(5_000)
    await it.store.workers.isHere({ process: 'here 2', agents: ['default'] })
    expect(await it.store.workers.list()).toEqual([
      { process: 'here 1', agents: ['default', 'déployer'], silent_ms: 5_000 },
      { process: 'here 2', agents: ['default'], silent_ms: 0 },
    ])
    await it.store.workers.leave(['here 1', 'nobody'])
    expect((await it.store.workers.list()).map(({ process }) => process)).toEqual(['here 2'])
  })

  test('a failed try is on the row of a run that no process has, and is no step of it', async () => {
    await using it = await scene()
    await it.store.start(aStart())
    const before = await it.store.run('run_1')
    await it.clock.advance(5_000)
    const failure = { code: 'no_model', message: 'No model.', hint: null }
    await it.store.noteFailure('run_1', failure)
    expect(await it.store.run('run_1')).toEqual({ ...before, failure: { ...failure, at: '2030-01-01T00:00:05.000Z' } })
    await claimed(it.store)
    await it.store.noteFailure('run_1', { ...failure, code: 'no_workdir' })
    expect((await it.store.run('run_1'))?.failure?.code, 'another process has it').toBe('no_model')
  })
}
