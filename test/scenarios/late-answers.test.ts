import { expect, test } from 'vitest'
import type { Tool } from '../../src/index.ts'
import { advanced, ana, aWorkplace, call, journalOfThread, onlyHold, started } from './workplace.ts'

const never = () => new Promise<never>(() => {})
const LIMIT_S = 0.4

/** `deploy`, that counts how often `method` was asked, and answers as `answer`. */
async function aPlace(method: string, answer: (times: number) => unknown) {
  const asked: number[] = []
  const ask = () => {
    asked.push(performance.now())
    return answer(asked.length)
  }
  const place = await aWorkplace(it => ({
    script: [{ calls: [call('a', 'deploy')] }, 'Done.'],
    tools: [Object.assign(it.tool('deploy', { needsApproval: true }), { [method]: ask } as Partial<Tool>)],
    open: { codeTimeoutSeconds: LIMIT_S },
  }))
  return { place, asked }
}

test('a needsApproval that never answers is asked once for a call, which is held and says why', async () => {
  const { place, asked } = await aPlace('needsApproval', never)
  await using _ = place
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const begun = performance.now()
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'waiting' })
  expect(asked).toHaveLength(1)
  expect(performance.now() - begun).toBeGreaterThan(LIMIT_S * 1_000 * 0.9)
  const hold = await onlyHold(holdpoint)
  const opened = (await journalOfThread(holdpoint, run.thread_id)).find(({ kind }) => kind === 'hold.opened')
  expect(JSON.stringify(opened)).toContain('needsApproval of deploy gave no answer within')
  await holdpoint.decide(hold.id, { verdict: 'approve', ...ana })
  expect(await advanced(holdpoint, run.id)).toMatchObject({ status: 'done' })
  expect(place.effects).toEqual(['deploy'])
})

test('a question that was late and has its answer by now is asked again', async () => {
  const late = () => new Promise(resolve => setTimeout(() => resolve(true), LIMIT_S * 1_500))
  const { place, asked } = await aPlace('needsApproval', times => (times === 1 ? late() : true))
  await using _ = place
  await using holdpoint = await place.open({
    script: [{ calls: [call('a', 'deploy')] }, { calls: [call('b', 'deploy')] }, 'Done.'],
  })
  const run = await started(holdpoint)
  await advanced(holdpoint, run.id)
  await new Promise(resolve => setTimeout(resolve, LIMIT_S * 2_000))
  await holdpoint.decide((await onlyHold(holdpoint)).id, { verdict: 'approve', ...ana })
  await advanced(holdpoint, run.id)
  expect(asked.length).toBeGreaterThan(1)
  expect(await onlyHold(holdpoint)).toMatchObject({ call_id: 'b' })
})

test.each(['demandsApproval', 'inspect', 'validate', 'preview'])(
  'a %s that never answers is asked once, and holds nobody for ever',
  async method => {
    const { place, asked } = await aPlace(method, never)
    await using _ = place
    await using holdpoint = await place.open()
    const run = await started(holdpoint)
    await advanced(holdpoint, run.id)
    expect(asked).toHaveLength(1)
    expect(place.effects).toEqual([])
  },
)

test('who types an answer may take long, and a stop is heard meanwhile', async () => {
  await using place = await aWorkplace({ script: ['What else?'], open: { codeTimeoutSeconds: LIMIT_S } })
  await using holdpoint = await place.open()
  const run = await started(holdpoint)
  const stop = new AbortController()
  const asked = Promise.withResolvers<void>()
  const inputProvider = async () => {
    asked.resolve()
    return never()
  }
  let isOver = false
  const running = advanced(holdpoint, run.id, { inputProvider, signal: stop.signal }).finally(() => {
    isOver = true
  })
  await asked.promise
  await new Promise(resolve => setTimeout(resolve, LIMIT_S * 2_000))
  expect(isOver).toBe(false)
  stop.abort()
  expect(await running).toMatchObject({ status: 'running' })
})
