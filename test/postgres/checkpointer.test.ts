import { afterAll, test } from 'vitest'
import { openPostgresStore } from '../../src/stores/postgres/postgres-store.ts'
import { checkpointerSuites } from '../langgraph/checkpointer-suites.ts'
import { openTestDatabase } from './database.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`graphs in PostgreSQL (${database.missing})`, () => {})
else {
  const { url } = database
  let schemas = 0
  await checkpointerSuites('holdpoint on PostgreSQL', () => {
    schemas += 1
    return openPostgresStore(`${url}?schema=graphs${schemas}`)
  })
}
