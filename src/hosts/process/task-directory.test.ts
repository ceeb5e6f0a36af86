import { expect, test } from 'vitest'
import { StoreLocation } from '../../ports/store/store-location.ts'
import { ONE_MACHINE } from '../../stores/sqlite/fleet/one-machine.ts'
import { taskDirectory } from './task-directory.ts'

const store = (url: string, isShared: boolean, self: string | null = null) => ({
  ...{ location: new StoreLocation(url), capabilities: { isShared }, secret: async () => 'secret' },
  hosts: { ...ONE_MACHINE, self },
})

test("tasks' output is kept beside a store that others can open", async () => {
  expect(await taskDirectory(store('sqlite:/p/.holdpoint/holdpoint.db', true))).toBe('/p/.holdpoint/tasks')
  await expect(taskDirectory(store('memory:', false))).rejects.toMatchObject({ code: 'store_forgets' })
})

test('a shared store that no child can open is refused without its password', async () => {
  const refused = taskDirectory(store('ledger://ana:hush@db.example/runs', true))
  await expect(refused).rejects.toMatchObject({ code: 'store_out_of_reach' })
  await expect(refused).rejects.toThrow(/^(?!.*hush).*ledger:\/\/ana@db\.example\/runs/)
})

test('each host has a directory of its own for a store that several share, whatever its URL', async () => {
  const one = await taskDirectory(store('postgres://ana@db.example/runs', true, 'one'))
  expect(await taskDirectory(store('postgres://ben:hush@db/runs?sslmode=require', true, 'one'))).toBe(one)
  expect(await taskDirectory(store('postgres://ana@db.example/runs', true, 'two'))).not.toBe(one)
  expect(one).toMatch(/^\/.*\/holdpoint\/[0-9a-f]{16}\/one\/tasks$/)
})
