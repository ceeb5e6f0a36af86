import { expect, test } from 'vitest'
import { taskDirectory } from './task-directory.ts'

test('what tasks print is kept beside their store, and two stores in one directory share nothing', () => {
  expect(taskDirectory('sqlite:/p/.holdpoint/holdpoint.db')).toBe('/p/.holdpoint/tasks')
  expect(taskDirectory('sqlite:/p/.holdpoint/other.db')).toBe('/p/.holdpoint/other.db-tasks')
  expect(() => taskDirectory('memory:')).toThrow(expect.objectContaining({ code: 'store_forgets' }))
})
