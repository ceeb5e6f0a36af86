import { expect, test } from 'vitest'
import { aborted, NEVER, onAbort, orAborted } from './on-abort.ts'

test('the call comes once, also if the signal was aborted before', () => {
  const stop = new AbortController()
  const calls: string[] = []
  onAbort(stop.signal, () => calls.push('before'))
  stop.abort()
  onAbort(stop.signal, () => calls.push('after'))
  expect(calls).toEqual(['before', 'after'])
})

test('what is disposed of before is not called', () => {
  const stop = new AbortController()
  const calls: string[] = []
  onAbort(stop.signal, () => calls.push('called'))[Symbol.dispose]()
  stop.abort()
  expect(calls).toEqual([])
})

test('a wait for a signal that is aborted already is over at once', async () => {
  await aborted(AbortSignal.abort())
})

test('work that is aborted is given up with the reason of the signal', async () => {
  const reason = new Error('enough')
  const stop = new AbortController()
  const waiting = orAborted(new Promise(() => {}), stop.signal)
  stop.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await expect(orAborted(Promise.reject(new Error('of the work')), AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('work that ends first gives its result, or its failure', async () => {
  expect(await orAborted(Promise.resolve(1), NEVER)).toBe(1)
  await expect(orAborted(Promise.reject(new Error('of the work')), NEVER)).rejects.toThrow('of the work')
})
