import { expect, test } from 'vitest'
import type { Result } from '../../sql/driver/work.ts'
import { SentStatements } from './statements.ts'

test('P4: a statement that pg refuses in a tick of its own is known before the commit', async () => {
  const refused = () =>
    new Promise<Result>((_, reject) => process.nextTick(reject, new TypeError('refused')))
      .catch((thrown: unknown) => Promise.reject(thrown))
      .then(result => result)
  const sent = new SentStatements(refused)
  sent.statements.send('INSERT', [])
  await expect(sent.areOut()).rejects.toThrow('refused')
})

test('one that is out and not yet answered holds nothing up', async () => {
  const sent = new SentStatements(() => new Promise<Result>(() => {}))
  sent.statements.send('INSERT', [])
  await sent.areOut()
})
