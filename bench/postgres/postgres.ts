/** A store in PostgreSQL, beside bare commits and two engines in the same database. Ratios within one run. */
import { openTestDatabase } from '../../test/postgres/database.ts'
import type { Row } from '../table.ts'
import { answerRows } from './answers.ts'
import { stepRows } from './pg-steps.ts'
import { scalingRows } from './scaling.ts'
import { sealingRows, waitingRows } from './stored.ts'
import { writerRows } from './writers.ts'

/** What is committed is on the disk, as in a database that somebody relies on. */
export async function measurePostgres(directory: string): Promise<Row[]> {
  await using database = await openTestDatabase({ fsync: true })
  if ('missing' in database) return [{ figure: database.missing, value: '', wanted: '' }]
  const { url } = database
  return [
    ...(await stepRows(url)),
    ...(await writerRows(url)),
    ...(await sealingRows(url)),
    ...(await waitingRows(url)),
    ...(await answerRows(url, directory)),
    ...(await scalingRows(url, directory)),
  ]
}
