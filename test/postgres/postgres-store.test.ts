import { afterAll, test } from 'vitest'
import { storeContract } from '../../src/testing/contracts/store/store-contract.ts'
import { openTestDatabase } from './database.ts'
import { EmptySchemas } from './empty-schemas.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

if ('missing' in database) test.skip(`the store in PostgreSQL (${database.missing})`, () => {})
else {
  const schemas = new EmptySchemas(database.url)
  afterAll(() => schemas[Symbol.asyncDispose]())
  await storeContract('postgres', {
    open: clock => schemas.open(() => clock.now()),
    reopen: (store, clock) => schemas.reopen(store, () => clock.now()),
  })
}
