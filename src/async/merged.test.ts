import { expect, test } from 'vitest'
import { merged } from './merged.ts'

async function* counting(name: string, most: number, asked: string[] = []) {
  for (let n = 1; n <= most; n++) {
    asked.push(`${name}${n}`)
    yield `${name}${n}`
  }
}

async function* silent(signal: AbortSignal) {
  await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
  yield* [] as string[]
}

test('all values of all sources come, those of each in order', async () => {
  const values: string[] = []
  for await (const value of merged(counting('a', 3), counting('b', 2))) values.push(value)
  expect(values.filter(value => value.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
  expect(values.filter(value => value.startsWith('b'))).toEqual(['b1', 'b2'])
})

test('a source that is silent holds no other one up, and a value is asked for when the last one was taken', async () => {
  const over = new AbortController()
  const asked: string[] = []
  const both = merged(counting('a', 9, asked), silent(over.signal))
  expect((await both.next()).value).toBe('a1')
  expect((await both.next()).value).toBe('a2')
  expect(asked).toEqual(['a1', 'a2'])
  over.abort()
  await both.return()
})

test('the failure of one source is that of all', async () => {
  async function* failing() {
    yield 'f1'
    throw new TypeError('broken')
  }
  const values: string[] = []
  const read = async () => {
    for await (const value of merged(counting('a', 2), failing())) values.push(value)
  }
  await expect(read()).rejects.toThrow('broken')
  expect(values).toContain('f1')
})
