import { expect, test } from 'vitest'
import { foundText } from './found-text.ts'

test('words are found in any text of the data, in whatever case, with what stands around them', () => {
  const data = { calls: [{ name: 'deploy', arguments: { target: 'Shop in EU' } }], n: 7 }
  expect(foundText(data, 'shop')).toEqual({ before: '', found: 'Shop', after: ' in EU' })
  expect(foundText(data, 'target')).toBeNull()
  expect(foundText(data, '(')).toBeNull()
})

test('of a long text only the neighbourhood is shown, and it says that there is more', () => {
  const found = foundText(`${'a'.repeat(300)}NEEDLE${'😀'.repeat(300)}`, 'needle')
  expect(found?.before).toBe(`…${'a'.repeat(80)}`)
  expect(found?.after).toBe(`${'😀'.repeat(40)}…`)
})
