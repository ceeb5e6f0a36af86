import { expect, test } from 'vitest'
import { Patience } from './patience.ts'

const thrown = (code: string) => Object.assign(new Error(code), { code })
const away = async () => {
  throw thrown('ECONNREFUSED')
}

async function took(work: Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work.catch(() => {})
  return performance.now() - begun
}

test('what is asked while the database is away waits for it, and answers when it is back', async () => {
  const patience = new Patience(2_000)
  let tries = 0
  const asked = patience.with(async () => {
    tries += 1
    return tries < 4 ? away() : 'back'
  })
  expect(await asked).toBe('back')
})

test('once it was waited for in vain, the next question is not kept waiting, until there was an answer', async () => {
  const patience = new Patience(300)
  expect(await took(patience.with(away))).toBeGreaterThan(250)
  expect(await took(patience.with(away))).toBeLessThan(100)
  expect(await patience.with(async () => 'back')).toBe('back')
  expect(await took(patience.with(away))).toBeGreaterThan(250)
})

test('a lock that is not had is waited for anew by each question, and other errors are told at once', async () => {
  const patience = new Patience(300)
  const locked = async () => {
    throw thrown('55P03')
  }
  for (let n = 0; n < 2; n += 1) expect(await took(patience.with(locked))).toBeGreaterThan(250)
  const denied = async () => {
    throw thrown('42501')
  }
  expect(await took(patience.with(denied))).toBeLessThan(100)
})
