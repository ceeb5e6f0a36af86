import { expect, test } from 'vitest'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { taskDirectory } from './task-directory.ts'

const store = (url: string, isShared: boolean) => ({ location: new StoreLocation(url), capabilities: { isShared } })

test("tasks' output is kept beside a store that others can open", () => {
  expect(taskDirectory(store('sqlite:/p/.holdpoint/holdpoint.db', true))).toBe('/p/.holdpoint/tasks')
  expect(() => taskDirectory(store('memory:', false))).toThrow(expect.objectContaining({ code: 'store_forgets' }))
})

test('a shared store that no child can open is refused without its password', () => {
  const refused = () => taskDirectory(store('ledger://ana:hush@db.example/runs', true))
  expect(refused).toThrow(expect.objectContaining({ code: 'store_out_of_reach' }))
  expect(refused).toThrow(/^(?!.*hush).*ledger:\/\/ana@db\.example\/runs/)
})
